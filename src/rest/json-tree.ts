/**
 * A JSON parser that keeps what `JSON.parse` throws away: the text of numbers (`1.50`, 20 digits) and where things stand. Errors have
 * Jackson's words, which clients match on. Source: connect-rest §0.2, §2.4.
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
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const WORD = /[\p{L}\p{N}_$]+/uy;
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

function place(text: string, at: number): string {
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  return `[Source: ${SOURCE}; line: ${line}, column: ${at - before.lastIndexOf('\n')}]`;
}

/** The ending of every message. */
export function location(text: string, at: number): string {
  return `\n at ${place(text, at)}`;
}

export interface ParsedJson {
  readonly root: JsonNode;
  /** What is wrong with the text after the value; kept apart because Java binds the value first. `boundAs` is Java's class. */
  readonly trailing: ((boundAs: string) => JsonSyntaxError) | null;
}

/** Null when there is nothing but whitespace. Throws JsonSyntaxError. */
export function parseJson(text: string): ParsedJson | null {
  const parser = new Parser(text);
  if (parser.atEnd()) return null;
  const root = parser.value(1);
  if (parser.atEnd()) return { root, trailing: null };
  let token: string;
  try {
    token = parser.nextTokenName();
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return { root, trailing: () => error };
  }
  const where = location(text, parser.position);
  return {
    root,
    trailing: (boundAs) =>
      new JsonSyntaxError(
        `Trailing token (of type ${token}) found after value (bound as \`${boundAs}\`): not allowed as per \`DeserializationFeature.FAIL_ON_TRAILING_TOKENS\`${where}`,
      ),
  };
}

class Parser {
  position = 0;

  constructor(private readonly text: string) {}

  atEnd(): boolean {
    while (' \t\n\r'.includes(this.text[this.position] ?? 'x')) this.position++;
    return this.position >= this.text.length;
  }

  nextTokenName(): string {
    const char = this.text[this.position];
    if (char === '{') return 'START_OBJECT';
    if (char === '[') return 'START_ARRAY';
    const node = this.scalar();
    if (node.kind === 'string') return 'VALUE_STRING';
    if (node.kind === 'number') return /^-?[0-9]+$/.test(node.text) ? 'VALUE_NUMBER_INT' : 'VALUE_NUMBER_FLOAT';
    return `VALUE_${node.text.toUpperCase()}`;
  }

  value(depth: number): JsonNode {
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
    this.skip('Object', at);
    if (this.take('}')) return { kind: 'object', at, members };
    for (;;) {
      if (this.text[this.position] !== '"') {
        throw this.unexpected('was expecting double-quote to start field name');
      }
      const name = this.string('was expecting closing quote for a field name');
      this.skip('Object', at);
      if (!this.take(':')) throw this.unexpected('was expecting a colon to separate field name and value');
      this.skip('Object', at);
      const value = this.value(depth + 1);
      // The last of several wins, in its own place.
      members.delete(name);
      members.set(name, value);
      this.skip('Object', at);
      if (this.take('}')) return { kind: 'object', at, members };
      if (!this.take(',')) throw this.badSeparator('Object', '}', at);
      this.skip('Object', at);
    }
  }

  private array(depth: number): JsonNode {
    const at = this.position++;
    const items: JsonNode[] = [];
    this.skip('Array', at);
    if (this.take(']')) return { kind: 'array', at, items };
    for (;;) {
      items.push(this.value(depth + 1));
      this.skip('Array', at);
      if (this.take(']')) return { kind: 'array', at, items };
      if (!this.take(',')) throw this.badSeparator('Array', ']', at);
      this.skip('Array', at);
    }
  }

  private scalar(): Extract<JsonNode, { text: string }> {
    const at = this.position;
    const char = this.text[at] ?? '';
    if (char === '"')
      return { kind: 'string', at, text: this.string('was expecting closing quote for a string value') };
    if (char === '-' || (char >= '0' && char <= '9')) return { kind: 'number', at, text: this.number() };
    WORD.lastIndex = at;
    const word = WORD.exec(this.text)?.[0];
    if (word === undefined) throw this.unexpected(`expected a valid value ${VALUES}`);
    this.position += word.length;
    if (word === 'null') return { kind: 'null', at, text: word };
    if (word === 'true' || word === 'false') return { kind: 'boolean', at, text: word };
    throw this.failure(`Unrecognized token '${word}': was expecting ${VALUES}`);
  }

