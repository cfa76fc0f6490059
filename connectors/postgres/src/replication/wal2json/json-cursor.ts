/**
 * Reads JSON in place, token by token, so that a document of a gigabyte needs no memory besides itself. Containers that
 * are skipped are only checked for their end: wal2json writes names of types without escaping them.
 */
import { ConnectError } from '@millrace/sdk';
import { ascii } from '../../values/value-type';

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const OPEN_ARRAY = 0x5b;
export const CLOSE_ARRAY = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
const COLON = 0x3a;
export const BACKSLASH = 0x5c;
const SPACE = 0x20;

/** A search by the runtime, which is many times faster per byte, pays beyond so many bytes. */
export const NEAR = 48;

/** A change nests four levels deep. */
const MAX_DEPTH = 16;

export function malformed(what: string): ConnectError {
  return new ConnectError(
    `A change message of the plugin wal2json is malformed: ${what}. Remove options of slot.stream.params that change its form, or use plugin.name=pgoutput.`,
    { code: 'PG_PROTOCOL' },
  );
}

export class JsonCursor {
  buffer: Buffer = Buffer.alloc(0);
  at = 0;
  end = 0;
  /** Bounds of the last string, without its quotes, or of the last value, with them. */
  start = 0;
  stop = 0;
  /** The last string has escapes. */
  hasEscapes = false;

  open(buffer: Buffer, at: number, end: number): void {
    this.buffer = buffer;
    this.at = at;
    this.end = end;
  }

  /** The next byte that is not white space; -1 at the end. */
  peek(): number {
    const { buffer, end } = this;
    let { at } = this;
    while (at < end && (buffer[at] as number) <= SPACE) at++;
    this.at = at;
    return at < end ? (buffer[at] as number) : -1;
  }

  expect(byte: number): void {
    if (this.peek() !== byte) throw malformed(`"${String.fromCharCode(byte)}" is expected at byte ${this.at}`);
    this.at++;
  }

  string(): void {
    this.expect(QUOTE);
    const { buffer, end } = this;
    let { at } = this;
    this.start = at;
    this.hasEscapes = false;
    let quote = -1;
    while (at < end) {
      for (const near = Math.min(end, at + NEAR); at < near; at++) {
        const byte = buffer[at];
        if (byte === QUOTE) return this.endString(at);
        if (byte === BACKSLASH) {
          this.hasEscapes = true;
          at++;
        }
      }
      // Searched once for all escapes before it, so that a long string takes linear time.
      if (quote < at) quote = buffer.indexOf(QUOTE, at);
      if (quote < 0 || quote >= end) break;
      const escape = buffer.subarray(at, quote).indexOf(BACKSLASH);
      if (escape < 0) return this.endString(quote);
      at += escape;
    }
    throw malformed('a string does not end');
  }

  private endString(at: number): void {
    this.stop = at;
    this.at = at + 1;
  }

  /** The last string. */
  text(): string {
    if (!this.hasEscapes) return this.buffer.toString('utf8', this.start, this.stop);
    try {
      return JSON.parse(this.buffer.toString('utf8', this.start - 1, this.stop + 1)) as string;
    } catch {
      throw malformed('a string has an unknown escape');
    }
  }

  /** The name of a member, which is short and without escapes. */
  member(): string {
    this.string();
    const name = ascii(this.buffer, this.start, this.stop);
    this.expect(COLON);
    return name;
  }

  /** Skips any value and sets its bounds. */
  value(): void {
    const first = this.peek();
    const from = this.at;
    if (first === QUOTE) this.string();
    else if (first === OPEN_ARRAY || first === OPEN_OBJECT) this.container();
    else this.literal();
    this.start = from;
    this.stop = this.at;
  }

  /**
   * The declared type of a column, which may be quoted identifiers instead of a JSON string: `"My Schema"."My Type"`.
   */
  typeName(): void {
    this.peek();
    const from = this.at;
    for (let byte = this.peek(); byte !== COMMA && byte !== CLOSE_ARRAY && byte !== CLOSE_OBJECT; byte = this.peek()) {
      if (byte < 0) throw malformed('a type does not end');
      if (byte === QUOTE) this.string();
      else this.at++;
    }
    this.start = from;
    this.stop = this.at;
  }

  /** After a member or an item: true when another one follows; moves past the comma or the end. */
  more(close: number): boolean {
    const byte = this.peek();
    this.at++;
    if (byte === COMMA) return true;
    if (byte === close) return false;
    throw malformed(`"," or "${String.fromCharCode(close)}" is expected at byte ${this.at - 1}`);
  }

  /** Moves past the begin of a container; true when it is empty, and past its end. */
  empty(open: number, close: number): boolean {
    this.expect(open);
    if (this.peek() !== close) return false;
    this.at++;
    return true;
  }

  private literal(): void {
    const { buffer, end } = this;
    let { at } = this;
    for (; at < end; at++) {
      const byte = buffer[at] as number;
      if (byte <= SPACE || byte === COMMA || byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) break;
      if (byte === QUOTE || byte === OPEN_ARRAY || byte === OPEN_OBJECT) throw malformed('a value has no form');
    }
    if (at === this.at) throw malformed('a value is missing');
    this.at = at;
  }

  private container(): void {
    let depth = 0;
    do {
      const byte = this.peek();
      if (byte < 0) throw malformed('a container does not end');
      if (byte === QUOTE) {
        this.string();
        continue;
      }
      this.at++;
      if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
        if (++depth > MAX_DEPTH) throw malformed(`containers nest more than ${MAX_DEPTH} levels deep`);
      } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth--;
    } while (depth > 0);
  }
}
