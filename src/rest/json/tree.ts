/**
 * A JSON parser that keeps what `JSON.parse` throws away: the text of numbers (`1.50`, 20 digits) and where things
 * stand. Errors have Jackson's words, which clients match on. Source: connect-rest §0.2, §2.4.
 */
export type JsonNode =
  | { readonly kind: 'object'; readonly at: number; readonly members: ReadonlyMap<string, JsonNode> }
  | { readonly kind: 'array'; readonly at: number; readonly items: readonly JsonNode[] }
  | { readonly kind: 'string' | 'number' | 'boolean' | 'null'; readonly at: number; readonly text: string };

/** Java's parser answers 500; 400 is for the limits that are ours (Appendix R 12). */
export class JsonSyntaxError extends Error {
  constructor(
    message: string,
    readonly status: 400 | 500 = 500,
  ) {
    super(message);
    this.name = 'JsonSyntaxError';
  }
}

const SOURCE = 'REDACTED (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION` disabled)';
const VALUES = "(JSON String, Number, Array, Object or token 'null', 'true' or 'false')";
const MAX_DEPTH = 1000;
/** Jackson's, in characters. */
const MAX_NUMBER = 1000;
const MAX_NAME = 50_000;
/** Far above what a configuration has, and what keeps a small text from becoming many objects. */
export const MAX_VALUES = 100_000;
const MAX_MEMBERS = 10_000;
/** Jackson shows no more of a token. */
const MAX_TOKEN = 256;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?<fraction>\.[0-9]+)?(?<exponent>[eE][+-]?[0-9]+)?/y;
/** Numbers that only other formats have. */
const NON_STANDARD = /^(?:NaN|[+-]?Infinity|[+-]INF)$/;
const WORD = /[\p{L}\p{N}_$]+/uy;
/** Of a text, up to its end, an escape, or what may not stand there. */
// eslint-disable-next-line no-control-regex
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** Columns are bytes, as Jackson counts them. */
function place(text: string, at: number): string {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0 && end < at; end = text.indexOf('\n', start)) {
    line++;
    start = end + 1;
  }
  const column = Buffer.byteLength(text.slice(start, at)) + 1;
  return `[Source: ${SOURCE}; line: ${line}, column: ${column}]`;
}

/** The ending of every message. */
export function location(text: string, at: number): string {
  return `\n at ${place(text, at)}`;
}

export interface ParsedJson {
  readonly root: JsonNode;
  /**
   * What is wrong with the text after the value; kept apart because Java binds the value first. `boundAs` is Java's
   * class.
   */
  readonly trailing: ((boundAs: string) => JsonSyntaxError) | null;
}

/** Null when there is nothing but whitespace. Throws JsonSyntaxError. */
export function parseJson(text: string, maxValues = MAX_VALUES): ParsedJson | null {
  const parser = new Parser(text, maxValues);
  if (parser.atEnd()) return null;
  const root = parser.value(1);
  if (parser.atEnd()) return { root, trailing: null };
  const where = location(text, parser.position);
  let token: string;
  try {
    token = parser.nextTokenName();
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return { root, trailing: () => error };
  }
  return {
    root,
    trailing: (boundAs) =>
      new JsonSyntaxError(
        `Trailing token (of type ${token}) found after value (bound as \`${boundAs}\`): not allowed as per \`DeserializationFeature.FAIL_ON_TRAILING_TOKENS\`${where}`,
      ),
  };
}

type Scope = 'Object' | 'Array';

function tooLong(what: string, length: number, limit: number, setting: string): JsonSyntaxError {
  const from = `${limit}, from \`StreamReadConstraints.${setting}()\``;
  return new JsonSyntaxError(`${what} length (${length}) exceeds the maximum allowed (${from})`, 400);
}

class Parser {
  position = 0;
  /** What has been opened, the innermost last. */
  private readonly open: { readonly scope: Scope; readonly at: number }[] = [];
  /** What Jackson had read before the current token; the end of the text within a number is told by it. */
  private last: string | null = null;

