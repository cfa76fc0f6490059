/** Splits the text of a .proto file into tokens, in one pass and without recursion. */
import { schemaError } from '../faults';
import { MOST_CHARACTERS, MOST_NAME } from '../limits';

export interface Token {
  /** `word`: a name, with its dots; `symbol`: one character. */
  readonly kind: 'word' | 'number' | 'text' | 'symbol' | 'end';
  readonly text: string;
  /** Of a text in quotes. */
  readonly bytes: Buffer | null;
  readonly line: number;
}

const BLANK = /\s/;
const WORD_START = /[A-Za-z_]/;
const WORD = /[A-Za-z0-9_.]*/y;
const NUMBER = /(?:0[xX][0-9A-Fa-f]+|[0-9]*\.?[0-9]*(?:[eE][+-]?[0-9]+)?)/y;
const DIGIT = /[0-9]/;
const ESCAPES: ReadonlyMap<string, number> = new Map([
  ['a', 7],
  ['b', 8],
  ['f', 12],
  ['n', 10],
  ['r', 13],
  ['t', 9],
  ['v', 11],
]);

export class ProtoTokens {
  private at = 0;
  private line = 1;
  private peeked: Token | null = null;

  constructor(private readonly text: string) {
    if (text.length > MOST_CHARACTERS)
      throw schemaError(`The schema has ${text.length} characters; at most ${MOST_CHARACTERS} are read.`);
  }

  peek(): Token {
    return (this.peeked ??= this.read());
  }

  next(): Token {
    const token = this.peek();
    this.peeked = null;
    return token;
  }

  private read(): Token {
    this.skipBlanks();
    const { text, at, line } = this;
    const first = text.charAt(at);
    if (first === '') return { kind: 'end', text: '', bytes: null, line };
    if (WORD_START.test(first) || (first === '.' && WORD_START.test(text.charAt(at + 1)))) {
      WORD.lastIndex = at + 1;
      const word = first + ((WORD.exec(text) as RegExpExecArray)[0] as string);
      if (word.length > MOST_NAME)
        throw schemaError(`A name in line ${line} of the schema has more than ${MOST_NAME} characters.`);
      return this.token('word', word);
    }
    if (DIGIT.test(first) || (first === '.' && DIGIT.test(text.charAt(at + 1)))) {
      NUMBER.lastIndex = at;
      return this.token('number', (NUMBER.exec(text) as RegExpExecArray)[0] as string);
    }
    if (first === '"' || first === "'") return this.quoted(first);
    return this.token('symbol', first);
  }

  private token(kind: Token['kind'], text: string): Token {
    this.at += text.length;
    return { kind, text, bytes: null, line: this.line };
  }

  private skipBlanks(): void {
    const { text } = this;
    for (;;) {
      const char = text.charAt(this.at);
      if (char !== '' && BLANK.test(char)) {
        if (char === '\n') this.line++;
        this.at++;
      } else if (char === '/' && text.charAt(this.at + 1) === '/') {
        const end = text.indexOf('\n', this.at);
        this.at = end === -1 ? text.length : end;
      } else if (char === '/' && text.charAt(this.at + 1) === '*') {
        const end = text.indexOf('*/', this.at + 2);
        if (end === -1) throw this.unfinished('comment');
        for (let i = text.indexOf('\n', this.at); i !== -1 && i < end; i = text.indexOf('\n', i + 1)) this.line++;
        this.at = end + 2;
      } else if (char === '\ufeff' && this.at === 0) this.at++;
      else return;
    }
  }

  private quoted(quote: string): Token {
    const { text, line } = this;
    const bytes: Buffer[] = [];
    let start = this.at + 1;
    let at = start;
    for (;;) {
      const char = text.charAt(at);
      if (char === '' || char === '\n') throw this.unfinished('text');
      if (char === quote) break;
      if (char !== '\\') {
        at++;
        continue;
      }
      bytes.push(Buffer.from(text.slice(start, at)));
      this.at = at + 1;
      bytes.push(this.escape());
      start = at = this.at;
    }
    bytes.push(Buffer.from(text.slice(start, at)));
    this.at = at + 1;
    const all = bytes.length === 1 ? (bytes[0] as Buffer) : Buffer.concat(bytes);
    return { kind: 'text', text: all.toString(), bytes: all, line };
  }

  /** What follows a backslash. */
  private escape(): Buffer {
    const char = this.text.charAt(this.at);
    const simple = ESCAPES.get(char);
    if (simple !== undefined) {
      this.at++;
      return Buffer.of(simple);
    }
    const octal = this.match(/[0-7]{1,3}/y);
    if (octal !== null) return Buffer.of(parseInt(octal, 8) & 255);
    const hex = this.match(/[xX][0-9A-Fa-f]{1,2}/y);
    if (hex !== null) return Buffer.of(parseInt(hex.slice(1), 16));
    const code = this.match(/u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}/y);
    if (code !== null) {
      const point = parseInt(code.slice(1), 16);
      if (point > 0x10ffff) throw this.unfinished('text');
      return Buffer.from(String.fromCodePoint(point));
    }
    this.at++;
    return Buffer.from(char);
  }

  private match(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? null;
    if (found !== null) this.at += found.length;
    return found;
  }

  private unfinished(what: string): Error {
    return schemaError(`The schema is not a .proto file: the ${what} in line ${this.line} is not complete.`);
  }
}
