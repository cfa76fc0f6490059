/** A Decimal's unscaled value as bytes. Source: connect-runtime §6.1. */

/** Big-endian two's complement of minimal length, as `BigInteger.toByteArray`. */
export function unscaledToBytes(value: bigint): Buffer {
  if (value >= -0x8000_0000_0000n && value <= 0x7fff_ffff_ffffn) {
    const number = Number(value);
    let length = 1;
    for (let limit = 128; number >= limit || number < -limit; limit *= 256) length++;
    const bytes = Buffer.allocUnsafe(length);
    bytes.writeIntBE(number, 0, length);
    return bytes;
  }
  const hex = (value < 0n ? ~value : value).toString(16);
  // One more bit than the magnitude, for the sign.
  const bits = hex.length * 4 - Math.clz32(parseInt(hex.charAt(0), 16)) + 28;
  const length = Math.floor(bits / 8) + 1;
  return Buffer.from(
    BigInt.asUintN(length * 8, value)
      .toString(16)
      .padStart(length * 2, '0'),
    'hex',
  );
}

export function bytesToUnscaled(bytes: Uint8Array): bigint {
  if (bytes.length === 0) return 0n;
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
  return BigInt.asIntN(bytes.length * 8, BigInt('0x' + hex));
}
