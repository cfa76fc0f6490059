/** A Decimal's unscaled value as base64, without a buffer of its own. Source: connect-runtime §6.1. */
import { BASE64 } from './output-buffer';

const QUOTE = 0x22;
const PADDING = 0x3d;

/**
 * The bytes of the SDK's `unscaledBytes` as base64 in quotes, at most 14 bytes.
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