  private values = 0;

  constructor(
    private readonly text: string,
    private readonly maxValues: number,
  ) {}

  atEnd(): boolean {
    for (;;) {
      // Behind the end it is NaN.
      const code = this.text.charCodeAt(this.position);
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return this.position >= this.text.length;
      this.position++;
    }
  }

  nextTokenName(): string {
    const char = this.text[this.position];
    if (char === '{') return 'START_OBJECT';
    if (char === '[') return 'START_ARRAY';
    // Of a text no more than its beginning is looked at.
    if (char === '"') return 'VALUE_STRING';
    this.last = null;
    const node = this.scalar();
    if (node.kind === 'number') return /^-?[0-9]+$/.test(node.text) ? 'VALUE_NUMBER_INT' : 'VALUE_NUMBER_FLOAT';
    return `VALUE_${node.text.toUpperCase()}`;
  }

  value(depth: number): JsonNode {
    if (++this.values > this.maxValues)
      throw new JsonSyntaxError(`The document has more than ${this.maxValues} values`, 400);
    const char = this.text[this.position];
    if (char !== '{' && char !== '[') return this.scalar();
    if (depth > MAX_DEPTH) {
      throw new JsonSyntaxError(
        `Document nesting depth (${depth}) exceeds the maximum allowed (${MAX_DEPTH}, from \`StreamReadConstraints.getMaxNestingDepth()\`)`,
        400,
      );
    }
    return char === '{' ? this.object(depth) : this.array(depth);
  }

  private object(depth: number): JsonNode {
    const at = this.position++;
    const members = new Map<string, JsonNode>();
    this.open.push({ scope: 'Object', at });
    this.skip();
    if (this.close('}')) return { kind: 'object', at, members };
    for (;;) {
      if (this.text[this.position] !== '"') {
        throw this.unexpected('was expecting double-quote to start field name');
      }
      const name = this.string('field name');
      if (name.length > MAX_NAME) throw tooLong('Name', name.length, MAX_NAME, 'getMaxNameLength');
      this.skipBetween();
      if (!this.take(':')) throw this.unexpected('was expecting a colon to separate field name and value');
      this.skipBetween();
      this.last = 'FIELD_NAME';
      const value = this.value(depth + 1);
      // The last of several wins, in its own place.
      members.delete(name);
      members.set(name, value);
      if (members.size > MAX_MEMBERS)
        throw new JsonSyntaxError(`An object of the document has more than ${MAX_MEMBERS} members`, 400);
      this.skip();
      if (this.close('}')) return { kind: 'object', at, members };
      if (!this.take(',')) throw this.badSeparator();
      this.skipBetween();
    }
  }

  private array(depth: number): JsonNode {
    const at = this.position++;
    const items: JsonNode[] = [];
    this.open.push({ scope: 'Array', at });
    this.skip();
    if (this.close(']')) return { kind: 'array', at, items };
    this.last = 'START_ARRAY';
    for (;;) {
      const item = this.value(depth + 1);
      items.push(item);
      this.last = END_TOKENS[item.kind];
      this.skip();
      if (this.close(']')) return { kind: 'array', at, items };
      if (!this.take(',')) throw this.badSeparator();
      this.skipBetween();
    }
  }

  private scalar(): Extract<JsonNode, { text: string }> {
    const at = this.position;
    const char = this.text[at] ?? '';
    if (char === '"') return { kind: 'string', at, text: this.string('VALUE_STRING') };
    if (char === '-' || (char >= '0' && char <= '9')) return { kind: 'number', at, text: this.number() };
    if (char === '+') throw this.badSign();
    const word = this.word();
    if (word === '') throw this.noValue(char);
    if (word === 'null' || word === 'true' || word === 'false') {
      this.position += word.length;
      return { kind: word === 'null' ? 'null' : 'boolean', at, text: word };
    }
    throw this.badToken(word);
  }

