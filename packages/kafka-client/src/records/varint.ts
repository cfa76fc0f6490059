/** Zig-zag varints of the record format, without BigInt: int32 with bit arithmetic, int64 exact within ±2^52. */

/** Bytes of the zig-zag varint of a 32-bit integer. */
export function varintBytes(value: number): number {
  const z = ((value << 1) ^ (value >> 31)) >>> 0;
  if (z < 0x80) return 1;
  if (z < 0x4000) return 2;
  if (z < 0x200000) return 3;
  return z < 0x10000000 ? 4 : 5;
}

/** @returns the position after it. */
export function writeVarint(buffer: Uint8Array, value: number, start: number): number {
  let at = start;
  let z = ((value << 1) ^ (value >> 31)) >>> 0;
  while (z >= 0x80) {
    buffer[at++] = (z & 0x7f) | 0x80;
    z >>>= 7;
  }
  buffer[at++] = z;
  return at;
}

const fitsInt32 = (value: number): boolean => value === (value | 0);

export function varlongBytes(value: number): number {
  if (fitsInt32(value)) return varintBytes(value);
  let size = 1;
  for (let z = zigzag(value); z >= 0x80; z = Math.floor(z / 128)) size++;
  return size;
}

/** @returns the position after it. */
export function writeVarlong(buffer: Uint8Array, value: number, start: number): number {
  if (fitsInt32(value)) return writeVarint(buffer, value, start);
  let at = start;
  let z = zigzag(value);
  while (z >= 0x80) {
    buffer[at++] = (z % 128) | 0x80;
    z = Math.floor(z / 128);
  }
  buffer[at++] = z;
  return at;
}

function zigzag(value: number): number {
  return value >= 0 ? value * 2 : -value * 2 - 1;
}
