/** A decimal's unscaled value as bytes: big-endian two's complement of minimal length. */

/** Digits of a decimal: an exponent, or a scale, beyond it makes a number that takes seconds to compute. */
export const MOST_DIGITS = 10_000;

export function unscaledToBytes(value: bigint): Buffer {
  let length = 1;
  const magnitude = value < 0n ? ~value : value;
  if (magnitude > 0x7fn) length = (magnitude.toString(16).length * 4 + 1 + 7) >> 3;
  // The first hex digit may have had bits to spare.
  while (length > 1 && BigInt.asIntN((length - 1) * 8, value) === value) length--;
  const hex = BigInt.asUintN(length * 8, value).toString(16);
  return Buffer.from(hex.padStart(length * 2, '0'), 'hex');
}

export function bytesToUnscaled(bytes: Buffer): bigint {
  return bytes.length === 0 ? 0n : BigInt.asIntN(bytes.length * 8, BigInt(`0x${bytes.toString('hex')}`));
}
