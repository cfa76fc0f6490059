/**
 * Parses JSON as written by hand in a properties file: single quotes, names without quotes, `=` or `=>` for a colon,
 * `;` for a comma, trailing commas. Values are lists, objects, strings, and unquoted words, which are strings. Source:
 * analytics-sink §2.2.
 */
const MAX_DEPTH = 4;
const MAX_LENGTH = 1024 * 1024;

interface LenientResult {
  readonly value: unknown;
  /** Deviations from JSON other than single quotes. */
  readonly warnings: readonly string[];
}

/** @throws Error with the line, the column and the text found there. */
export function parseLenientJson(text: string): LenientResult {
  if (text.length > MAX_LENGTH) throw new Error(`it is longer than ${MAX_LENGTH} characters`);
  try {
    return { value: JSON.parse(text) as unknown, warnings: [] };
  } catch {
    const parser = new Parser(text);
    return { value: parser.document(), warnings: [...parser.warnings] };
  }
}

class Parser {
  readonly warnings = new Set<string>();
  private at = 0;

  constructor(private readonly text: string) {}

  document(): unknown {
    const value = this.value(1);
    this.space();
    if (this.at < this.text.length) throw this.unexpected('the end');
    return value;
  }

  private value(depth: number): unknown {
    if (depth > MAX_DEPTH) throw new Error(`it is nested deeper than ${MAX_DEPTH} levels`);
    this.space();
    const char = this.text[this.at];
    if (char === '[') return this.list(depth);
    if (char === '{') return this.object(depth);
    if (char === '"' || char === "'") return this.quoted();
    return this.word('a value', /[^\s,;:=>[\]{}"']+/y, true);
  }

  private list(depth: number): unknown[] {
    const items: unknown[] = [];
    this.at++;
    while (!this.closes(']', items.length > 0)) items.push(this.value(depth + 1));
    return items;
  }

  private object(depth: number): Record<string, unknown> {
    const members: Record<string, unknown> = {};
    this.at++;
    while (!this.closes('}', Object.keys(members).length > 0)) {
      this.space();
      const char = this.text[this.at];
      const name =
        char === '"' || char === "'" ? this.quoted() : String(this.word('a name', /[A-Za-z_][\w.-]*/y, false));
      this.space();
      if (this.skip('=>') || this.skip('=')) this.warnings.add(`'=' is used for ':'`);
      else if (!this.skip(':')) throw this.unexpected("':'");
      Object.defineProperty(members, name, { value: this.value(depth + 1), enumerable: true, configurable: true });
    }
    return members;
  }

  /** True at the closing bracket. Otherwise the separator, where one is required, has been consumed. */
  private closes(bracket: string, needsSeparator: boolean): boolean {
    this.space();
    if (this.skip(bracket)) return true;
    if (!needsSeparator) return false;
    if (this.skip(';')) this.warnings.add(`';' is used for ','`);
    else if (!this.skip(',')) throw this.unexpected(`',' or '${bracket}'`);
    this.space();
    if (!this.skip(bracket)) return false;
    this.warnings.add('a trailing comma before a closing bracket');
    return true;
  }

  private quoted(): string {
    const start = this.at;
    const quote = this.text[this.at++] as string;
    let value = '';
    for (; this.at < this.text.length; this.at++) {
      const char = this.text[this.at] as string;
      if (char === quote) {
        this.at++;
        return value;
      }
      value += char === '\\' ? this.escape() : char;
    }
    this.at = start;
    throw this.unexpected('a closing quote for what begins');
  }

  private escape(): string {
    const char = this.text[++this.at] ?? '';
    const plain = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', '/': '/', '\\': '\\', '"': '"', "'": "'" }[char];
    if (plain !== undefined) return plain;
    const code = this.text.slice(this.at + 1, this.at + 5);
    if (char !== 'u' || !/^[0-9a-fA-F]{4}$/.test(code)) throw this.unexpected('an escape');
    this.at += 4;
    return String.fromCharCode(parseInt(code, 16));
  }

  private word(what: string, pattern: RegExp, mayBeLiteral: boolean): unknown {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text)?.[0];
    if (match === undefined) throw this.unexpected(what);
    this.at += match.length;
    if (mayBeLiteral && match === 'null') return null;
    if (mayBeLiteral && (match === 'true' || match === 'false')) return match === 'true';
    this.warnings.add('names or values without quotes');
    return match;
  }

  private skip(text: string): boolean {
    if (!this.text.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  private space(): void {
    while (/\s/.test(this.text[this.at] ?? '')) this.at++;
  }

  private unexpected(expected: string): Error {
    const before = this.text.slice(0, this.at).split('\n');
    const found = this.text.slice(this.at, this.at + 20);
    const place = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
    return new Error(`expected ${expected} at ${place}, found ${found === '' ? 'the end' : `'${found}'`}`);
  }
}
