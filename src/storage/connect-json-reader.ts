/**
 * Reads JSON as Java's internal converter does: integers exact (int64, wrapping), floats apart from integers, leading
 * zeros and anything after the first value tolerated. Source: connect-runtime §1.3.
 */
import { setMember } from '@millrace/sdk';
import { Float64, type JsonValue } from './json-values';

export class JsonSyntaxError extends Error {
  constructor(message: string, position: number) {
    super(`${message} at character ${position}`);
    this.name = 'JsonSyntaxError';
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });
/** Deeper text is refused, as Java does, before it can exhaust the stack. */
const MAX_DEPTH = 1000;
/** Java's limit: longer ones cost more than their text. */
const MAX_NUMBER_LENGTH = 1000;
const NUMBER = /-?\d+(\.\d+)?([eE][+-]?\d+)?/y;
// A raw control character inside a string is an error.
// eslint-disable-next-line no-control-regex
const PLAIN_TEXT = /[^"\\\u0000-\u001f]*/y;
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

class Reader {
  private at = 0;
  private depth = 0;
  constructor(private readonly text: string) {}

  value(): JsonValue {
    this.skipBlanks();
    const first = this.text[this.at];
    switch (first) {
      case undefined:
        throw new JsonSyntaxError('unexpected end of JSON text', this.at);
      case '{':
        return this.nested(() => this.object());
      case '[':
        return this.nested(() => this.array());
      case '"':
        return this.string();
      case 't':
        return this.literal('true', true);
      case 'f':
        return this.literal('false', false);
      case 'n':
        return this.literal('null', null);
      default:
        return this.number();
    }
  }

  skipBlanks(): void {
    while (' \t\n\r'.includes(this.text[this.at] ?? 'x')) this.at++;
  }

  private nested<T>(read: () => T): T {
    if (++this.depth > MAX_DEPTH) throw new JsonSyntaxError(`nesting deeper than ${MAX_DEPTH}`, this.at);
    this.at++;
    const value = read();
    this.depth--;
    return value;
  }

  private object(): JsonValue {
    const members: Record<string, JsonValue> = {};
    this.skipBlanks();
    if (this.take('}')) return members;
    for (;;) {
      this.skipBlanks();
      if (this.text[this.at] !== '"') throw new JsonSyntaxError('expected a member name', this.at);
      const name = this.string();
      this.skipBlanks();
      this.expect(':');
      const value = this.value();
      setMember(members, name, value);
      this.skipBlanks();
      if (this.take('}')) return members;
      this.expect(',');
    }
  }

  private array(): JsonValue {
    const items: JsonValue[] = [];
    this.skipBlanks();
    if (this.take(']')) return items;
    for (;;) {
      items.push(this.value());
      this.skipBlanks();
      if (this.take(']')) return items;
      this.expect(',');
    }
  }

  private string(): string {
    this.at++;
    let text = '';
    for (;;) {
      PLAIN_TEXT.lastIndex = this.at;
      text += PLAIN_TEXT.exec(this.text)?.[0] ?? '';
      this.at = PLAIN_TEXT.lastIndex;
      if (this.take('"')) return text;
      this.expect('\\');
      text += this.escape();
    }
  }

  private escape(): string {
    const kind = this.text[this.at++] ?? '';
    if (kind !== 'u') {
      const plain = ESCAPES[kind];
      if (plain === undefined) throw new JsonSyntaxError('unknown escape', this.at - 1);
      return plain;
    }
    const digits = this.text.slice(this.at, this.at + 4);
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw new JsonSyntaxError('bad \\u escape', this.at);
    this.at += 4;
    return String.fromCharCode(parseInt(digits, 16));
  }

  private number(): JsonValue {
    NUMBER.lastIndex = this.at;
    const match = NUMBER.exec(this.text);
    if (!match) throw new JsonSyntaxError('unexpected character', this.at);
    this.at = NUMBER.lastIndex;
    if (/[\w.+-]/.test(this.text[this.at] ?? ' ')) throw new JsonSyntaxError('malformed number', this.at);
    const [digits, fraction, exponent] = match;
    if (digits.length > MAX_NUMBER_LENGTH)
      throw new JsonSyntaxError(`a number of more than ${MAX_NUMBER_LENGTH} characters`, this.at);
    if (fraction !== undefined || exponent !== undefined) {
      const float = Number(digits);
      return Number.isInteger(float) ? new Float64(float) : float;
    }
    const small = Number(digits);
    if (Number.isSafeInteger(small)) return small === 0 ? 0 : small;
    return BigInt.asIntN(64, digits.startsWith('-') ? -BigInt(digits.slice(1)) : BigInt(digits));
  }

  private literal<T extends JsonValue>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at) || /\w/.test(this.text[this.at + word.length] ?? ' '))
      throw new JsonSyntaxError('unknown word', this.at);
    this.at += word.length;
    return value;
  }

  private take(char: string): boolean {
    if (this.text[this.at] !== char) return false;
    this.at++;
    return true;
  }

  private expect(char: string): void {
    if (!this.take(char)) throw new JsonSyntaxError(`expected '${char}'`, this.at);
  }
}

/** Empty bytes are null. Throws JsonSyntaxError. */
export function readJson(bytes: Uint8Array): JsonValue {
  if (bytes.length === 0) return null;
  let text: string;
  try {
    text = UTF8.decode(bytes);
  } catch {
    throw new JsonSyntaxError('bytes that are not UTF-8', 0);
  }
  return new Reader(text).value();
}
