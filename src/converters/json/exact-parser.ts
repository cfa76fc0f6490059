/**
 * JSON as Java's converter reads it: exact integers, numbers that keep their text, leading zeros, and anything after
 * the first value ignored. Slower than `JSON.parse`, which is used where the result is the same. Source:
 * connect-runtime §1.3.
 */
import { setMember } from '@millrace/sdk';
import { JsonParser, MAX_DEPTH, MAX_NUMBER_LENGTH, type Problem } from '../../json/parser';

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
    return Number(this.text) + 0;
  }
}

/** Which numbers become a `JsonNumber`: `long` those a double may not hold exactly, `all` every one. */
export type KeepText = 'long' | 'all';

/** The first value of the text. Throws SyntaxError; with `whole`, also for text after the value. */
export function parseExact(text: string, keep: KeepText, whole = false): unknown {
  const parser = new ExactParser(text, keep);
  const value = parser.value(0);
  if (whole) parser.end();
  else if (typeof value === 'number' || value instanceof JsonNumber) parser.endNumber();
  return value;
}

/** Fifteen digits are always exact. */
const EXACT_DIGITS = 15;

const EXPECTED: Readonly<Partial<Record<Problem, string>>> = {
  literal: 'unexpected character',
  member: 'expected a member name in quotes',
  'member or close': 'expected a member name in quotes',
  colon: 'expected ":"',
  'object separator': 'expected "," or "}"',
  'array separator': 'expected "," or "]"',
};

class ExactParser extends JsonParser<unknown> {
  constructor(
    text: string,
    private readonly keep: KeepText,
  ) {
    // `value` checks the depth of every value, not of containers alone.
    super(text, MAX_DEPTH + 1);
  }

  override value(depth: number): unknown {
    if (depth > MAX_DEPTH) throw this.error(`nesting deeper than ${MAX_DEPTH}`);
    return super.value(depth);
  }

  end(): void {
    if (!Number.isNaN(this.next())) throw this.error('text after the value');
  }

  /** A number that is the whole text ends at a blank: `12:30` is not 12. */
  endNumber(): void {
    if (!/[ \t\r\n]/.test(this.text[this.at] ?? ' ')) throw this.error('text after the number');
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

  protected numberValue(start: number, integral: boolean, digits: number): number | JsonNumber {
    if (this.at - start > MAX_NUMBER_LENGTH) throw this.error(`a number of more than ${MAX_NUMBER_LENGTH} characters`);
    const text = this.text.slice(start, this.at);
    if (this.keep === 'all' || (integral && digits > EXACT_DIGITS)) return new JsonNumber(text);
    return Number(text);
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
