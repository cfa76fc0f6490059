/**
 * UTF-8 bytes of JSON text, written straight into one buffer that is reused for every record: no string per value or
 * record.
 */
import { quote } from '../../json/quote';

/** A buffer that a large text has grown beyond this is released when a smaller text has followed. */
const KEEP_BYTES = 1 << 20;
const FIRST_BYTES = 8192;
/** Up to this many bytes or characters, a loop is faster than a call into the runtime. */
const SHORT = 40;
const BILLION = 1_000_000_000;
/** Views that are kept: rows of one table have lengths that are close to each other. A power of two. */
const VIEWS = 256;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const ZERO = 0x30;
const PADDING = 0x3d;
/** First bytes from here on: U+F000 and above, which includes the replacement character U+FFFD, and surrogate pairs. */
const RARE = 0xef;
export const BASE64 = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');

interface NativeWrites {
  utf8Write(text: string, at: number, length: number): number;
  latin1Write(text: string, at: number, length: number): number;
}

export class OutputBuffer {
  /** Empty at first: a worker has thousands of converters that never convert a record. */
  private bytes = Buffer.alloc(0);
  /** Of all its bytes, for writes of several at once. */
  view = viewOf(this.bytes);
  private at = 0;
  /** The head that the buffer starts with; consecutive records of one schema reuse it. */
  private head: Uint8Array | null = null;
  /** Of `bytes`, by the low bits of their length: a view costs more than to write a short text. */
  private views: Buffer[] = [];

  /** Starts a text with `head`. */
  start(head: Uint8Array): void {
    if (this.bytes.length > KEEP_BYTES && this.at <= KEEP_BYTES) this.replace(FIRST_BYTES, 0);
    if (this.head !== head) {
      this.at = 0;
      this.raw(head);
      this.head = head;
    }
    this.at = head.length;
  }

  /** A view that is valid until the next `start`. */
  finish(): Buffer {
    const { at, views } = this;
    const known = views[at & (VIEWS - 1)];
    return known?.length === at ? known : this.newView();
  }

  private newView(): Buffer {
    const view = this.bytes.subarray(0, this.at);
    if (this.views.length === 0) this.views = new Array<Buffer>(VIEWS);
    this.views[this.at & (VIEWS - 1)] = view;
    return view;
  }

  /** The buffer, with room for so many bytes after those so far. Write there, then call `moveTo`. */
  reserve(count: number): Buffer {
    if (this.at + count > this.bytes.length) this.grow(this.at + count);
    return this.bytes;
  }

  /** Says where the bytes end that were written to the reserved room. */
  moveTo(end: number): void {
    this.at = end;
  }

  /** Bytes so far. */
  get length(): number {
    return this.at;
  }

  /** A copy of what was added since there were `start` bytes. */
  since(start: number): Uint8Array {
    return Uint8Array.prototype.slice.call(this.bytes, start, this.at);
  }

  /** Bytes as they are. */
  raw(source: Uint8Array): void {
    const length = source.length;
    const end = this.at + length;
    if (end > this.bytes.length) this.grow(end);
    const bytes = this.bytes;
    if (length > SHORT) bytes.set(source, this.at);
    else for (let i = 0, at = this.at; i < length; i++) bytes[at++] = source[i] as number;
    this.at = end;
  }

  byte(code: number): void {
    if (this.at === this.bytes.length) this.grow(this.at + 1);
    this.bytes[this.at++] = code;
  }

  /** Text that is ASCII by its grammar, such as a number. */
  ascii(text: string): void {
    const length = text.length;
    if (this.at + length > this.bytes.length) this.grow(this.at + length);
    const { bytes } = this;
    if (length > SHORT) (bytes as unknown as NativeWrites).latin1Write(text, this.at, length);
    else for (let i = 0; i < length; i++) bytes[this.at + i] = text.charCodeAt(i);
    this.at += length;
  }

