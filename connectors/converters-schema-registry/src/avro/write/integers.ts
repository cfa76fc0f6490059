/** Integers as Avro's variable-length zig-zag numbers. */
import type { ByteOutput } from '../../byte-output';

/** Of a 64-bit number. */
const MOST_BYTES = 10;
const LOW_BITS = 0x1000_0000;
const scratch = new DataView(new ArrayBuffer(8));

/** @param value a safe integer */
export function writeInteger(out: ByteOutput, value: number): void {
  out.reserve(MOST_BYTES);
  if (value >= -0x4000_0000 && value < 0x4000_0000) out.length = putSmall(out.bytes, out.length, value);
  else putLarge(out, value);
}

/** @param value from -2^30 to 2^30. Returns where it ends. */
function putSmall(bytes: Buffer, from: number, value: number): number {
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
function putLarge(out: ByteOutput, value: number): void {
  const magnitude = value < 0 ? -value - 1 : value;
  const low = magnitude % (LOW_BITS / 2);
  put28(out, low * 2 + (value < 0 ? 1 : 0), (magnitude - low) / (LOW_BITS / 2));
}

/** The lowest 28 bits, and those above, which are not zero. */
function put28(out: ByteOutput, low: number, high: number): void {
  const { bytes } = out;
  let at = out.length;
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
  out.length = at;
}

/** @param value fits into 64 bits */
export function writeBigInteger(out: ByteOutput, value: bigint): void {
  if (value >= -0x4000_0000n && value < 0x4000_0000n) {
    writeInteger(out, Number(value));
    return;
  }
  out.reserve(MOST_BYTES);
  scratch.setBigInt64(0, value);
  const high = scratch.getInt32(0);
  const low = scratch.getInt32(4);
  const sign = high >> 31;
  const zigzagLow = ((low << 1) ^ sign) >>> 0;
  const zigzagHigh = (((high << 1) | (low >>> 31)) ^ sign) >>> 0;
  put28(out, zigzagLow & (LOW_BITS - 1), zigzagHigh * 16 + (zigzagLow >>> 28));
}

/** Where it is known to be small, such as the index of a union's branch. */
export function integerBytes(value: number): Uint8Array {
  const bytes = Buffer.alloc(MOST_BYTES);
  return bytes.subarray(0, putSmall(bytes, 0, value));
}