  private number(): string {
    NUMBER.lastIndex = this.position;
    const found = NUMBER.exec(this.text)?.[0];
    if (found === undefined) {
      this.position++;
      throw this.unexpected('expected digit (0-9) to follow minus sign, for valid numeric value');
    }
    this.position += found.length;
    const next = this.text[this.position] ?? '';
    if (/[0-9]/.test(next)) throw this.failure('Invalid numeric value: Leading zeroes not allowed');
    if (/[.eE]/.test(next)) {
      this.position++;
      throw this.unexpected(
        next === '.' ? 'Decimal point not followed by a digit' : 'Exponent indicator not followed by a digit',
      );
    }
    if (/[\p{L}\p{N}_$+-]/u.test(next)) throw this.unexpected('Expected space separating root-level values');
    return found;
  }

  private string(expectation: string): string {
    let out = '';
    let from = ++this.position;
    for (;;) {
      const char = this.text[this.position];
      if (char === undefined) throw this.failure(`Unexpected end-of-input: ${expectation}`);
      if (char === '"') {
        out += this.text.slice(from, this.position++);
        return out;
      }
      if (char < ' ') {
        throw this.failure(
          `Illegal unquoted character (${describeChar(char)}): has to be escaped using backslash to be included in string value`,
        );
      }
      if (char !== '\\') {
        this.position++;
        continue;
      }
      out += this.text.slice(from, this.position) + this.escape();
      from = this.position;
    }
  }

  private escape(): string {
    const code = this.text[this.position + 1];
    if (code === undefined) {
      this.position++;
      throw this.failure('Unexpected end-of-input: in character escape sequence');
    }
    const simple = ESCAPES[code];
    if (simple !== undefined) {
      this.position += 2;
      return simple;
    }
    if (code !== 'u') throw this.failure(`Unrecognized character escape ${describeChar(code)}`);
    const hex = this.text.slice(this.position + 2, this.position + 6);
    if (!/^[0-9a-fA-F]{4}$/.test(hex)) {
      this.position += 2 + (/^[0-9a-fA-F]*/.exec(hex)?.[0].length ?? 0);
      throw this.unexpected('expected a hex-digit for character escape sequence');
    }
    this.position += 6;
    return String.fromCharCode(parseInt(hex, 16));
  }

  /** Skips whitespace inside an object or array that began at `start`. */
  private skip(scope: 'Object' | 'Array', start: number): void {
    if (!this.atEnd()) return;
    throw this.failure(
      `Unexpected end-of-input: expected close marker for ${scope} (start marker at ${place(this.text, start)})`,
    );
  }

  private take(char: string): boolean {
    if (this.text[this.position] !== char) return false;
    this.position++;
    return true;
  }

  private badSeparator(scope: 'Object' | 'Array', close: string, start: number): JsonSyntaxError {
    const char = this.text[this.position] ?? '';
    return char === '}' || char === ']'
      ? this.failure(
          `Unexpected close marker '${char}': expected '${close}' (for ${scope} starting at ${place(this.text, start)})`,
        )
      : this.unexpected(`was expecting comma to separate ${scope} entries`);
  }

  private unexpected(expectation: string): JsonSyntaxError {
    const char = this.text[this.position];
    return char === undefined
      ? this.failure(`Unexpected end-of-input: ${expectation}`)
      : this.failure(`Unexpected character (${describeChar(char)}): ${expectation}`);
  }

  private failure(message: string): JsonSyntaxError {
    return new JsonSyntaxError(message + location(this.text, this.position));
  }
}

/** `'x' (code 120)`, or `CTRL-CHAR, code 10` as Jackson writes it. */
function describeChar(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  return code < 32 ? `(CTRL-CHAR, code ${code})` : `'${char}' (code ${code})`;
}
