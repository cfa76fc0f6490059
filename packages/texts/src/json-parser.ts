/**
 * The grammar of JSON as Java reads it, shared by converters, storage and REST. Subclasses build the values and errors,
 * and decide what may follow a literal or number. Accepts leading zeros and stops after the first value.
 */

/** Jackson's limits: the depth keeps recursion from overflowing the stack, the length bounds the cost of a number. */
export const MAX_DEPTH = 1000;
export const MAX_NUMBER_LENGTH = 1000;

/** What was expected at the unexpected character. */
export type Problem =
  | 'value'
  /** `true`, `false` or `null`, after its first letter. */
  | 'literal'
  /** Digits after a minus sign, a decimal point or an exponent indicator. */
  | 'whole'
  | 'fraction'
  | 'exponent'
  /** A member name. The second: directly after the opening brace, where the object may also end. */
  | 'member'
  | 'member or close'
  | 'colon'
  /** A comma or the closing marker. */
  | 'object separator'
  | 'array separator'
  | 'less depth';

const BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const LETTER_E = 0x65;
const LETTER_F = 0x66;
const LETTER_N = 0x6e;
const LETTER_T = 0x74;
const LOWER_CASE = 0x20;

export abstract class JsonParser<V> {
  /** Index of the next character. */
  protected at = 0;

  constructor(
    protected readonly text: string,
    /** Maximum number of nested containers. */
    private readonly maxDepth = MAX_DEPTH,
  ) {}

  /** @param depth containers around the value */
  value(depth: number): V {
    switch (this.next()) {
      case BRACE:
        return this.object(depth);
      case BRACKET:
        return this.array(depth);
      default:
        return this.scalar();
    }
  }

  protected scalar(): V {
    const start = this.at;
    const code = this.text.charCodeAt(start);
    switch (code) {
      case QUOTE:
        return this.stringValue(this.string(), start);
      case LETTER_T:
        return this.literal('true', true);
      case LETTER_F:
        return this.literal('false', false);
      case LETTER_N:
        return this.literal('null', null);
      default:
        if (code !== MINUS && !(code >= ZERO && code <= NINE)) throw this.problem('value', start, start);
        return this.number();
    }
  }

  /** An empty object; `start` is its brace. */
  protected abstract newObject(start: number): V;
  protected abstract addMember(object: V, name: string, value: V): void;
  protected abstract newArray(start: number): V;
  protected abstract addItem(array: V, item: V): void;
  protected abstract stringValue(text: string, start: number): V;
  protected abstract literalValue(value: boolean | null, start: number): V;
  /** The number between `start` and `at`. Checks its length. */
  protected abstract numberValue(start: number, integral: boolean): V;

  /** Whether a literal may end before this character. */
  protected abstract endsLiteral(at: number): boolean;
  /**
   * The error for what cannot be parsed.
   *
   * @param at index of the unexpected character; for a number, of its start, point or exponent indicator
   * @param start of the token
   */
  protected abstract problem(expected: Problem, at: number, start: number): Error;
  /** The error for a string whose text starts at `start`. `cause`: JSON.parse's; null if the string is not closed. */
  protected abstract stringProblem(start: number, cause: Error | null): Error;

  protected memberName(): string {
    return this.string();
  }

  private object(depth: number): V {
    if (depth >= this.maxDepth) throw this.problem('less depth', this.at, this.at);
    const object = this.newObject(this.at++);
    if (this.take(CLOSING_BRACE)) return object;
    let expected: Problem = 'member or close';
    do {
      if (this.next() !== QUOTE) throw this.problem(expected, this.at, this.at);
      expected = 'member';
      const name = this.memberName();
      if (!this.take(COLON)) throw this.problem('colon', this.at, this.at);
      this.addMember(object, name, this.value(depth + 1));
    } while (this.take(COMMA));
    if (!this.take(CLOSING_BRACE)) throw this.problem('object separator', this.at, this.at);
    return object;
  }

