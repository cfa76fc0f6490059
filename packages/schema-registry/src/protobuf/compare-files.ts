/** What changes between two .proto files keep a reader from a writer's data, by the published rules of Protobuf. */
import { MapField, type Field, type OneOf, type Type } from 'protobufjs';
import { MAX_DIFFERENCES } from '../bounds';
import type { Sides } from '../schema-format';
import { type FieldType, type ProtoFile, typeOf } from './parse-proto';

export interface Difference {
  readonly kind: string;
  readonly path: string;
}

/** Kinds whose bytes are read alike. */
const GROUPS: readonly (readonly string[])[] = [
  ['int32', 'uint32', 'int64', 'uint64', 'bool'],
  ['sint32', 'sint64'],
  ['string', 'bytes'],
  ['fixed32', 'sfixed32'],
  ['fixed64', 'sfixed64'],
];
const OF_ENUMS = ['int32', 'uint32', 'int64', 'uint64'];

export function compareFiles(reader: ProtoFile, writer: ProtoFile): readonly Difference[] {
  const found: Difference[] = [];
  for (const [name, written] of writer.messages) {
    if (found.length >= MAX_DIFFERENCES) break;
    const read = reader.messages.get(name);
    const path = `#/${name.replaceAll('.', '/')}`;
    if (read === undefined) found.push({ kind: 'MESSAGE_REMOVED', path });
    else found.push(...messages({ file: reader, type: read }, { file: writer, type: written }, path));
  }
  return found.slice(0, MAX_DIFFERENCES);
}

export function sentence({ kind, path }: Difference, { reader, writer }: Sides): string {
  return `{errorType:"${kind}", description:"The ${reader} schema cannot read at path '${path}' what the ${writer} schema writes"}`;
}

interface Message {
  readonly file: ProtoFile;
  readonly type: Type;
}

function messages(reader: Message, writer: Message, path: string): readonly Difference[] {
  const byNumber = (type: Type) => new Map(type.fieldsArray.map((field) => [field.id, field]));
  const [read, written] = [byNumber(reader.type), byNumber(writer.type)];
  const found: Difference[] = [];
  for (const [number, field] of read) {
    const other = written.get(number);
    const place = `${path}/${number}`;
    if (other === undefined) {
      if (isRequired(field)) found.push({ kind: 'REQUIRED_FIELD_ADDED', path: place });
      continue;
    }
    const kind = fields({ ...reader, field }, { ...writer, field: other });
    if (kind !== null) found.push({ kind, path: place });
  }
  for (const [number, field] of written)
    if (isRequired(field) && !read.has(number))
      found.push({ kind: 'REQUIRED_FIELD_REMOVED', path: `${path}/${number}` });
  found.push(...oneofs(reader.type, writer.type, written, path));
  return found;
}

function isRequired({ rule, options }: Field): boolean {
  const features = options?.features as { readonly field_presence?: unknown } | undefined;
  return rule === 'required' || features?.field_presence === 'LEGACY_REQUIRED';
}

interface FieldIn extends Message {
  readonly field: Field;
}

function fields(reader: FieldIn, writer: FieldIn): string | null {
  const [isMap, wasMap] = [reader.field instanceof MapField, writer.field instanceof MapField];
  if (isMap !== wasMap) return 'FIELD_KIND_CHANGED';
  const [read, written] = [typeOf(reader.field), typeOf(writer.field)];
  if (reader.field instanceof MapField && writer.field instanceof MapField) {
    const [key, other] = [reader.field.keyType, writer.field.keyType];
    if (!isReadAlike(key, other)) return 'FIELD_SCALAR_KIND_CHANGED';
  }
  const change = types(read, written, reader.file, writer.file);
  if (change !== null || isMap) return change;
  if (reader.field.repeated === writer.field.repeated) return null;
  // The last one counts, or fields of messages are merged; packed numbers cannot be read as one.
  const isPacked = read.kind === 'enum' || (read.kind === 'scalar' && !['string', 'bytes'].includes(read.name));
  return isPacked ? 'FIELD_NUMERIC_LABEL_CHANGED' : null;
}

function types(read: FieldType, written: FieldType, reader: ProtoFile, writer: ProtoFile): string | null {
  if (read.kind === 'scalar' && written.kind === 'scalar')
    return isReadAlike(read.name, written.name) ? null : 'FIELD_SCALAR_KIND_CHANGED';
  if (read.kind === 'message' && written.kind === 'message')
    return inPackage(read.name, reader) === inPackage(written.name, writer) ? null : 'FIELD_NAMED_TYPE_CHANGED';
  if (read.kind === 'enum' && written.kind === 'enum') return null;
  const scalar = read.kind === 'scalar' ? read : written;
  const isNumber = [read.kind, written.kind].includes('enum') && OF_ENUMS.includes(scalar.name);
  return isNumber ? null : 'FIELD_KIND_CHANGED';
}

const isReadAlike = (a: string, b: string): boolean =>
  a === b || GROUPS.some((group) => group.includes(a) && group.includes(b));

/** A package may have another name. */
function inPackage(name: string, file: ProtoFile): string {
  const prefix = `.${file.package}.`;
  return file.package !== '' && name.startsWith(prefix) ? `.${name.slice(prefix.length)}` : name;
}

function oneofs(reader: Type, writer: Type, written: ReadonlyMap<number, Field>, path: string): readonly Difference[] {
  const found: Difference[] = [];
  const real = (type: Type): readonly OneOf[] => type.oneofsArray.filter((one) => !one.isProto3Optional);
  const existing = new Map(real(writer).map((one) => [one.name, new Set(one.fieldsArray.map(({ id }) => id))]));
  for (const { name, fieldsArray } of real(reader)) {
    const before = existing.get(name);
    const numbers = new Set(fieldsArray.map(({ id }) => id));
    const moved = [...numbers].filter((number) => written.has(number) && before?.has(number) !== true);
    const place = `${path}/${name}`;
    if (before === undefined) {
      if (moved.length > 1 && !isSameOneof(moved, existing))
        found.push({ kind: 'MULTIPLE_FIELDS_MOVED_TO_ONEOF', path: place });
      continue;
    }
    if (moved.length > 0) found.push({ kind: 'FIELD_MOVED_TO_EXISTING_ONEOF', path: place });
    if ([...before].some((number) => !numbers.has(number))) found.push({ kind: 'ONEOF_FIELD_REMOVED', path: place });
  }
  return found;
}

/** It only has another name. */
const isSameOneof = (numbers: readonly number[], existing: ReadonlyMap<string, ReadonlySet<number>>): boolean =>
  [...existing.values()].some((known) => numbers.every((number) => known.has(number)));
