/**
 * JSON as Jackson's tree model has it: the order of members, and which numbers are integers of 32 or 64 bits. Unlike
 * JSON.parse, a text may follow the value, and a repeated member has its last value.
 */

/** A number with the schema type that Debezium infers; `big`: an integer beyond 64 bits, which has none. */
export class JsonNumber {
  constructor(
    readonly type: 'INT32' | 'INT64' | 'FLOAT64' | 'big',
    readonly value: number | bigint,
  ) {}
}

export type JsonNode = null | boolean | string | JsonNumber | readonly JsonNode[] | JsonObject;
export type JsonObject = ReadonlyMap<string, JsonNode>;

const LONGEST_JSON = 1_048_576;
const DEEPEST_JSON = 100;

/** Matches one token; strings and numbers have no alternatives to backtrack into. */
const TOKEN =
  // eslint-disable-next-line no-control-regex -- JSON forbids control characters in strings
  /[ \t\r\n]*(?:([{}[\]:,])|"((?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*)"|(-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?)(?![0-9A-Za-z.])|(true|false|null)(?![0-9A-Za-z]))/y;

/**
 * Throws SyntaxError, also for a text longer than LONGEST_JSON characters and for values nested deeper than
 * DEEPEST_JSON.
 */
export function parseJson(text: string): JsonNode {
  if (text.length > LONGEST_JSON) {
    throw new SyntaxError(`it has ${text.length} characters, more than ${LONGEST_JSON}`);
  }
  return new Reader(text).value(0);
}

class Reader {
  private position = 0;
  private token: RegExpExecArray | null = null;

  constructor(private readonly text: string) {
    this.next();
  }

  value(depth: number): JsonNode {
    if (depth > DEEPEST_JSON) throw new SyntaxError(`its values are nested deeper than ${DEEPEST_JSON}`);
    const [, mark, string, number, fraction, exponent, word] = this.token ?? this.fail();
    if (mark === '{') return this.object(depth);
    if (mark === '[') return this.array(depth);
    if (mark !== undefined) return this.fail();
    // What follows the outermost value is not read.
    if (depth > 0) this.next();
    if (string !== undefined) return unescaped(string);
    if (number !== undefined) return jsonNumber(number, fraction === undefined && exponent === undefined);
    return word === 'null' ? null : word === 'true';
  }

  private object(depth: number): JsonObject {
    const members = new Map<string, JsonNode>();
    this.next();
    if (!this.is('}')) {
      for (;;) {
        const name = this.token?.[2] ?? this.fail();
        this.next();
        this.take(':');
        members.set(unescaped(name), this.value(depth + 1));
        if (this.is('}')) break;
        this.take(',');
      }
    }
    this.end(depth);
    return members;
  }

  private array(depth: number): JsonNode[] {
    const elements: JsonNode[] = [];
    this.next();
    if (!this.is(']')) {
      for (;;) {
        elements.push(this.value(depth + 1));
        if (this.is(']')) break;
        this.take(',');
      }
    }
    this.end(depth);
    return elements;
  }

  private end(depth: number): void {
    if (depth > 0) this.next();
  }

  private is(mark: string): boolean {
    return this.token?.[1] === mark;
  }

  private take(mark: string): void {
    if (!this.is(mark)) this.fail();
    this.next();
  }

  private next(): void {
    TOKEN.lastIndex = this.position;
    this.token = TOKEN.exec(this.text);
    if (this.token) this.position = TOKEN.lastIndex;
  }

  private fail(): never {
    throw new SyntaxError(`it is not JSON at or before character ${this.position}`);
  }
}

function unescaped(string: string): string {
  return string.includes('\\') ? (JSON.parse(`"${string}"`) as string) : string;
}

/** Longer ones cost more than they can be worth; Jackson has the same limit. */
const MOST_DIGITS = 1_000;

function jsonNumber(text: string, integer: boolean): JsonNumber {
  if (text.length > MOST_DIGITS) throw new SyntaxError(`it has a number of more than ${MOST_DIGITS} characters`);
  const value = Number(text);
  if (!integer) return new JsonNumber('FLOAT64', value);
  if (Number.isSafeInteger(value)) {
    // Integers have no negative zero.
    return new JsonNumber(value >= -(2 ** 31) && value < 2 ** 31 ? 'INT32' : 'INT64', value || 0);
  }
  const exact = BigInt(text);
  return new JsonNumber(BigInt.asIntN(64, exact) === exact ? 'INT64' : 'big', exact);
}
