/** Turns parsed files into types: names become what they name, and defaults of the syntax are applied. */
import { schemaError } from '../faults';
import { NameScope } from './name-scope';
import { metaOf, optionText, type Options } from './proto-options';
import type { ParsedEnum, ParsedField, ParsedFile, ParsedMessage } from './proto-parser';
import {
  isScalar,
  NO_META,
  type EnumType,
  type FieldType,
  type MessageType,
  type Oneof,
  type Presence,
  type ProtoField,
  type ProtoFile,
  type Scalar,
} from './proto-model';

/** Types that refer to each other are made first, then filled. */
interface OpenMessage extends MessageType {
  readonly fields: ProtoField[];
  readonly fieldsByName: Map<string, ProtoField>;
  readonly messages: MessageType[];
  readonly oneofs: Oneof[];
}

interface OpenOneof extends Oneof {
  readonly fields: ProtoField[];
}

interface Declared {
  readonly file: ParsedFile;
  readonly parsed: ParsedMessage;
  readonly type: OpenMessage;
  /** Of the message's own names. */
  readonly scope: NameScope;
}

const NEVER_PACKED: ReadonlySet<FieldType> = new Set<Scalar>(['string', 'bytes']);
const KEY_TYPES: ReadonlySet<FieldType> = new Set<Scalar>([
  'int32',
  'int64',
  'uint32',
  'uint64',
  'sint32',
  'sint64',
  'fixed32',
  'fixed64',
  'sfixed32',
  'sfixed64',
  'bool',
  'string',
]);

/** @param files all that are needed, of which the last is returned */
export function resolveFiles(files: readonly ParsedFile[]): ProtoFile {
  const names = new NameScope();
  const declared: Declared[] = [];
  let last: MessageType[] = [];
  for (const file of files) {
    const scope = names.within(file.package);
    last = file.messages.map((message) => declare(message, file.package, file, scope, declared));
    for (const one of file.enums) scope.declare(one.name, enumType(one, file.package, file));
  }
  for (const one of declared) fill(one);
  return { package: files.at(-1)?.package ?? '', messages: last };
}

function declare(
  parsed: ParsedMessage,
  prefix: string,
  file: ParsedFile,
  outer: NameScope,
  declared: Declared[],
): MessageType {
  const type: OpenMessage = {
    kind: 'message',
    name: parsed.name,
    fullName: joined(prefix, parsed.name),
    fields: [],
    fieldsByName: new Map(),
    oneofs: [],
    messages: [],
    mapEntry: optionText(parsed.options, 'map_entry')?.text === 'true',
    meta: metaOf(parsed.options, 'message_meta'),
  };
  const scope = outer.declare(parsed.name, type);
  declared.push({ file, parsed, type, scope });
  for (const one of parsed.enums) scope.declare(one.name, enumType(one, type.fullName, file));
  for (const message of parsed.messages) {
    const nested = declare(message, type.fullName, file, scope, declared);
    // Entries of map fields have no place in message indexes.
    if (!message.name.includes(' ')) type.messages.push(nested);
  }
  return type;
}

function enumType(parsed: ParsedEnum, scope: string, file: ParsedFile): EnumType {
  const values = new Map<string, number>();
  const names = new Map<number, string>();
  const fullName = joined(scope, parsed.name);
  for (const [name, number] of parsed.values) {
    if (values.has(name)) throw schemaError(`The enum ${fullName} has the value ${name} twice.`);
    values.set(name, number);
    if (!names.has(number)) names.set(number, name);
  }
  if (values.size === 0) throw schemaError(`The enum ${fullName} has no values.`);
  const closed =
    file.syntax === 'proto2' ||
    (feature(parsed.options, 'enum_type') ?? feature(file.options, 'enum_type')) === 'CLOSED';
  return { kind: 'enum', name: parsed.name, fullName, values, names, closed };
}

