/**
 * Reads JSON as Java's internal converter does: integers are exact (int64, wrapping) and distinct from floats; leading
 * zeros and text after the first value are allowed. Source: connect-runtime §1.3.
 */
import { safeInteger, setMember } from '@millrace/sdk';
import {
  findStringProblem,
  JsonParser,
  MAX_DEPTH,
  MAX_NUMBER_LENGTH,
  type Problem,
  type StringProblem,
} from '../../json/parser';
import { jsonText } from '../../json/json-text';
import { Float64, type JsonValue } from './json-values';

export class JsonSyntaxError extends Error {
  constructor(message: string, position: number | null) {
    super(position === null ? message : `${message} at character ${position}`);
    this.name = 'JsonSyntaxError';
  }
}

const EXPECTED: Readonly<Record<Exclude<Problem, 'value'>, string>> = {
  literal: 'unknown word',
  whole: 'unexpected character',
  fraction: 'malformed number',
  exponent: 'malformed number',
  member: 'expected a member name',
  'member or close': 'expected a member name',
  colon: "expected ':'",
  'object separator': "expected ','",
  'array separator': "expected ','",
  'less depth': `nesting deeper than ${MAX_DEPTH}`,
};
const STRING_PROBLEMS: Readonly<Record<StringProblem['kind'], string>> = {
  end: "expected '\\'",
  'control character': "expected '\\'",
  escape: 'unknown escape',
  'hex digits': 'bad \\u escape',
};

class Reader extends JsonParser<JsonValue> {
  protected newObject(): JsonValue {
    return {};
  }
  protected addMember(object: JsonValue, name: string, value: JsonValue): void {
    setMember(object as Record<string, JsonValue>, name, value);
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

  protected numberValue(start: number, integral: boolean): JsonValue {
    if (/[\w.+-]/.test(this.text[this.at] ?? ' ')) throw new JsonSyntaxError('malformed number', this.at);
    if (this.at - start > MAX_NUMBER_LENGTH)
      throw new JsonSyntaxError(`a number of more than ${MAX_NUMBER_LENGTH} characters`, this.at);
    const digits = this.text.slice(start, this.at);
    const number = Number(digits);
    // Nor has -0.0 a sign.
    if (!integral) return Number.isInteger(number) ? new Float64(number + 0) : number;
    // -0 is the integer 0.
    if (Number.isSafeInteger(number)) return number === 0 ? 0 : number;
    return safeInteger(digits.startsWith('-') ? -BigInt(digits.slice(1)) : BigInt(digits));
  }

  protected endsLiteral(at: number): boolean {
    return !/\w/.test(this.text[at] ?? ' ');
  }

  protected problem(expected: Problem, at: number): Error {
    if (expected !== 'value') return new JsonSyntaxError(EXPECTED[expected], at);
    return new JsonSyntaxError(at < this.text.length ? 'unexpected character' : 'unexpected end of JSON text', at);
  }

  protected stringProblem(start: number): Error {
    const { kind, at } = findStringProblem(this.text, start);
    return new JsonSyntaxError(STRING_PROBLEMS[kind], at);
  }
}

/** Empty bytes are null. Throws JsonSyntaxError. */
export function readJson(bytes: Uint8Array): JsonValue {
  if (bytes.length === 0) return null;
  let text: string;
  try {
    text = jsonText(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  } catch (error) {
    throw new JsonSyntaxError((error as Error).message, null);
  }
  return new Reader(text).value(0);
}
