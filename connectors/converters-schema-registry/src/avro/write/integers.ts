/** Integers as Avro's variable-length zig-zag numbers. */
import type { ByteOutput } from '../../byte-output';

/** Of a 64-bit number. */
export const MOST_BYTES = 10;
const LOW_BITS = 0x1000_0000;
const scratch = new DataView(new ArrayBuffer(8));

/** @param value a safe integer */
export function writeInteger(out: ByteOutput, value: number): void {
  out.reserve(MOST_BYTES);
  out.length = putInteger(out.bytes, out.length, value);
}

/**
 * @param bytes have room for MOST_BYTES more
 * @param value a safe integer
 * @returns where it ends
 */
export function putInteger(bytes: Uint8Array, from: number, value: number): number {
  if (value < -0x4000_0000 || value >= 0x4000_0000) return putLarge(bytes, from, value);
  let at = from;
  let rest = (value << 1) ^ (value >> 31);
  while (rest > 127) {
    bytes[at++] = (rest & 127) | 128;
    rest >>>= 7;
  }
  bytes[at++] = rest;
  return at;
}

/** Twice the value may be no exact number any more: its halves are. */
function putLarge(bytes: Uint8Array, from: number, value: number): number {
  const magnitude = value < 0 ? -value - 1 : value;
  const low = magnitude % (LOW_BITS / 2);
  return put28(bytes, from, low * 2 + (value < 0 ? 1 : 0), (magnitude - low) / (LOW_BITS / 2));
}

/** The lowest 28 bits, and those above, which are not zero. */
function put28(bytes: Uint8Array, from: number, low: number, high: number): number {
  let at = from;
  bytes[at++] = (low & 127) | 128;
  bytes[at++] = ((low >> 7) & 127) | 128;
  bytes[at++] = ((low >> 14) & 127) | 128;
  bytes[at++] = ((low >> 21) & 127) | 128;
  let rest = high;
  while (rest > 127) {
    bytes[at++] = (rest % 128) | 128;
    rest = Math.floor(rest / 128);
  }
  bytes[at++] = rest;
  return at;
}

/** @param value fits into 64 bits */
export function writeBigInteger(out: ByteOutput, value: bigint): void {
  out.reserve(MOST_BYTES);
  out.length = putBigInteger(out.bytes, out.length, value);
}

/** As `putInteger`, of a value that fits into 64 bits. */
export function putBigInteger(bytes: Uint8Array, from: number, value: bigint): number {
  if (value >= -0x4000_0000n && value < 0x4000_0000n) return putInteger(bytes, from, Number(value));
  scratch.setBigInt64(0, value);
  const high = scratch.getInt32(0);
  const low = scratch.getInt32(4);
  const sign = high >> 31;
  const zigzagLow = ((low << 1) ^ sign) >>> 0;
  const zigzagHigh = (((high << 1) | (low >>> 31)) ^ sign) >>> 0;
  return put28(bytes, from, zigzagLow & (LOW_BITS - 1), zigzagHigh * 16 + (zigzagLow >>> 28));
}

export function integerBytes(value: number): Uint8Array {
  const bytes = Buffer.alloc(MOST_BYTES);
  return bytes.subarray(0, putInteger(bytes, 0, value));
}
