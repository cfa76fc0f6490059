/**
 * A JSON parser that keeps what `JSON.parse` discards: the text of numbers (`1.50`, 20 digits) and positions. Errors
 * have Jackson's texts, which clients match on. Source: connect-rest §0.2, §2.4.
 */
import { findStringProblem, JsonParser, MAX_DEPTH, MAX_NUMBER_LENGTH, type Problem } from '@millrace/texts/json';

export type JsonNode =
  | { readonly kind: 'object'; readonly at: number; readonly members: ReadonlyMap<string, JsonNode> }
  | { readonly kind: 'array'; readonly at: number; readonly items: readonly JsonNode[] }
  | { readonly kind: 'string' | 'number' | 'boolean' | 'null'; readonly at: number; readonly text: string };

/** Java responds with 500 to syntax errors. 400 is for Millrace's limits (Appendix R 12). */
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
/** Jackson's limit, in characters. */
const MAX_NAME = 50_000;
/** Far above what a config needs. Bounds the objects that a small text can create. */
export const MAX_VALUES = 100_000;
const MAX_MEMBERS = 10_000;
/** Jackson truncates longer tokens in messages. */
const MAX_TOKEN = 256;
/** Numbers that JSON does not allow. */
const NON_STANDARD = /^(?:NaN|[+-]?Infinity|[+-]INF)$/;
const WORD = /[\p{L}\p{N}_$]+/uy;
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

/** Suffix of every message. */
export function location(text: string, at: number): string {
  return `\n at ${place(text, at)}`;
}

export interface ParsedJson {
  readonly root: JsonNode;
  /**
   * Creates the error about text after the value. It is separate because Java binds the value first. `boundAs` is
   * Java's class.
   */
  readonly trailing: ((boundAs: string) => JsonSyntaxError) | null;
}

