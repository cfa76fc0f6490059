/** The text of generated types, in proto3. */
import { isScalar, type EnumType, type FieldType, type Meta, type ProtoField } from '../schema/proto-model';
import type { DraftMessage, GeneratedFile } from './draft-message';

/** Words that begin something else than a field of the type. */
const KEYWORDS: ReadonlySet<string> = new Set(
  'message enum extend extensions reserved option oneof optional required repeated map group export local'.split(' '),
);

export function printFile({ package: packageName, message, imports }: GeneratedFile): string {
  const lines = ['syntax = "proto3";'];
  if (packageName !== '') lines.push(`package ${packageName};`);
  lines.push('');
  for (const path of [...imports].sort()) lines.push(`import "${path}";`);
  if (imports.size > 0) lines.push('');
  printMessage(message, '', lines);
  return lines.join('\n') + '\n';
}

function printMessage(message: DraftMessage, indent: string, lines: string[]): void {
  const inner = `${indent}  `;
  lines.push(`${indent}message ${message.name} {`);
  if (message.meta.params.size > 0) lines.push(`${inner}option (confluent.message_meta) = ${metaText(message.meta)};`);
  for (const field of message.fields) if (field.oneof === null) lines.push(inner + fieldText(field, message));
  for (const oneof of message.oneofs) {
    // A oneof has at least one field.
    if (oneof.fields.length === 0) continue;
    lines.push(`${inner}oneof ${oneof.name} {`);
    for (const field of oneof.fields) lines.push(`${inner}  ${fieldText(field, message)}`);
    lines.push(`${inner}}`);
  }
  for (const one of message.enums) printEnum(one, inner, lines);
  for (const nested of message.messages) printMessage(nested, inner, lines);
  lines.push(`${indent}}`);
}

function printEnum(type: EnumType, indent: string, lines: string[]): void {
  lines.push(`${indent}enum ${type.name} {`);
  if (type.names.size < type.values.size) lines.push(`${indent}  option allow_alias = true;`);
  for (const [name, number] of type.values) lines.push(`${indent}  ${name} = ${number};`);
  lines.push(`${indent}}`);
}

function fieldText(field: ProtoField, parent: DraftMessage): string {
  const { type, name, number, meta } = field;
  const isMap = typeof type !== 'string' && type.kind === 'message' && type.mapEntry;
  const label = isMap ? '' : field.repeated ? 'repeated ' : field.optional ? 'optional ' : '';
  const options = meta.params.size === 0 ? '' : ` [(confluent.field_meta) = ${metaText(meta)}]`;
  const typeText = isMap
    ? `map<${type.fields.map((part) => typeName(part.type, parent)).join(', ')}>`
    : typeName(type, parent);
  return `${label}${typeText} ${name} = ${number}${options};`;
}

/** Types in the message by their name, unless that means something else there; others by their full one. */
function typeName(type: FieldType, parent: DraftMessage): string {
  if (typeof type === 'string') return type;
  const isNear = type.fullName === `${parent.fullName}.${type.name}`;
  return isNear && !isScalar(type.name) && !KEYWORDS.has(type.name) ? type.name : `.${type.fullName}`;
}

function metaText({ params }: Meta): string {
  const texts = [...params].map(([key, value]) => `{ key: ${JSON.stringify(key)}, value: ${JSON.stringify(value)} }`);
  return `{ params: [${texts.join(', ')}] }`;
}
