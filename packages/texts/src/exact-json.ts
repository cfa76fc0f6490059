/**
 * JSON as Java reads it: exact integers, numbers that keep their text, leading zeros, and anything after the first
 * value ignored. Slower than `JSON.parse`, which is used where the result is the same. Source: connect-runtime §1.3.
 */
import { setMember } from '@millrace/sdk';
import { JsonParser, MAX_DEPTH, MAX_NUMBER_LENGTH, type Problem } from './json-parser';

/** A number as it was written. */
export class JsonNumber {
  constructor(readonly text: string) {}

  get integral(): boolean {
    return !/[.eE]/.test(this.text);
  }
  toBigInt(): bigint {
    return exactInteger(this.text);
  }
  toNumber(): number {
    return Number(this.text) + 0;
  }
}

/** The value of a number, without a fraction and an exponent if it is `integral`. */
type NumberOf = (text: string, integral: boolean) => unknown;

/** A `JsonNumber` for each number. */
export function exactNumber(text: string): JsonNumber {
  return new JsonNumber(text);
}

/** Characters of an integer that a double always holds exactly. */
const EXACT_LENGTH = 15;

/** A number, or a `JsonNumber` for an integer that a double may not hold. */
export function longNumber(text: string, integral: boolean): number | JsonNumber {
  const isLong = integral && text.length > EXACT_LENGTH + (text.startsWith('-') ? 1 : 0);
  return isLong ? new JsonNumber(text) : Number(text);
}

export function exactInteger(text: string): bigint {
  return text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text);
}

/** The first value of the text. Throws SyntaxError; with `whole`, also for text after the value. */
export function parseExact(text: string, numberOf: NumberOf, whole = false): unknown {
  const parser = new ExactParser(text, numberOf);
  const value = parser.value(0);
  if (whole) parser.end();
  else parser.endNumber();
  return value;
}

const EXPECTED: Readonly<Partial<Record<Problem, string>>> = {
  literal: 'unexpected character',
  member: 'expected a member name in quotes',
  'member or close': 'expected a member name in quotes',
  colon: 'expected ":"',
  'object separator': 'expected "," or "}"',
  'array separator': 'expected "," or "]"',
  'less depth': `nesting deeper than ${MAX_DEPTH}`,
};

class ExactParser extends JsonParser<unknown> {
  constructor(
    text: string,
    private readonly numberOf: NumberOf,
  ) {
    super(text);
  }

  end(): void {
    if (!Number.isNaN(this.next())) throw this.error('text after the value');
  }

  /** A number that is the whole text ends at a blank: `12:30` is not 12. */
  endNumber(): void {
    if (/\d[^ \t\r\n]/.test(this.text.slice(this.at - 1, this.at + 1))) throw this.error('text after the number');
  }

  protected newObject(): unknown {
    return {};
  }
  protected addMember(object: unknown, name: string, value: unknown): void {
    setMember(object as Record<string, unknown>, name, value);
  }
  protected newArray(): unknown {
    return [];
  }
  protected addItem(array: unknown, item: unknown): void {
    (array as unknown[]).push(item);
  }
  protected stringValue(text: string): unknown {
    return text;
  }
  protected literalValue(value: boolean | null): unknown {
    return value;
  }

  protected numberValue(start: number, integral: boolean): unknown {
    if (this.at - start > MAX_NUMBER_LENGTH) throw this.error(`a number of more than ${MAX_NUMBER_LENGTH} characters`);
    return this.numberOf(this.text.slice(start, this.at), integral);
  }

  protected endsLiteral(at: number): boolean {
    return !/[\w\u0080-\uffff]/.test(this.text[at] ?? ' ');
  }

  protected problem(expected: Problem): Error {
    const ended = this.at >= this.text.length;
    return this.error(EXPECTED[expected] ?? (ended ? 'text ends where a value is expected' : 'unexpected character'));
  }

  protected stringProblem(_start: number, cause: Error | null): Error {
    return cause ?? this.error('text ends inside a string');
  }

  private error(reason: string): SyntaxError {
    return new SyntaxError(`${reason} at position ${this.at}`);
  }
}