/** Null for only whitespace. Throws JsonSyntaxError. */
export function parseJson(text: string, maxValues = MAX_VALUES): ParsedJson | null {
  const parser = new TreeParser(text, maxValues);
  if (parser.atEnd()) return null;
  const root = parser.root();
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
type Scalar = Extract<JsonNode, { text: string }>;
type JsonObjectNode = Extract<JsonNode, { kind: 'object' }>;
type JsonArrayNode = Extract<JsonNode, { kind: 'array' }>;

function tooLong(what: string, length: number, limit: number, setting: string): JsonSyntaxError {
  const from = `${limit}, from \`StreamReadConstraints.${setting}()\``;
  return new JsonSyntaxError(`${what} length (${length}) exceeds the maximum allowed (${from})`, 400);
}

class TreeParser extends JsonParser<JsonNode> {
  /** Open objects and arrays, the innermost last. */
  private readonly open: { readonly scope: Scope; readonly at: number }[] = [];
  /** The token before the current one; Jackson's error names it where the text ends within a number. */
  private last: string | null = null;
  private inName = false;
  private values = 0;

  constructor(
    text: string,
    private readonly maxValues: number,
  ) {
    super(text);
  }

  get position(): number {
    return this.at;
  }

  atEnd(): boolean {
    this.next();
    return this.at >= this.text.length;
  }

  root(): JsonNode {
    const root = this.value(0);
    this.open.length = 0;
    return root;
  }

  nextTokenName(): string {
    const char = this.text[this.at];
    if (char === '{') return 'START_OBJECT';
    if (char === '[') return 'START_ARRAY';
    // Jackson checks only the start of a string here.
    if (char === '"') return 'VALUE_STRING';
    this.last = null;
    const node = this.scalar() as Scalar;
    if (node.kind === 'number') return /^-?[0-9]+$/.test(node.text) ? 'VALUE_NUMBER_INT' : 'VALUE_NUMBER_FLOAT';
    return `VALUE_${node.text.toUpperCase()}`;
  }

  override value(depth: number): JsonNode {
    if (!this.atEnd() && ++this.values > this.maxValues)
      throw new JsonSyntaxError(`The document has more than ${this.maxValues} values`, 400);
    return super.value(depth);
  }

  protected newObject(at: number): JsonNode {
    this.open.push({ scope: 'Object', at });
    return { kind: 'object', at, members: new Map() };
  }
  protected newArray(at: number): JsonNode {
    this.open.push({ scope: 'Array', at });
    this.last = 'START_ARRAY';
    return { kind: 'array', at, items: [] };
  }
  protected addMember(object: JsonNode, name: string, value: JsonNode): void {
    this.closed(value);
    const members = (object as JsonObjectNode).members as Map<string, JsonNode>;
    // The last of duplicate members wins, at its own position.
    members.delete(name);
    members.set(name, value);
    if (members.size > MAX_MEMBERS)
      throw new JsonSyntaxError(`An object of the document has more than ${MAX_MEMBERS} members`, 400);
  }
  protected addItem(array: JsonNode, item: JsonNode): void {
    this.closed(item);
    ((array as JsonArrayNode).items as JsonNode[]).push(item);
    this.last = END_TOKENS[item.kind];
  }
  protected stringValue(text: string, at: number): JsonNode {
    return { kind: 'string', at, text };
  }
  protected literalValue(value: boolean | null, at: number): JsonNode {
    return { kind: value === null ? 'null' : 'boolean', at, text: String(value) };
  }

  private closed({ kind }: JsonNode): void {
    if (kind === 'object' || kind === 'array') this.open.pop();
  }

  protected override memberName(): string {
    this.inName = true;
    const name = this.string();
    this.inName = false;
    if (name.length > MAX_NAME) throw tooLong('Name', name.length, MAX_NAME, 'getMaxNameLength');
    this.last = 'FIELD_NAME';
    return name;
  }

  protected endsLiteral(at: number): boolean {
    WORD.lastIndex = at;
    return !WORD.test(this.text);
  }

  protected numberValue(at: number): JsonNode {
    this.checkNumber(at, this.at);
    const next = this.text[this.at] ?? '';
    if (this.open.length === 0 && !' \t\n\r'.includes(next))
      throw this.unexpected('Expected space separating root-level values');
    return { kind: 'number', at, text: this.text.slice(at, this.at) };
  }

  /** Checks the number up to `end`. */
  private checkNumber(start: number, end: number): void {
    const zero = this.text[start] === '-' ? start + 1 : start;
    if (this.text[zero] === '0' && /[0-9]/.test(this.text[zero + 1] ?? '')) {
      this.at = zero + 1;
      throw this.failure('Invalid numeric value: Leading zeroes not allowed');
    }
    if (end - start > MAX_NUMBER_LENGTH)
      throw tooLong('Number value', end - start, MAX_NUMBER_LENGTH, 'getMaxNumberLength');
  }

  protected problem(expected: Problem, at: number, start: number): Error {
    const ended = at >= this.text.length;
    switch (expected) {
      case 'less depth':
        return new JsonSyntaxError(
          `Document nesting depth (${MAX_DEPTH + 1}) exceeds the maximum allowed (${MAX_DEPTH}, from \`StreamReadConstraints.getMaxNestingDepth()\`)`,
          400,
        );
      case 'literal':
      case 'value':
        if (!ended) return this.badScalar();
        return this.last === 'START_ARRAY' ? this.unclosed() : this.incomplete();
      case 'whole':
        this.at = at;
        return this.badSign();
      case 'fraction':
      case 'exponent':
        return this.badNumber(expected, at, start);
      case 'member':
      case 'member or close':
        if (ended) return expected === 'member' ? this.incomplete() : this.unclosed();
        return this.unexpected('was expecting double-quote to start field name');
      case 'colon':
        return ended ? this.incomplete() : this.unexpected('was expecting a colon to separate field name and value');
      case 'object separator':
      case 'array separator':
        return ended ? this.unclosed() : this.badSeparator();
    }
  }

  /** Where the text ends after what the innermost object or array may end with. */
  private unclosed(): JsonSyntaxError {
    const { scope, at } = this.open.at(-1) as { scope: Scope; at: number };
    return this.failure(
      `Unexpected end-of-input: expected close marker for ${scope} (start marker at ${place(this.text, at)})`,
    );
  }

  /** Where the text ends although more must follow. */
  private incomplete(): JsonSyntaxError {
    return this.failure(`Unexpected end-of-input within/between ${this.open.at(-1)?.scope ?? 'Object'} entries`);
  }

  private badScalar(): JsonSyntaxError {
    const char = this.text[this.at] ?? '';
    if (char === '+') return this.badSign();
    const word = this.word();
    return word === '' ? this.noValue(char) : this.badToken(word);
  }

  /** A point or an exponent indicator without a digit after it. */
  private badNumber(expected: 'fraction' | 'exponent', at: number, start: number): JsonSyntaxError {
    this.checkNumber(start, at);
    this.at = at;
    if (expected === 'fraction') {
      // The position is that of a point at the end of the text, otherwise that of the character where a digit is
      // expected.
      if (at + 1 < this.text.length) this.at++;
      return this.unexpected('Decimal point not followed by a digit', ' in numeric value');
    }
    this.at += /[+-]/.test(this.text[at + 1] ?? '') ? 2 : 1;
    return this.unexpected('Exponent indicator not followed by a digit', ' in numeric value');
  }

  /** The letters and digits at the current position, or empty. */
  private word(): string {
    WORD.lastIndex = this.at;
    return WORD.exec(this.text)?.[0] ?? '';
  }

  /** A sign that is not followed by a number. */
  private badSign(): JsonSyntaxError {
    const sign = this.text[this.at++] ?? '';
    const word = this.word();
    if (word.startsWith('I') && word !== 'I') {
      this.at--;
      return this.badToken(sign + word);
    }
    if (sign === '-')
      return this.unexpected('expected digit (0-9) to follow minus sign, for valid numeric value', ' in numeric value');
    if (this.at === this.text.length) return this.failure('Unexpected end-of-input in a Number value');
    return this.failure(
      `Unexpected character ('+' (code 43)) in numeric value: JSON spec does not allow numbers to have plus signs: enable \`JsonReadFeature.ALLOW_LEADING_PLUS_SIGN_FOR_NUMBERS\` to allow`,
    );
  }

  private badToken(token: string): JsonSyntaxError {
    if (NON_STANDARD.test(token)) {
      this.at += token.length;
      return this.failure(
        `Non-standard token '${token}': enable \`JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS\` to allow`,
      );
    }
    const shown = token.length > MAX_TOKEN ? `${token.slice(0, MAX_TOKEN)}...` : token;
    return this.failure(`Unrecognized token '${shown}': was expecting ${VALUES}`);
  }

  /** Error where a value should start. */
  private noValue(char: string): JsonSyntaxError {
    const scope = this.open.at(-1)?.scope;
    if (char === '/')
      return this.unexpected(
        "maybe a (non-standard) comment? (not recognized as one since Feature 'ALLOW_COMMENTS' not enabled for parser)",
      );
    if (char !== '' && char < ' ') {
      this.at++;
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

  protected stringProblem(start: number): Error {
    const { kind, at } = findStringProblem(this.text, start);
    const char = this.text[at] ?? '';
    this.at = at;
    switch (kind) {
      case 'end':
        if (this.inName && at === start)
          return this.failure(`Unexpected end-of-input: was expecting closing '"' for name`);
        return this.failure(`Unexpected end-of-input in ${this.inName ? 'field name' : 'VALUE_STRING'}`);
      case 'control character':
        return this.failure(
          `Illegal unquoted character (${describeChar(char)}): has to be escaped using backslash to be included in string value`,
        );
      case 'escape':
        return char === '' ? this.endedInEscape() : this.failure(`Unrecognized character escape ${describeChar(char)}`);
      case 'hex digits': {
        this.at += /^[0-9a-fA-F]{0,3}/.exec(this.text.slice(at, at + 4))?.[0].length ?? 0;
        if (this.at === this.text.length) return this.endedInEscape();
        return this.unexpected('expected a hex-digit for character escape sequence');
      }
    }
  }

  private endedInEscape(): JsonSyntaxError {
    return this.failure('Unexpected end-of-input in character escape sequence');
  }

  private badSeparator(): JsonSyntaxError {
    const char = this.text[this.at] ?? '';
    const { scope, at } = this.open.at(-1) ?? { scope: 'Object', at: 0 };
    return char === '}' || char === ']'
      ? this.failure(
          `Unexpected close marker '${char}': expected '${scope === 'Object' ? '}' : ']'}' (for ${scope} starting at ${place(this.text, at)})`,
        )
      : this.unexpected(`was expecting comma to separate ${scope} entries`);
  }

  /** `inside` a number, the error about the end of the text names the token before it. */
  private unexpected(expectation: string, inside: ' in numeric value' | '' = ''): JsonSyntaxError {
    const char = this.text[this.at];
    if (char !== undefined)
      return this.failure(`Unexpected character (${describeChar(char)})${inside}: ${expectation}`);
    return this.failure(`Unexpected end-of-input${inside === '' ? `: ${expectation}` : ` in ${this.last}`}`);
  }

  private failure(message: string): JsonSyntaxError {
    return new JsonSyntaxError(message + location(this.text, this.at));
  }
}

/** Jackson's names of the token that ends a value. */
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
