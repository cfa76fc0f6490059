/**
 * Compiles the declarations in apis/ into decoders and encoders of requests and responses, one per API version, on
 * first use.
 */
import type { Api, Field, FieldOptions, Primitive } from './layout';
import type { Reader } from './reader';
import { MalformedMessage } from './reader';
import { Writer } from './writer';

type Value = unknown;
type Message = Record<string, Value>;
type Read = (from: Reader) => Value;
type Write = (to: Writer, value: Value) => void;

/** One field in one version. */
interface Column {
  readonly name: string;
  /** Null: the field is not part of this version. */
  readonly read: Read | null;
  readonly write: Write | null;
  readonly missing: () => Value;
  readonly tag?: number;
}

const FIXED_SIZES: Partial<Record<Primitive, { read: Read; write: Write }>> = {
  bool: { read: (from) => from.bool(), write: (to, value) => to.bool(value as boolean) },
  int8: { read: (from) => from.int8(), write: (to, value) => to.int8(value as number) },
  int16: { read: (from) => from.int16(), write: (to, value) => to.int16(value as number) },
  int32: { read: (from) => from.int32(), write: (to, value) => to.int32(value as number) },
  int64: { read: (from) => from.int64(), write: (to, value) => to.int64(value as number) },
  uuid: { read: (from) => from.uuid(), write: (to, value) => to.uuid(value as string) },
};
const NO_BYTES = Buffer.alloc(0);

/** Whether a field with this version range is part of the version. */
export function includesVersion(versions: string, version: number): boolean {
  const [from, to] = versions.endsWith('+') ? [versions.slice(0, -1), Infinity] : versions.split('-');
  return version >= Number(from) && version <= Number(to ?? from);
}

function defaultOf(type: Field[1], options: FieldOptions): () => Value {
  if (options.default !== undefined) return () => options.default;
  if (options.nullable) return () => null;
  if (typeof type !== 'string' || type.startsWith('[]')) return () => [];
  if (type.endsWith('?') || type === 'records') return () => null;
  if (type === 'bool') return () => false;
  if (type === 'string' || type === 'uuid') return () => '';
  if (type === 'bytes') return () => NO_BYTES;
  return () => 0;
}

function primitive(type: Primitive, flexible: boolean): { read: Read; write: Write } {
  const fixed = FIXED_SIZES[type];
  if (fixed) return fixed;
  const nullable = type.endsWith('?') || type === 'records';
  const isText = type.startsWith('string');
  return {
    read: (from) => {
      const value = isText ? from.string(flexible) : from.byteString(flexible);
      if (value !== null || nullable) return value;
      if (!from.nullAsEmpty) throw new MalformedMessage('has null for a non-nullable value');
      return isText ? '' : NO_BYTES;
    },
    write: (to, value) => {
      if (value === null && !nullable) throw new TypeError('null for a non-nullable value');
      if (isText) to.string(value as string | null, flexible);
      else to.byteString(value as Buffer | null, flexible);
    },
  };
}

function array(
  element: { read: Read; write: Write },
  nullable: boolean,
  flexible: boolean,
): { read: Read; write: Write } {
  return {
    read: (from) => {
      const count = from.count(flexible);
      if (count < 0) {
        if (nullable) return null;
        if (!from.nullAsEmpty) throw new MalformedMessage('has null for a non-nullable array');
        return [];
      }
      const values: Value[] = [];
      for (let i = 0; i < count; i++) values.push(element.read(from));
      return values;
    },
    write: (to, value) => {
      const values = value as Value[] | null;
      if (values === null && !nullable) throw new TypeError('null for a non-nullable array');
      to.length(values === null ? -1 : values.length, flexible, true);
      for (const each of values ?? []) element.write(to, each);
    },
  };
}

