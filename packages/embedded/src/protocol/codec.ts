/**
 * Turns the layouts of protocol/apis into functions: a decoder of requests and an encoder of responses for one version
 * of one API, made when first needed. Also the other direction of both, with which a test plays the client.
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
  /** Null: this version does not carry the field. */
  readonly read: Read | null;
  readonly write: Write | null;
  readonly missing: () => Value;
}

const INTEGERS = ['int8', 'int16', 'int32', 'int64'] as const;
const NO_BYTES = Buffer.alloc(0);

/** Is the field with this range in this version? */
export function carries(versions: string, version: number): boolean {
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
      if (!nullable) throw new MalformedMessage('has null where a value is needed');
      return null;
    },
    write: (to, value) => {
      if (value === null) {
        if (!nullable) throw new TypeError('null where a value is needed');
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
        if (!nullable) throw new MalformedMessage('has null where a list is needed');
        return null;
      }
      const values: Value[] = [];
      for (let i = 0; i < count; i++) values.push(element.read(from));
      return values;
    },
    write: (to, value) => {
      const values = value as Value[] | null;
      if (values === null && !nullable) throw new TypeError('null where a list is needed');
      to.length(values === null ? -1 : values.length, flexible, true);
      for (const each of values ?? []) element.write(to, each);
    },
  };
}

function column([name, type, versions = '0+', options = {}]: Field, version: number, flexible: boolean): Column {
  const missing = defaultOf(type, options);
  if (!carries(versions, version)) return { name, read: null, write: null, missing };
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

/** Compact lengths and tagged fields, in the bodies and in the headers. */
export function isFlexible(api: Api, version: number): boolean {
  return api.flexible !== null && version >= api.flexible;
}

/** ApiVersions is answered with the old header in every version: whoever asks does not know yet what is spoken here. */
export function hasFlexibleResponseHeader(api: Api, version: number): boolean {
  return isFlexible(api, version) && api.key !== 18;
}

/** @throws MalformedMessage when the bytes are not such a request, or go on after it. */
export function decode(api: Api, direction: 'request' | 'response', version: number, from: Reader): Message {
  const message = layoutOf(api, api[direction], version).read(from) as Message;
  if (from.remaining > 0) throw new MalformedMessage(`goes on for ${from.remaining} bytes after its end`);
  return message;
}

/** @throws TypeError naming the field whose value does not fit. */
export function encode(
  api: Api,
  direction: 'request' | 'response',
  version: number,
  message: object,
  to: Writer,
): void {
  layoutOf(api, api[direction], version).write(to, message);
}