  private array(depth: number): V {
    if (depth >= this.maxDepth) throw this.problem('less depth', this.at, this.at);
    const array = this.newArray(this.at++);
    if (this.take(CLOSING_BRACKET)) return array;
    do this.addItem(array, this.value(depth + 1));
    while (this.take(COMMA));
    if (!this.take(CLOSING_BRACKET)) throw this.problem('array separator', this.at, this.at);
    return array;
  }

  protected string(): string {
    const start = this.at + 1;
    const end = closingQuote(this.text, start);
    if (end < 0) throw this.stringProblem(start, null);
    const inner = this.text.slice(start, end);
    this.at = end + 1;
    for (let i = 0; i < inner.length; i++) {
      const code = inner.charCodeAt(i);
      if (code < 0x20 || code === BACKSLASH) return this.unescaped(inner, start);
    }
    return inner;
  }

  private unescaped(inner: string, start: number): string {
    try {
      return JSON.parse(`"${inner}"`) as string;
    } catch (cause) {
      throw this.stringProblem(start, cause as Error);
    }
  }

  private number(): V {
    const start = this.at;
    const { text } = this;
    if (text.charCodeAt(start) === MINUS) this.at++;
    if (this.digits() === 0) throw this.problem('whole', start, start);
    let integral = true;
    if (text.charCodeAt(this.at) === POINT) {
      const point = this.at++;
      integral = false;
      if (this.digits() === 0) throw this.problem('fraction', point, start);
    }
    if ((text.charCodeAt(this.at) | LOWER_CASE) === LETTER_E) {
      const indicator = this.at++;
      integral = false;
      const sign = text.charCodeAt(this.at);
      if (sign === PLUS || sign === MINUS) this.at++;
      if (this.digits() === 0) throw this.problem('exponent', indicator, start);
    }
    return this.numberValue(start, integral);
  }

  private digits(): number {
    const start = this.at;
    for (let c = this.text.charCodeAt(this.at); c >= ZERO && c <= NINE; c = this.text.charCodeAt(this.at)) this.at++;
    return this.at - start;
  }

  private literal(word: string, value: boolean | null): V {
    const start = this.at;
    const end = start + word.length;
    if (!this.text.startsWith(word, start) || !this.endsLiteral(end)) throw this.problem('literal', start, start);
    this.at = end;
    return this.literalValue(value, start);
  }

  private take(code: number): boolean {
    if (this.next() !== code) return false;
    this.at++;
    return true;
  }

  /** The next character that is not blank; NaN at the end. */
  protected next(): number {
    let c = this.text.charCodeAt(this.at);
    while (c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09) c = this.text.charCodeAt(++this.at);
    return c;
  }
}

/** Index of the quote that closes the string whose text starts at `start`; -1 if there is none. */
function closingQuote(text: string, start: number): number {
  let end = text.indexOf('"', start);
  // An odd number of backslashes before the quote escapes it.
  while (end > 0 && backslashes(text, start, end) % 2 === 1) end = text.indexOf('"', end + 1);
  return end;
}

function backslashes(text: string, start: number, end: number): number {
  let count = 0;
  for (let i = end - 1; i >= start && text.charCodeAt(i) === BACKSLASH; i--) count++;
  return count;
}

const ESCAPES = '"\\/bfnrt';

/** Where and why a string is malformed: at an unescaped control character, after a backslash, or after `\u`. */
export interface StringProblem {
  readonly kind: 'end' | 'control character' | 'escape' | 'hex digits';
  readonly at: number;
}

/** The first problem of a string whose text starts at `start`. */
export function findStringProblem(text: string, start: number): StringProblem {
  let at = start;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20) return { kind: 'control character', at };
    if (code !== BACKSLASH) continue;
    const escape = text[++at] ?? '';
    if (escape === 'u') {
      if (!/^[0-9a-fA-F]{4}$/.test(text.slice(at + 1, at + 5))) return { kind: 'hex digits', at: at + 1 };
      at += 4;
    } else if (escape === '' || !ESCAPES.includes(escape)) return { kind: 'escape', at };
  }
  return { kind: 'end', at };
}
