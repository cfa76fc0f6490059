/** Values in the bytes of PROTOCOL.md. */
import { setMember, unscaledBytes, unscaledOf } from '@millrace/sdk';
import type { ByteReader } from './byte-reader';
import type { ByteWriter } from './byte-writer';
import type { HostDecimal, HostMap, HostValue } from './host-value';
import { ProtocolError } from './protocol-error';

const NULL = 0;
const TRUE = 1;
const FALSE = 2;
const INTEGER = 3;
const DOUBLE = 4;
const STRING = 5;
const BYTES = 6;
const LIST = 7;
const MAP = 8;
const OTHER_MAP = 9;
const DECIMAL = 10;
const DATE = 11;

export const MAX_NESTING = 100;
/** Bytes. */
const MAX_UNSCALED = 1024 * 1024;
/** What a `Date` can hold; later times of Java become numbers. */
const MAX_DATE = 8.64e15;

/** Throws ProtocolError for a value that nests too deep or has no type of the protocol. */
export function writeValue(writer: ByteWriter, value: HostValue, depth = 0): void {
  switch (typeof value) {
    case 'string':
      writer.u8(STRING);
      return writer.string(value);
    case 'number':
      return writeNumber(writer, value);
    case 'boolean':
      return writer.u8(value ? TRUE : FALSE);
    case 'bigint':
      if (BigInt.asIntN(64, value) !== value) throw new ProtocolError('an integer has more than 64 bits');
      writer.u8(INTEGER);
      return writer.bigInt64(value);
    case 'object':
      return value === null ? writer.u8(NULL) : writeObject(writer, value, depth);
    default:
      throw new ProtocolError(`a ${typeof value} is no value`);
  }
}

function writeNumber(writer: ByteWriter, value: number): void {
  if (Number.isSafeInteger(value) && !Object.is(value, -0)) {
    writer.u8(INTEGER);
    writer.i64(value);
  } else {
    writer.u8(DOUBLE);
    writer.f64(value);
  }
}

function writeObject(writer: ByteWriter, value: HostValue & object, depth: number): void {
  if (value instanceof Uint8Array) {
    writer.u8(BYTES);
    writer.bytes(value);
  } else if (value instanceof Date) {
    writer.u8(DATE);
    writer.i64(value.getTime());
  } else if (isDecimal(value)) {
    writer.u8(DECIMAL);
    writer.i32(value.scale);
    writer.bytes(unscaledBytes(value.unscaled));
  } else {
    if (depth >= MAX_NESTING) throw new ProtocolError(`values nest more than ${MAX_NESTING} deep`);
    writeCollection(writer, value, depth + 1);
  }
}

function writeCollection(writer: ByteWriter, value: HostValue & object, depth: number): void {
  if (Array.isArray(value)) {
    writer.u8(LIST);
    writer.i32(value.length);
    for (const element of value as readonly HostValue[]) writeValue(writer, element, depth);
  } else if (value instanceof Map) {
    writer.u8(OTHER_MAP);
    writer.i32(value.size);
    for (const [key, element] of value as ReadonlyMap<HostValue, HostValue>) {
      writeValue(writer, key, depth);
      writeValue(writer, element, depth);
    }
  } else {
    writeMap(writer, value as HostMap, depth);
  }
}

function writeMap(writer: ByteWriter, map: HostMap, depth: number): void {
  writer.u8(MAP);
  const count = writer.placeholder();
  let entries = 0;
  for (const key of Object.keys(map)) {
    const value = map[key] as HostValue | undefined;
    if (value === undefined) continue;
    writer.string(key);
    writeValue(writer, value, depth);
    entries++;
  }
  writer.patch(count, entries);
}

function isDecimal(value: object): value is HostDecimal {
  const { unscaled, scale } = value as HostDecimal;
  return typeof unscaled === 'bigint' && typeof scale === 'number';
}

/** Bytes share the memory of the reader's buffer. Throws ProtocolError. */
export function readValue(reader: ByteReader, depth = 0): HostValue {
  const tag = reader.u8();
  switch (tag) {
    case NULL:
      return null;
    case TRUE:
      return true;
    case FALSE:
      return false;
    case INTEGER:
      return reader.i64();
    case DOUBLE:
      return reader.f64();
    case STRING:
      return reader.string();
    case BYTES:
      return reader.bytes();
    case DECIMAL:
      return readDecimal(reader);
    case DATE:
      return readDate(reader);
    case LIST:
    case MAP:
    case OTHER_MAP:
      if (depth >= MAX_NESTING) throw new ProtocolError(`values nest more than ${MAX_NESTING} deep`);
      return readCollection(reader, tag, depth + 1);
    default:
      throw new ProtocolError(`${tag} is no type of a value`);
  }
}

function readCollection(reader: ByteReader, tag: number, depth: number): HostValue {
  if (tag === LIST) {
    const count = reader.count(1);
    const list: HostValue[] = [];
    for (let i = 0; i < count; i++) list.push(readValue(reader, depth));
    return list;
  }
  if (tag === MAP) return readMap(reader, Object.create(null) as Record<string, HostValue>, depth);
  const map = new Map<HostValue, HostValue>();
  const count = reader.count(2);
  for (let i = 0; i < count; i++) {
    const key = readValue(reader, depth);
    map.set(key, readValue(reader, depth));
  }
  return map;
}

function readMap(reader: ByteReader, map: Record<string, HostValue>, depth: number): HostMap {
  const count = reader.count(5);
  for (let i = 0; i < count; i++) {
    const key = reader.string();
    setMember(map, key, readValue(reader, depth));
  }
  return map;
}

/** A map or null, as a plain object: V8 makes those several times as fast as objects without a prototype. */
export function readPlainMap(reader: ByteReader): HostMap | null {
  const tag = reader.u8();
  if (tag === NULL) return null;
  if (tag !== MAP) throw new ProtocolError(`${tag} is not the type of a map`);
  return readMap(reader, {}, 1);
}

function readDecimal(reader: ByteReader): HostDecimal {
  const scale = reader.i32();
  const bytes = reader.bytes();
  if (bytes.length > MAX_UNSCALED) throw new ProtocolError(`a decimal has ${bytes.length} bytes`);
  return { unscaled: unscaledOf(bytes, 0, bytes.length), scale };
}

function readDate(reader: ByteReader): HostValue {
  const time = reader.i64();
  return typeof time === 'bigint' || Math.abs(time) > MAX_DATE ? time : new Date(time);
}
