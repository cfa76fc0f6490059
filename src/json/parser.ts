/**
 * JSON as Java's reader takes it: exact integers, numbers that keep their text, leading zeros, and anything after the
 * first value ignored. Slower than `JSON.parse`, which is used wherever it gives the same answer. Source:
 * connect-runtime §1.3.
 */
import { setMember } from '@millrace/sdk';

/** A number as it was written. */
export class JsonNumber {
  constructor(readonly text: string) {}

  get integral(): boolean {
    return !/[.eE]/.test(this.text);
  }
  toBigInt(): bigint {
    return this.text.startsWith('-') ? -BigInt(this.text.slice(1)) : BigInt(this.text);
  }
  toNumber(): number {
    return Number(this.text);
  }
}

/** Which numbers become a `JsonNumber`: `long` those a double may not hold exactly, `all` every one. */
export type KeepText = 'long' | 'all';

/** The first value of the text. Throws SyntaxError; `whole` makes text after the value an error, too. */
export function parseExact(text: string, keep: KeepText, whole = false): unknown {
  const parser = new Parser(text, keep);
  const value = parser.value(0);
  if (whole) parser.end();
  return value;
}

/**
 * Jackson's limits: the first keeps the recursion from overflowing the stack, the second numbers from costing more than
 * their text.
 */
export const MAX_DEPTH = 1000;
const MAX_NUMBER_LENGTH = 1000;
/** Fifteen digits are always exact. */
const EXACT_DIGITS = 15;

class Parser {
  private at = 0;
  constructor(
    private readonly text: string,
    private readonly keep: KeepText,
  ) {}

  value(depth: number): unknown {
    if (depth > MAX_DEPTH) throw this.error(`nesting deeper than ${MAX_DEPTH}`);
    switch (this.peek()) {
      case 0x7b:
        return this.object(depth);
      case 0x5b:
        return this.array(depth);
      case 0x22:
        return this.string();
      case 0x74:
        return this.word('true', true);
      case 0x66:
        return this.word('false', false);
      case 0x6e:
        return this.word('null', null);
      default:
        return this.number();
    }
  }

  end(): void {
    if (!Number.isNaN(this.peek())) throw this.error('text after the value');
  }

  private object(depth: number): unknown {
    const object: Record<string, unknown> = {};
    this.at++;
    if (this.take(0x7d)) return object;
    do {
      if (this.peek() !== 0x22) throw this.error('expected a member name in quotes');
      const key = this.string();
      if (!this.take(0x3a)) throw this.error('expected ":"');
      setMember(object, key, this.value(depth + 1));
    } while (this.take(0x2c));
    if (!this.take(0x7d)) throw this.error('expected "," or "}"');
    return object;
  }

  private array(depth: number): unknown[] {
    const array: unknown[] = [];
    this.at++;
    if (this.take(0x5d)) return array;
    do array.push(this.value(depth + 1));
    while (this.take(0x2c));
    if (!this.take(0x5d)) throw this.error('expected "," or "]"');
    return array;
  }

  private string(): string {
    const start = this.at + 1;
    let end = this.text.indexOf('"', start);
    let plain = true;
    // An odd number of backslashes before the quote escapes it.
    while (end > 0 && this.backslashes(start, end) % 2 === 1) end = this.text.indexOf('"', end + 1);
    if (end < 0) throw this.error('text ends inside a string');
    this.at = end + 1;
    const inner = this.text.slice(start, end);
    for (let i = 0; i < inner.length && plain; i++) {
      const c = inner.charCodeAt(i);
      plain = c >= 0x20 && c !== 0x5c;
    }
    return plain ? inner : (JSON.parse(`"${inner}"`) as string);
  }

  private backslashes(start: number, end: number): number {
    let count = 0;
    for (let i = end - 1; i >= start && this.text.charCodeAt(i) === 0x5c; i--) count++;
    return count;
  }

  private number(): number | JsonNumber {
    const start = this.at;
    if (this.text.charCodeAt(this.at) === 0x2d) this.at++;
    const whole = this.digits();
    let integral = true;
    if (this.text.charCodeAt(this.at) === 0x2e) {
      integral = false;
      this.at++;
      this.digits();
    }
    if ((this.text.charCodeAt(this.at) | 0x20) === 0x65) {
      integral = false;
      this.at++;
      const sign = this.text.charCodeAt(this.at);
      if (sign === 0x2b || sign === 0x2d) this.at++;
      this.digits();
    }
    if (this.at - start > MAX_NUMBER_LENGTH) throw this.error(`a number of more than ${MAX_NUMBER_LENGTH} characters`);
    const text = this.text.slice(start, this.at);
    if (this.keep === 'all' || (integral && whole > EXACT_DIGITS)) return new JsonNumber(text);
    return Number(text);
  }

  private digits(): number {
    const start = this.at;
    for (let c = this.text.charCodeAt(this.at); c >= 0x30 && c <= 0x39; c = this.text.charCodeAt(this.at)) this.at++;
    if (this.at === start)
      throw this.error(this.at < this.text.length ? 'unexpected character' : 'text ends where a value is expected');
    return this.at - start;
  }

  private word<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) throw this.error('unexpected character');
    this.at += word.length;
    return value;
  }

  private take(code: number): boolean {
    if (this.peek() !== code) return false;
    this.at++;
    return true;
  }

  /** The next character that is not blank; NaN at the end. */
  private peek(): number {
    let c = this.text.charCodeAt(this.at);
    while (c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09) c = this.text.charCodeAt(++this.at);
    return c;
  }

  private error(reason: string): SyntaxError {
    return new SyntaxError(`${reason} at position ${this.at}`);
  }
}
