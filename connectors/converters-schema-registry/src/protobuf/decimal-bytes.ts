/** A Decimal's unscaled value as bytes: big-endian two's complement, of minimal length. */
export function unscaledToBytes(value: bigint): Buffer {
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
