/** UTF-8 bytes of JSON, at the end of a buffer that is used again for every record. */
import type { ByteOutput } from '../byte-output';
import { quote } from './quote';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const ZERO = 0x30;
/** Up to this many characters, a loop is faster than a call into the runtime. */
const SHORT = 40;
const BILLION = 1_000_000_000;
/** First bytes of U+E000 and above: what is U+FFFD may have been half of a pair. */
const RARE = 0xee;

interface NativeWrites {
  utf8Write(text: string, at: number, length: number): number;
  latin1Write(text: string, at: number, length: number): number;
}

export class JsonOutput {
  /** @param target where the value that is being written goes */
  constructor(public target: ByteOutput) {}

  /** Bytes as they are. */
  raw(source: Uint8Array): void {
    const { target } = this;
    const { length } = source;
    target.reserve(length);
    const { bytes } = target;
    let at = target.length;
    if (length > SHORT) bytes.set(source, at);
    else for (let i = 0; i < length; i++) bytes[at++] = source[i] as number;
    target.length += length;
  }

  byte(code: number): void {
    const { target } = this;
    target.reserve(1);
    target.bytes[target.length++] = code;
  }

  /** Text that is ASCII by its grammar, such as a number. */
  ascii(text: string): void {
    const { target } = this;
    const { length } = text;
    target.reserve(length);
    const { bytes } = target;
    const at = target.length;
    if (length > SHORT) (bytes as unknown as NativeWrites).latin1Write(text, at, length);
    else for (let i = 0; i < length; i++) bytes[at + i] = text.charCodeAt(i);
    target.length = at + length;
  }

  /** Text that is JSON already. */
  json(text: string): void {
    const { target } = this;
    // A UTF-16 unit takes at most three bytes in UTF-8.
    target.reserve(text.length * 3);
    target.length += (target.bytes as unknown as NativeWrites).utf8Write(text, target.length, text.length * 3);
  }

  /** A text in quotes. */
  string(text: string): void {
    const { target } = this;
    target.reserve(2 + text.length * 3);
    const { bytes } = target;
    const end = text.length > SHORT ? longString(bytes, target.length, text) : shortString(bytes, target.length, text);
    if (end < 0) this.json(quote(text));
    else target.length = end;
  }

  /** A number without a fraction. */
  integer(value: number): void {
    if (!Number.isSafeInteger(value)) {
      this.ascii(BigInt(value).toString());
      return;
    }
    const { target } = this;
    target.reserve(17);
    target.length = writeInteger(target.bytes, target.length, value);
  }

  /** Bytes as base64 in quotes. */
  base64(source: Uint8Array): void {
    this.byte(QUOTE);
    this.ascii(Buffer.from(source.buffer, source.byteOffset, source.length).toString('base64'));
    this.byte(QUOTE);
  }
}

/** @returns where it ends; -1 when it needs other escapes than single backslashes */
function shortString(bytes: Buffer, from: number, text: string): number {
  let at = from;
  bytes[at++] = QUOTE;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c < 0x20 || c > 0x7f) return -1;
    if (c === QUOTE || c === BACKSLASH) bytes[at++] = BACKSLASH;
    bytes[at++] = c;
  }
  bytes[at++] = QUOTE;
  return at;
}

/** Writes first and checks afterwards. @returns as `shortString` */
function longString(bytes: Buffer, from: number, text: string): number {
  bytes[from] = QUOTE;
  const end = from + 1 + (bytes as unknown as NativeWrites).utf8Write(text, from + 1, text.length * 3);
  for (let i = from + 1; i < end; i++) {
    const c = bytes[i] as number;
    if (c < 0x20 || c === QUOTE || c === BACKSLASH || c >= RARE) return -1;
  }
  bytes[end] = QUOTE;
  return end + 1;
}

function writeInteger(bytes: Buffer, from: number, value: number): number {
  let at = from;
  let rest = value;
  if (rest < 0) {
    bytes[at++] = MINUS;
    rest = -rest;
  }
  if (rest < BILLION) return writeDigits(bytes, at, rest, digitsOf(rest));
  const high = Math.floor(rest / BILLION);
  at = writeDigits(bytes, at, high, digitsOf(high));
  return writeDigits(bytes, at, rest - high * BILLION, 9);
}

/** @param value below a billion */
function writeDigits(bytes: Buffer, from: number, value: number, count: number): number {
  const end = from + count;
  let rest = value | 0;
  for (let i = end - 1; i >= from; i--) {
    const tenth = (rest / 10) | 0;
    bytes[i] = ZERO + rest - tenth * 10;
    rest = tenth;
  }
  return end;
}

function digitsOf(value: number): number {
  let count = 1;
  for (let limit = 10; value >= limit; limit *= 10) count++;
  return count;
}
