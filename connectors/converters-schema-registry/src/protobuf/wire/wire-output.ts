/** Writes Protobuf's wire format. Source: protobuf.dev, Encoding. */
import type { ByteOutput } from '../../byte-output';
import { dataFault } from '../faults';

/** A method of Buffer that its types do not list. */
interface Utf8 {
  utf8Write(text: string, at: number, length: number): number;
}

/** A method of strings that ES2023 does not have yet. */
interface WellFormed {
  isWellFormed(): boolean;
}

const TWO_32 = 4_294_967_296;

/** An unsigned number of 32 bits. */
export function putUint32(output: ByteOutput, value: number): void {
  output.reserve(5);
  const { bytes } = output;
  let rest = value >>> 0;
  let at = output.length;
  while (rest > 127) {
    bytes[at++] = (rest & 127) | 128;
    rest >>>= 7;
  }
  bytes[at++] = rest;
  output.length = at;
}

/** Negative numbers take ten bytes. */
export function putInt32(output: ByteOutput, value: number): void {
  if (value >= 0) putUint32(output, value);
  else putVarint(output, value, -1);
}

export function putVarint(output: ByteOutput, lowBits: number, highBits: number): void {
  output.reserve(10);
  const { bytes } = output;
  let low = lowBits >>> 0;
  let high = highBits >>> 0;
  let at = output.length;
  while (high !== 0 || low > 127) {
    bytes[at++] = (low & 127) | 128;
    low = ((low >>> 7) | (high << 25)) >>> 0;
    high >>>= 7;
  }
  bytes[at++] = low;
  output.length = at;
}

export function putSint32(output: ByteOutput, value: number): void {
  putUint32(output, (value << 1) ^ (value >> 31));
}

/** Also an unsigned one, of the same bits. */
export function putInt64(output: ByteOutput, value: number | bigint): void {
  putVarint(output, lowOf(value), highOf(value));
}

export function putSint64(output: ByteOutput, value: number | bigint): void {
  const low = lowOf(value);
  const high = highOf(value);
  const sign = high >> 31;
  putVarint(output, (low << 1) ^ sign, ((high << 1) | (low >>> 31)) ^ sign);
}

export function putFixed32(output: ByteOutput, value: number): void {
  output.reserve(4);
  output.view.setInt32(output.length, value, true);
  output.length += 4;
}

export function putFixed64(output: ByteOutput, value: number | bigint): void {
  output.reserve(8);
  output.view.setInt32(output.length, lowOf(value), true);
  output.view.setInt32(output.length + 4, highOf(value), true);
  output.length += 8;
}

export function putFloat(output: ByteOutput, value: number): void {
  output.reserve(4);
  output.view.setFloat32(output.length, value, true);
  output.length += 4;
}

export function putDouble(output: ByteOutput, value: number): void {
  output.reserve(8);
  output.view.setFloat64(output.length, value, true);
  output.length += 8;
}

/** With its length. */
export function putText(output: ByteOutput, text: string): void {
  // No character takes more bytes than three for each of its two-byte units.
  output.reserve(5 + text.length * 3);
  const start = begin(output);
  output.length += (output.bytes as unknown as Utf8).utf8Write(text, output.length, text.length * 3);
  // The replacement character that stands for a lone surrogate would be another text.
  if (!(text as unknown as WellFormed).isWellFormed()) throw dataFault('a text has half of a surrogate pair');
  end(output, start);
}

/** With their length. */
export function putBytes(output: ByteOutput, bytes: Uint8Array): void {
  putUint32(output, bytes.length);
  output.append(bytes);
}

/** Leaves room for the length of what follows. Returns where that starts. */
export function begin(output: ByteOutput): number {
  output.reserve(1);
  return ++output.length;
}

/** @param start what `begin` returned */
export function end(output: ByteOutput, start: number): void {
  const length = output.length - start;
  if (length < 128) {
    output.bytes[start - 1] = length;
    return;
  }
  let more = 1;
  for (let rest = length >>> 14; rest > 0; rest >>>= 7) more++;
  output.reserve(more);
  output.bytes.copyWithin(start + more, start, start + length);
  output.length = start - 1;
  putUint32(output, length);
  output.length += length;
}

function lowOf(value: number | bigint): number {
  return typeof value === 'bigint' ? Number(BigInt.asIntN(32, value)) : value | 0;
}

function highOf(value: number | bigint): number {
  return typeof value === 'bigint' ? Number(BigInt.asIntN(32, value >> 32n)) : Math.floor(value / TWO_32);
}