function column([name, type, versions = '0+', options = {}]: Field, version: number, flexible: boolean): Column {
  const missing = defaultOf(type, options);
  if (!includesVersion(versions, version)) return { name, read: null, write: null, missing };
  const head = { name, missing, tag: options.tag };
  if (typeof type !== 'string') {
    return { ...head, ...array(struct(type, version, flexible), options.nullable ?? false, flexible) };
  }
  if (!type.startsWith('[]')) return { ...head, ...primitive(type as Primitive, flexible) };
  const element = primitive(type.slice(2) as Primitive, flexible);
  return { ...head, ...array(element, options.nullable ?? false, flexible) };
}

function struct(fields: readonly Field[], version: number, flexible: boolean): { read: Read; write: Write } {
  const all = fields.map((field) => column(field, version, flexible));
  const columns = all.filter(({ tag }) => tag === undefined);
  const tagged = all.filter(({ tag }) => tag !== undefined);
  const written = columns.flatMap(({ name, write, missing }) => (write ? [{ name, write, missing }] : []));
  return {
    read: (from) => {
      const message: Message = {};
      for (const { name, read, missing } of columns) message[name] = read ? read(from) : missing();
      if (tagged.length > 0) readTagged(tagged, from, message);
      else if (flexible) from.skipTaggedFields();
      return message;
    },
    write: (to, value) => {
      let at = 0;
      try {
        for (; at < written.length; at++) {
          const { name, write, missing } = written[at]!;
          const given = (value as Message)[name];
          write(to, given === undefined ? missing() : given);
        }
      } catch (cause) {
        throw new TypeError(`${written[at]?.name}: ${(cause as Error).message}`, { cause });
      }
      if (tagged.length > 0) writeTagged(tagged, to, value as Message);
      else if (flexible) to.noTaggedFields();
    },
  };
}

function readTagged(tagged: readonly Column[], from: Reader, message: Message): void {
  for (const { name, missing } of tagged) message[name] = missing();
  from.taggedFields((tag) => {
    const known = tagged.find((field) => field.tag === tag);
    if (!known?.read) return false;
    message[known.name] = known.read(from);
    return true;
  });
}

function writeTagged(tagged: readonly Column[], to: Writer, message: Message): void {
  const given = tagged.filter(({ name, missing }) => {
    const value = message[name];
    return value !== undefined && value !== missing() && !(Array.isArray(value) && value.length === 0);
  });
  to.unsignedVarint(given.length);
  for (const { name, tag, write } of given) {
    const field = new Writer();
    write?.(field, message[name]);
    to.unsignedVarint(tag ?? 0);
    to.unsignedVarint(field.byteLength);
    to.bytes(field.toBuffer());
  }
}

const compiled = new Map<readonly Field[], (ReturnType<typeof struct> | undefined)[]>();

function layoutOf(api: Api, fields: readonly Field[], version: number): ReturnType<typeof struct> {
  let versions = compiled.get(fields);
  if (!versions) compiled.set(fields, (versions = []));
  return (versions[version] ??= struct(fields, version, isFlexible(api, version)));
}

/** Flexible versions have compact lengths and tagged fields, in bodies and headers. */
export function isFlexible(api: Api, version: number): boolean {
  return api.flexible !== null && version >= api.flexible;
}

/** Responses of ApiVersions always have the old header, because the client does not know the supported versions yet. */
export function hasFlexibleResponseHeader(api: Api, version: number): boolean {
  return isFlexible(api, version) && api.key !== 18;
}

/**
 * Bytes after the message are ignored, as in Apache Kafka: librdkafka sends some.
 * @throws MalformedMessage if the bytes are not such a message
 */
export function decode(api: Api, direction: 'request' | 'response', version: number, from: Reader): Message {
  return layoutOf(api, api[direction], version).read(from) as Message;
}

/** @throws TypeError that names the field with the invalid value. */
export function encode(
  api: Api,
  direction: 'request' | 'response',
  version: number,
  message: object,
  to: Writer,
): void {
  layoutOf(api, api[direction], version).write(to, message);
}
