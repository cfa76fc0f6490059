/**
 * Compiles the declarations in apis/ into decoders and encoders of requests and responses, one per API version, on
 * first use.
 */
import type { Api, Field, FieldOptions, Primitive } from './layout';
import type { Reader } from './reader';
import { MalformedMessage } from './reader';
import type { Writer } from './writer';

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
}

const INTEGERS = ['int8', 'int16', 'int32', 'int64'] as const;
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
  if (type === 'bool') return { read: (from) => from.bool(), write: (to, value) => to.bool(value as boolean) };
  if (type === 'uuid') return { read: (from) => from.uuid(), write: (to, value) => to.uuid(value as string) };
  for (const integer of INTEGERS) {
    if (type === integer)
      return { read: (from) => from[integer](), write: (to, value) => to[integer](value as number) };
  }
  const nullable = type.endsWith('?') || type === 'records';
  const isText = type.startsWith('string');
  return {
    read: (from) => {
      const length = from.length(flexible, !isText);
      if (length >= 0) return isText ? from.text(length) : from.bytes(length);
      if (!nullable) throw new MalformedMessage('has null for a non-nullable value');
      return null;
    },
    write: (to, value) => {
      if (value === null) {
        if (!nullable) throw new TypeError('null for a non-nullable value');
        to.length(-1, flexible, !isText);
      } else if (isText) {
        const bytes = Buffer.byteLength(value as string);
        to.length(bytes, flexible, false);
        to.text(value as string, bytes);
      } else {
        to.length((value as Buffer).length, flexible, true);
        to.bytes(value as Buffer);
      }
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
        if (!nullable) throw new MalformedMessage('has null for a non-nullable array');
        return null;
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
  if (typeof type !== 'string') {
    return { name, missing, ...array(struct(type, version, flexible), options.nullable ?? false, flexible) };
  }
  if (!type.startsWith('[]')) return { name, missing, ...primitive(type as Primitive, flexible) };
  const element = primitive(type.slice(2) as Primitive, flexible);
  return { name, missing, ...array(element, options.nullable ?? false, flexible) };
}

function struct(fields: readonly Field[], version: number, flexible: boolean): { read: Read; write: Write } {
  const columns = fields.map((field) => column(field, version, flexible));
  return {
    read: (from) => {
      const message: Message = {};
      for (const { name, read, missing } of columns) message[name] = read ? read(from) : missing();
      if (flexible) from.skipTaggedFields();
      return message;
    },
    write: (to, value) => {
      for (const { name, write, missing } of columns) {
        if (!write) continue;
        const given = (value as Message)[name];
        try {
          write(to, given === undefined ? missing() : given);
        } catch (cause) {
          throw new TypeError(`${name}: ${(cause as Error).message}`, { cause });
        }
      }
      if (flexible) to.noTaggedFields();
    },
  };
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
 * Bytes after a request are ignored, as in Apache Kafka: librdkafka sends some. After a response they are our error.
 * @throws MalformedMessage if the bytes are not such a message
 */
export function decode(api: Api, direction: 'request' | 'response', version: number, from: Reader): Message {
  const message = layoutOf(api, api[direction], version).read(from) as Message;
  if (direction === 'response' && from.remaining > 0)
    throw new MalformedMessage(`has ${from.remaining} more bytes after its end`);
  return message;
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
