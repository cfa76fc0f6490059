/**
 * Parses JSON with the place of an error, which browsers report differently or not at all. Numbers keep their text:
 * offsets may have more digits than a number of JavaScript holds, and `1.50` stays `1.50`. Pure.
 */

/** The text of a number. */
export class JsonNumber {
  constructor(readonly text: string) {}
}

export type JsonObject = ReadonlyMap<string, Json>;
export type Json = string | boolean | null | JsonNumber | readonly Json[] | JsonObject;

/** The text is not what it should be. `line` and `column` count from 1. */
export class TextError extends Error {
  override readonly name = 'TextError';
  constructor(
    readonly reason: string,
    readonly line: number,
    readonly column: number,
  ) {
    super(`Line ${line}, column ${column}: ${reason}`);
  }
}

export const LARGEST_TEXT = 1024 * 1024;
export const DEEPEST = 10;

const BLANKS = /[ \t\r\n]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** Up to the next quote, backslash or control character. */
// eslint-disable-next-line no-control-regex
const PLAIN = /[^"\\\x00-\x1f]*/y;
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))/y;
const ESCAPED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const WORDS: readonly (readonly [string, boolean | null])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

/** @throws TextError */
export function parseJson(text: string): Json {
  if (text.length > LARGEST_TEXT) throw new TextError(`The text is longer than ${LARGEST_TEXT} characters.`, 1, 1);
  return new Parser(text).document();
}

class Parser {
  private at = 0;

  constructor(private readonly text: string) {}

  document(): Json {
    this.blanks();
    const value = this.value(0);
    this.blanks();
    if (this.at < this.text.length) throw this.error('There is text after the end of the value.');
    return value;
  }

  private value(depth: number): Json {
    if (depth > DEEPEST) throw this.error(`Values are nested more than ${DEEPEST} deep.`);
    const next = this.text[this.at];
    if (next === '{') return this.object(depth);
    if (next === '[') return this.list(depth);
    if (next === '"') return this.string();
    const number = this.match(NUMBER);
    if (number) return new JsonNumber(number[0]);
    const word = WORDS.find(([name]) => this.text.startsWith(name, this.at));
    if (!word) throw this.error(next === undefined ? 'The text ends too early.' : 'A value is expected here.');
    this.at += word[0].length;
    return word[1];
  }

  private object(depth: number): JsonObject {
    const members = new Map<string, Json>();
    this.at++;
    this.blanks();
    if (this.skip('}')) return members;
    for (;;) {
      const start = this.at;
      if (this.text[start] !== '"') throw this.error('A key in double quotes is expected here.');
      const key = this.string();
      if (members.has(key)) throw this.error(`The key "${key}" occurs twice.`, start);
      this.blanks();
      if (!this.skip(':')) throw this.error(`A colon is expected after the key "${key}".`);
      this.blanks();
      members.set(key, this.value(depth + 1));
      this.blanks();
      if (this.skip('}')) return members;
      if (!this.skip(',')) throw this.error('A comma or } is expected here.');
      this.blanks();
    }
  }

  private list(depth: number): readonly Json[] {
    const items: Json[] = [];
    this.at++;
    this.blanks();
    if (this.skip(']')) return items;
    for (;;) {
      items.push(this.value(depth + 1));
      this.blanks();
      if (this.skip(']')) return items;
      if (!this.skip(',')) throw this.error('A comma or ] is expected here.');
      this.blanks();
    }
  }

  private string(): string {
    const start = this.at++;
    let value = '';
    for (;;) {
      value += this.match(PLAIN)?.[0] ?? '';
      if (this.skip('"')) return value;
      const escape = this.match(ESCAPE);
      if (escape)
        value += escape[1] ? String.fromCharCode(parseInt(escape[1], 16)) : (ESCAPED[escape[2]!] ?? escape[2]);
      else if (this.text[this.at] === '\\') throw this.error('This is not an escape of JSON.');
      else if (this.at >= this.text.length) throw this.error('The text that begins here has no closing quote.', start);
      else throw this.error('A line break or control character in a text must be escaped, as \\n.');
    }
  }

  private blanks(): void {
    this.match(BLANKS);
  }

  private skip(text: string): boolean {
    if (this.text[this.at] !== text) return false;
    this.at++;
    return true;
  }

  private match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found) this.at = pattern.lastIndex;
    return found;
  }

  private error(reason: string, at = this.at): TextError {
    return errorAt(this.text, at, reason);
  }
}

/** @param at position in the text */
export function errorAt(text: string, at: number, reason: string): TextError {
  const before = text.slice(0, at).split(/\r\n|\n|\r/);
  return new TextError(reason, before.length, before[before.length - 1]!.length + 1);
}

export function isObject(value: Json | undefined): value is JsonObject {
  return value instanceof Map;
}

/** @param indent 0: on one line */
export function writeJson(value: Json, indent = 2, level = 0): string {
  if (value instanceof JsonNumber) return value.text;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const items = isObject(value)
    ? [...value].map(
        ([key, item]) => `${JSON.stringify(key)}:${indent ? ' ' : ''}${writeJson(item, indent, level + 1)}`,
      )
    : (value as readonly Json[]).map((item) => writeJson(item, indent, level + 1));
  const [open, close] = isObject(value) ? '{}' : '[]';
  if (items.length === 0) return `${open}${close}`;
  const pad = indent ? `\n${' '.repeat(indent * (level + 1))}` : '';
  return `${open}${items.map((item) => pad + item).join(',')}${indent ? `\n${' '.repeat(indent * level)}` : ''}${close}`;
}