  /** Text that is JSON already. */
  json(text: string): void {
    // A UTF-16 unit takes at most three bytes in UTF-8.
    const room = text.length * 3;
    if (this.at + room > this.bytes.length) this.grow(this.at + room);
    this.at += (this.bytes as unknown as NativeWrites).utf8Write(text, this.at, room);
  }

  /** A string in quotes, as Jackson writes it to UTF-8. Source: connect-runtime §1.3. */
  string(text: string): void {
    const { length } = text;
    const room = this.at + 2 + length * 3;
    if (room > this.bytes.length) this.grow(room);
    const end = length > SHORT ? this.longString(text) : this.shortString(text);
    if (end < 0) this.json(quote(text));
    else this.at = end;
  }

  /** @returns the position after it; -1 when it needs other escapes than single backslashes. */
  private shortString(text: string): number {
    const { bytes } = this;
    let { at } = this;
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

  /** Writes first and checks afterwards. @returns as `shortString`. */
  private longString(text: string): number {
    const { bytes, at } = this;
    bytes[at] = QUOTE;
    const end = at + 1 + (bytes as unknown as NativeWrites).utf8Write(text, at + 1, text.length * 3);
    for (let i = at + 1; i < end; i++) {
      const c = bytes[i] as number;
      if (c < 0x20 || c === QUOTE || c === BACKSLASH || c >= RARE) return -1;
    }
    bytes[end] = QUOTE;
    return end + 1;
  }

  /** A number without a fraction. */
  integer(value: number): void {
    if (!Number.isSafeInteger(value)) {
      this.ascii(BigInt(value).toString());
      return;
    }
    if (this.at + 17 > this.bytes.length) this.grow(this.at + 17);
    this.at = writeInteger(this.bytes, this.at, value);
  }

  /** Bytes as base64 in quotes. */
  base64(source: Uint8Array): void {
    const { length } = source;
    if (length > SHORT) {
      this.byte(QUOTE);
      this.ascii(Buffer.from(source.buffer, source.byteOffset, length).toString('base64'));
      this.byte(QUOTE);
      return;
    }
    if (this.at + 2 * length + 6 > this.bytes.length) this.grow(this.at + 2 * length + 6);
    const { bytes } = this;
    let { at } = this;
    bytes[at++] = QUOTE;
    for (let i = 0; i < length; i += 3) {
      const left = length - i;
      const bits =
        ((source[i] as number) << 16) |
        (left > 1 ? (source[i + 1] as number) << 8 : 0) |
        (left > 2 ? (source[i + 2] as number) : 0);
      bytes[at++] = BASE64[bits >> 18] as number;
      bytes[at++] = BASE64[(bits >> 12) & 63] as number;
      bytes[at++] = left > 1 ? (BASE64[(bits >> 6) & 63] as number) : PADDING;
      bytes[at++] = left > 2 ? (BASE64[bits & 63] as number) : PADDING;
    }
    bytes[at++] = QUOTE;
    this.at = at;
  }

  private grow(needed: number): void {
    let size = this.bytes.length || FIRST_BYTES;
    while (size < needed) size *= 2;
    this.replace(size, this.at);
  }

  private replace(size: number, keep: number): void {
    const next = Buffer.allocUnsafeSlow(size);
    next.set(this.bytes.subarray(0, keep));
    this.bytes = next;
    this.view = viewOf(next);
    this.views = [];
    if (keep === 0) this.head = null;
  }
}

/**
 * Decimal digits, of at most 17 bytes.
 * @param value a safe integer
 * @returns where they end; -1 if it is none
 */
export function writeInteger(bytes: Buffer, from: number, value: number): number {
  let at = from;
  let rest = value;
  if (rest < 0) {
    bytes[at++] = MINUS;
    rest = -rest;
  }
  if (rest < BILLION && Number.isInteger(rest)) return writeDigits(bytes, at, rest, digitsOf(rest));
  if (!Number.isSafeInteger(rest)) return -1;
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

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

function digitsOf(value: number): number {
  if (value < 10) return 1;
  let count = 2;
  for (let limit = 100; value >= limit; limit *= 10) count++;
  return count;
}