  /** Of letters and digits, from the current place; empty: there is none. */
  private word(): string {
    WORD.lastIndex = this.position;
    return WORD.exec(this.text)?.[0] ?? '';
  }

  private number(): string {
    NUMBER.lastIndex = this.position;
    const found = NUMBER.exec(this.text);
    if (!found) throw this.badSign();
    this.position += found[0].length;
    if (found[0].length > MAX_NUMBER) throw tooLong('Number value', found[0].length, MAX_NUMBER, 'getMaxNumberLength');
    const next = this.text[this.position] ?? '';
    const { fraction, exponent } = found.groups ?? {};
    if (fraction === undefined && exponent === undefined) {
      if (/[0-9]/.test(next)) throw this.failure('Invalid numeric value: Leading zeroes not allowed');
      if (next === '.') {
        // A point at the end is where it is; behind another one stands what should have been a digit.
        if (this.position + 1 < this.text.length) this.position++;
        throw this.unexpected('Decimal point not followed by a digit', ' in numeric value');
      }
    }
    if (exponent === undefined && /[eE]/.test(next)) {
      this.position += /[+-]/.test(this.text[this.position + 1] ?? '') ? 2 : 1;
      throw this.unexpected('Exponent indicator not followed by a digit', ' in numeric value');
    }
    if (this.open.length === 0 && !' \t\n\r'.includes(next))
      throw this.unexpected('Expected space separating root-level values');
    return found[0];
  }

  /** A sign before what is no number. */
  private badSign(): JsonSyntaxError {
    const sign = this.text[this.position++] ?? '';
    const word = this.word();
    if (word.startsWith('I') && word !== 'I') {
      this.position--;
      return this.badToken(sign + word);
    }
    if (sign === '-')
      return this.unexpected('expected digit (0-9) to follow minus sign, for valid numeric value', ' in numeric value');
    if (this.position === this.text.length) return this.failure('Unexpected end-of-input in a Number value');
    return this.failure(
      `Unexpected character ('+' (code 43)) in numeric value: JSON spec does not allow numbers to have plus signs: enable \`JsonReadFeature.ALLOW_LEADING_PLUS_SIGN_FOR_NUMBERS\` to allow`,
    );
  }

  private badToken(token: string): JsonSyntaxError {
    if (NON_STANDARD.test(token)) {
      this.position += token.length;
      return this.failure(
        `Non-standard token '${token}': enable \`JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS\` to allow`,
      );
    }
    const shown = token.length > MAX_TOKEN ? `${token.slice(0, MAX_TOKEN)}...` : token;
    return this.failure(`Unrecognized token '${shown}': was expecting ${VALUES}`);
  }

  /** Where a value should begin. */
  private noValue(char: string): JsonSyntaxError {
    const scope = this.open.at(-1)?.scope;
    if (char === '/')
      return this.unexpected(
        "maybe a (non-standard) comment? (not recognized as one since Feature 'ALLOW_COMMENTS' not enabled for parser)",
      );
    if (char !== '' && char < ' ') {
      this.position++;
      return this.failure(
        `Illegal character (${describeChar(char)}): only regular white space (\\r, \\n, \\t) is allowed between tokens`,
      );
    }
    if (scope === undefined && (char === '}' || char === ']'))
      return this.failure(`Unexpected close marker '${char}': no open ${char === '}' ? 'Object' : 'Array'} to close`);
    if (scope === 'Array' && char === '}') return this.badSeparator();
    if (char === ',' || (scope === 'Array' && char === ']')) return this.unexpected('expected a value');
    return this.unexpected(`expected a valid value ${VALUES}`);
  }

