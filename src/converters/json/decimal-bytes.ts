/** A Decimal's unscaled value as bytes. Source: connect-runtime §6.1. */
import { BASE64 } from './output-buffer';

const QUOTE = 0x22;
const PADDING = 0x3d;

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

/**
 * The bytes of `unscaledToBytes` as base64 in quotes, at most 14 bytes.
 * @returns where they end; -1 if the value is no integer that a double represents exactly
 */
export function writeBase64Integer(bytes: Buffer, from: number, value: number): number {
  if (!Number.isSafeInteger(value)) return -1;
  let length = 1;
  for (let limit = 128; value >= limit || value < -limit; limit *= 256) length++;
  let at = from;
  bytes[at++] = QUOTE;
  for (let i = 0; i < length; i += 3) {
    const left = length - i;
    const bits =
      (byteOf(value, left - 1) << 16) |
      (left > 1 ? byteOf(value, left - 2) << 8 : 0) |
      (left > 2 ? byteOf(value, left - 3) : 0);
    bytes[at++] = BASE64[bits >> 18] as number;
    bytes[at++] = BASE64[(bits >> 12) & 63] as number;
    bytes[at++] = left > 1 ? (BASE64[(bits >> 6) & 63] as number) : PADDING;
    bytes[at++] = left > 2 ? (BASE64[bits & 63] as number) : PADDING;
  }
  bytes[at++] = QUOTE;
  return at;
}

/** Byte `index`, from the lowest on, of the two's complement. */
function byteOf(value: number, index: number): number {
  return index < 4 ? (value >> (index * 8)) & 255 : (Math.floor(value / 0x1_0000_0000) >> ((index - 4) * 8)) & 255;
}
