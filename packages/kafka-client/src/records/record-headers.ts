/** Encodes the headers of a record in a batch: keys and values with their lengths. Source: kafka-client §1. */
import type { RecordHeader } from '../port';
import { varintBytes, writeVarint } from './varint';

/** For fewer bytes a loop is faster than a call into the runtime. */
const SHORT_COPY_BYTES = 24;

/** Encoded frozen lists: records that share a list copy its bytes instead of encoding it again. */
const known = new WeakMap<readonly RecordHeader[], Buffer>();
/** The most recently used list, which is usually the next one as well. */
let last: readonly RecordHeader[] | null = null;
let lastBytes: Buffer = Buffer.alloc(0);

/** The bytes that `writeHeaders` writes. */
export function headersBytes(headers: readonly RecordHeader[]): number {
  if (isKnown(headers)) return lastBytes.length;
  let size = 0;
  for (const { key, value } of headers) {
    const keyLength = Buffer.byteLength(key);
    const valueLength = value === null ? -1 : value.length;
    size += varintBytes(keyLength) + keyLength + varintBytes(valueLength) + Math.max(valueLength, 0);
  }
  return size;
}

/** @returns the position after the headers. */
export function writeHeaders(buffer: Buffer, headers: readonly RecordHeader[], start: number): number {
  if (isKnown(headers)) {
    buffer.set(lastBytes, start);
    return start + lastBytes.length;
  }
  let at = start;
  for (const { key, value } of headers) {
    at = writeVarint(buffer, Buffer.byteLength(key), at);
    at += buffer.write(key, at, 'utf8');
    at = writeBytes(buffer, value, value === null ? -1 : value.length, at);
  }
  return at;
}

/** Writes a length, -1 for null, and the bytes. @returns the position after them. */
export function writeBytes(buffer: Buffer, bytes: Uint8Array | null, length: number, start: number): number {
  let at = writeVarint(buffer, length, start);
  if (length <= 0) return at;
  if (length <= SHORT_COPY_BYTES) {
    for (let i = 0; i < length; i++) buffer[at++] = bytes![i]!;
    return at;
  }
  buffer.set(bytes!, at);
  return at + length;
}

/** True when `lastBytes` is the encoding of `headers`. */
function isKnown(headers: readonly RecordHeader[]): boolean {
  if (headers === last) return true;
  if (!Object.isFrozen(headers)) return false;
  let bytes = known.get(headers);
  if (bytes === undefined) {
    const copy = [...headers];
    bytes = Buffer.alloc(headersBytes(copy));
    writeHeaders(bytes, copy, 0);
    known.set(headers, bytes);
  }
  last = headers;
  lastBytes = bytes;
  return true;
}