  private string(what: 'VALUE_STRING' | 'field name'): string {
    let out = '';
    let from = ++this.position;
    const start = from;
    for (;;) {
      PLAIN.lastIndex = this.position;
      PLAIN.test(this.text);
      this.position = PLAIN.lastIndex;
      const char = this.text[this.position];
      if (char === undefined && what === 'field name' && this.position === start)
        throw this.failure(`Unexpected end-of-input: was expecting closing '"' for name`);
      if (char === undefined) throw this.failure(`Unexpected end-of-input in ${what}`);
      if (char === '"') {
        out += this.text.slice(from, this.position++);
        return out;
      }
      if (char < ' ') {
        throw this.failure(
          `Illegal unquoted character (${describeChar(char)}): has to be escaped using backslash to be included in string value`,
        );
      }
      out += this.text.slice(from, this.position) + this.escape();
      from = this.position;
    }
  }

  private escape(): string {
    const code = this.text[this.position + 1];
    this.position++;
    if (code === undefined) throw this.failure('Unexpected end-of-input in character escape sequence');
    const simple = ESCAPES[code];
    if (simple !== undefined) {
      this.position++;
      return simple;
    }
    if (code !== 'u') throw this.failure(`Unrecognized character escape ${describeChar(code)}`);
    const hex = this.text.slice(this.position + 1, this.position + 5);
    if (!/^[0-9a-fA-F]{4}$/.test(hex)) {
      this.position += 1 + (/^[0-9a-fA-F]*/.exec(hex)?.[0].length ?? 0);
      if (this.position === this.text.length)
        throw this.failure('Unexpected end-of-input in character escape sequence');
      throw this.unexpected('expected a hex-digit for character escape sequence');
    }
    this.position += 5;
    return String.fromCharCode(parseInt(hex, 16));
  }

  /** Skips whitespace behind what the innermost object or array may end with. */
  private skip(): void {
    const inner = this.open.at(-1);
    if (!this.atEnd() || !inner) return;
    throw this.failure(
      `Unexpected end-of-input: expected close marker for ${inner.scope} (start marker at ${place(this.text, inner.at)})`,
    );
  }

  /** Skips whitespace where more has to come. */
  private skipBetween(): void {
    if (this.atEnd())
      throw this.failure(`Unexpected end-of-input within/between ${this.open.at(-1)?.scope ?? 'Object'} entries`);
  }

  private close(marker: '}' | ']'): boolean {
    const closes = this.take(marker);
    if (closes) this.open.pop();
    return closes;
  }

  private take(char: string): boolean {
    if (this.text[this.position] !== char) return false;
    this.position++;
    return true;
  }

  private badSeparator(): JsonSyntaxError {
    const char = this.text[this.position] ?? '';
    const { scope, at } = this.open.at(-1) ?? { scope: 'Object', at: 0 };
    return char === '}' || char === ']'
      ? this.failure(
          `Unexpected close marker '${char}': expected '${scope === 'Object' ? '}' : ']'}' (for ${scope} starting at ${place(this.text, at)})`,
        )
      : this.unexpected(`was expecting comma to separate ${scope} entries`);
  }

  /** `inside` a number the end of the text is told by the token before it. */
  private unexpected(expectation: string, inside: ' in numeric value' | '' = ''): JsonSyntaxError {
    const char = this.text[this.position];
    if (char !== undefined)
      return this.failure(`Unexpected character (${describeChar(char)})${inside}: ${expectation}`);
    return this.failure(`Unexpected end-of-input${inside === '' ? `: ${expectation}` : ` in ${this.last}`}`);
  }

  private failure(message: string): JsonSyntaxError {
    return new JsonSyntaxError(message + location(this.text, this.position));
  }
}

/** Jackson's names for what a value ended with. */
const END_TOKENS: Readonly<Record<JsonNode['kind'], string>> = {
  object: 'END_OBJECT',
  array: 'END_ARRAY',
  string: 'VALUE_STRING',
  number: 'VALUE_NUMBER_INT',
  boolean: 'VALUE_TRUE',
  null: 'VALUE_NULL',
};

/** `'x' (code 120)`, or `CTRL-CHAR, code 10` as Jackson writes it. */
function describeChar(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  return code < 32 ? `(CTRL-CHAR, code ${code})` : `'${char}' (code ${code})`;
}
