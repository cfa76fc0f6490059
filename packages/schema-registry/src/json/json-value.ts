/** JSON as schemas need it: members in their order and with any name, numbers as Java prints them. */
import { javaDouble } from '@millrace/sdk';
import { JsonNumber, JsonParser, MAX_NUMBER_LENGTH, type Problem } from '@millrace/texts/json';

export type JsonObject = ReadonlyMap<string, JsonValue>;
export type JsonValue = JsonObject | readonly JsonValue[] | string | JsonNumber | boolean | null;

/** Of containers in each other. */
const MAX_DEPTH = 500;

/** The one value of the text. Throws SyntaxError. */
export function parseJson(text: string): JsonValue {
  const parser = new ValueParser(text);
  const value = parser.value(0);
  parser.end();
  return value;
}

export const isObject = (value: JsonValue | undefined): value is JsonObject => value instanceof Map;
export const isArray = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);

class ValueParser extends JsonParser<JsonValue> {
  constructor(text: string) {
    super(text, MAX_DEPTH);
  }
  end(): void {
    if (!Number.isNaN(this.next())) throw new SyntaxError(`text after the value, at position ${this.at}`);
  }
  protected newObject(): JsonValue {
    return new Map();
  }
  protected addMember(object: JsonValue, name: string, value: JsonValue): void {
    (object as Map<string, JsonValue>).set(name, value);
  }
  protected newArray(): JsonValue {
    return [];
  }
  protected addItem(array: JsonValue, item: JsonValue): void {
    (array as JsonValue[]).push(item);
  }
  protected stringValue(text: string): JsonValue {
    return text;
  }
  protected literalValue(value: boolean | null): JsonValue {
    return value;
  }
  protected numberValue(start: number): JsonValue {
    const text = this.text.slice(start, this.at);
    if (text.length > MAX_NUMBER_LENGTH) throw new SyntaxError(`a number of more than ${MAX_NUMBER_LENGTH} characters`);
    if (/^-?0\d/.test(text)) throw new SyntaxError(`a number with leading zeros at position ${start}`);
    return new JsonNumber(text);
  }
  protected endsLiteral(at: number): boolean {
    return !/[\w\u0080-\uffff]/.test(this.text[at] ?? ' ');
  }
  protected problem(expected: Problem, at: number): Error {
    if (expected === 'less depth') return new SyntaxError(`nesting deeper than ${MAX_DEPTH}`);
    const found = at >= this.text.length ? 'the text ends' : 'unexpected character';
    return new SyntaxError(`${found} at position ${at}`);
  }
  protected stringProblem(start: number): Error {
    return new SyntaxError(`a string that is not closed or has bad characters at position ${start}`);
  }
}

/** Without blanks, as Jackson prints what it has read. */
export function printJson(value: JsonValue): string {
  if (isObject(value)) {
    const members = Array.from(value, ([name, member]) => `${quote(name)}:${printJson(member)}`);
    return `{${members.join(',')}}`;
  }
  if (isArray(value)) return `[${value.map(printJson).join(',')}]`;
  if (value instanceof JsonNumber) return numberText(value);
  return typeof value === 'string' ? quote(value) : String(value);
}

function numberText(number: JsonNumber): string {
  if (number.integral) return String(number.toBigInt());
  const double = Number(number.text);
  // What no double holds stays as it is.
  return Number.isFinite(double) ? javaDouble(double) : number.text;
}

export function quote(text: string): string {
  // Jackson's digits of escapes are upper-case. The second alternative passes over escaped backslashes.
  return JSON.stringify(text).replace(/\\u00[01][0-9a-f]|\\./g, (escape) =>
    escape.length === 2 ? escape : `\\u${escape.slice(2).toUpperCase()}`,
  );
}

/** With the members of all objects in the order of their names. */
export function sorted(value: JsonValue): JsonValue {
  if (isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const members = Array.from(value, ([name, member]) => [name, sorted(member)] as const);
  return new Map(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}