function fill({ file, parsed, type, scope }: Declared): void {
  for (const [index, name] of parsed.oneofs.entries()) type.oneofs.push({ name, index, fields: [] });
  const oneofs = new Map(type.oneofs.map((oneof) => [oneof.name, oneof]));
  const numbers = new Set<number>();
  for (const parsedField of parsed.fields) {
    const field = resolveField(parsedField, parsed, type.fullName, file, scope, oneofs);
    if (type.fieldsByName.has(field.name)) throw schemaError(`${type.fullName} has the field ${field.name} twice.`);
    if (numbers.has(field.number)) throw schemaError(`${type.fullName} has the field number ${field.number} twice.`);
    numbers.add(field.number);
    type.fields.push(field);
    (field.oneof as OpenOneof | null)?.fields.push(field);
    type.fieldsByName.set(field.name, field);
  }
  if (type.mapEntry) checkEntry(type);
}

function resolveField(
  parsed: ParsedField,
  message: ParsedMessage,
  parent: string,
  file: ParsedFile,
  scope: NameScope,
  oneofs: ReadonlyMap<string, Oneof>,
): ProtoField {
  const { name, options } = parsed;
  const type = isScalar(parsed.type) ? parsed.type : scope.find(parsed.type);
  if (type === null)
    throw schemaError(`The field ${name} of ${parent} has the unknown type ${parsed.type.slice(0, 100)}.`);
  const repeated = parsed.label === 'repeated';
  const inherited = (of: string): string | null =>
    feature(options, of) ?? feature(message.options, of) ?? feature(file.options, of);
  const isMessage = typeof type !== 'string' && type.kind === 'message';
  return {
    name,
    number: parsed.number,
    type,
    repeated,
    packed: repeated && !isMessage && !NEVER_PACKED.has(type) && isPacked(file, options, inherited),
    group: parsed.group || (isMessage && !type.mapEntry && inherited('message_encoding') === 'DELIMITED'),
    presence: presenceOf(parsed, file, isMessage, inherited),
    optional: parsed.label === 'optional',
    proto2: file.syntax === 'proto2',
    oneof: parsed.oneof === null ? null : (oneofs.get(parsed.oneof) ?? null),
    defaultText: isMessage ? null : optionText(options, 'default'),
    meta: options.length === 0 ? NO_META : metaOf(options, 'field_meta'),
  };
}

function isPacked(file: ParsedFile, options: Options, inherited: (of: string) => string | null): boolean {
  const packed = optionText(options, 'packed');
  if (packed !== null) return packed.text === 'true';
  return file.syntax === 'editions' ? inherited('repeated_field_encoding') !== 'EXPANDED' : file.syntax === 'proto3';
}

function presenceOf(
  parsed: ParsedField,
  file: ParsedFile,
  isMessage: boolean,
  inherited: (of: string) => string | null,
): Presence {
  if (parsed.label === 'required') return 'required';
  if (parsed.oneof !== null || isMessage || parsed.label === 'optional') return 'explicit';
  if (file.syntax !== 'editions') return file.syntax === 'proto2' ? 'explicit' : 'implicit';
  const presence = inherited('field_presence');
  return presence === 'IMPLICIT' ? 'implicit' : presence === 'LEGACY_REQUIRED' ? 'required' : 'explicit';
}

function checkEntry(type: MessageType): void {
  const key = type.fieldsByName.get('key');
  const value = type.fieldsByName.get('value');
  if (type.fields.length !== 2 || key?.number !== 1 || value?.number !== 2 || key.repeated || value.repeated)
    throw schemaError(`The entries of a map are not a key and a value: ${type.fullName}.`);
  if (!KEY_TYPES.has(key.type))
    throw schemaError(`A map of the schema has keys of a type that they cannot have: ${type.fullName}.`);
}

/** Of an edition. */
function feature(options: Options, name: string): string | null {
  const one = optionText(options, `features.${name}`);
  if (one !== null) return one.text;
  for (const option of options)
    if (option.name === 'features' && option.value.kind === 'members')
      for (const [member, value] of option.value.members)
        if (member === name && value.kind === 'one') return value.text;
  return null;
}

function joined(scope: string, name: string): string {
  return scope === '' ? name : `${scope}.${name}`;
}
