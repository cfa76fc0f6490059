/** A Decimal's unscaled value as bytes: big-endian two's complement of minimal length, as `BigInteger.toByteArray`. */

/** The integers of at most 6 bytes, which doubles represent exactly. */
const LEAST_SMALL = -0x8000_0000_0000n;
const MOST_SMALL = 0x7fff_ffff_ffffn;

/** Whether the value has at most 6 bytes, and so is exact as a number. */
export function isSmallUnscaled(value: bigint): boolean {
  return value >= LEAST_SMALL && value <= MOST_SMALL;
}

/** @param value of at most 6 bytes */
export function smallUnscaledLength(value: number): number {
  let length = 1;
  for (let limit = 128; value >= limit || value < -limit; limit *= 256) length++;
  return length;
}

export function unscaledBytes(value: bigint): Buffer {
  if (isSmallUnscaled(value)) {
    const number = Number(value);
    const length = smallUnscaledLength(number);
    const bytes = Buffer.allocUnsafe(length);
    bytes.writeIntBE(number, 0, length);
    return bytes;
  }
  const hex = (value < 0n ? ~value : value).toString(16);
  // One more bit than the magnitude, for the sign.
  const bits = hex.length * 4 - Math.clz32(parseInt(hex.charAt(0), 16)) + 28;
  const length = Math.floor(bits / 8) + 1;
  const digits = BigInt.asUintN(length * 8, value).toString(16);
  return Buffer.from(digits.padStart(length * 2, '0'), 'hex');
}

/** The value of the bytes from `start` up to `end`. None are 0. */
export function unscaledOf(bytes: Buffer, start: number, end: number): bigint {
  const length = end - start;
  if (length === 0) return 0n;
  if (length <= 6) return BigInt(bytes.readIntBE(start, length));
  return BigInt.asIntN(length * 8, BigInt(`0x${bytes.toString('hex', start, end)}`));
}
