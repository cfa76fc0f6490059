/** Reads tokens. Each function returns the expected token or throws an error that names the actual one. */
import { badRequest } from '../kusto-error';
import { parseColumnType, type Column } from '../engine/column-types';
import { tokenize, type Token } from './tokens';

export class Reader {
  private readonly tokens: readonly Token[];
  private at = 0;

  constructor(readonly text: string) {
    this.tokens = tokenize(text);
  }

  get done(): boolean {
    return this.at >= this.tokens.length;
  }

  /** Skips the words or symbols if they are next, ignoring case. */
  skip(...expected: readonly string[]): boolean {
    const stand = this.nextIs(...expected);
    if (stand) this.at += expected.length;
    return stand;
  }

  nextIs(...expected: readonly string[]): boolean {
    return expected.every((text, i) => {
      const token = this.tokens[this.at + i];
      return token !== undefined && token.kind !== 'string' && token.text.toLowerCase() === text.toLowerCase();
    });
  }

  expect(...expected: readonly string[]): void {
    if (!this.skip(...expected)) throw this.unexpected(`'${expected.join(' ')}'`);
  }

  /** Reads one of the options, which may have several words separated by spaces. */
  oneOf(...words: readonly string[]): string {
    const found = words.find((word) => this.skip(...word.split(' ')));
    if (found === undefined) throw this.unexpected(words.map((word) => `'${word}'`).join(' or '));
    return found;
  }

  /** A plain name, `['quoted']` or `["quoted"]`; names with dashes and dots, as tables of the sink may have, too. */
  name(): string {
    if (this.skip('[')) {
      const name = this.string();
      this.expect(']');
      return name;
    }
    const token = this.tokens[this.at];
    if (token?.kind !== 'word') throw this.unexpected('a name');
    this.at++;
    return token.text;
  }

  string(): string {
    const token = this.tokens[this.at];
    if (token?.kind !== 'string') throw this.unexpected('a string literal');
    this.at++;
    return token.text;
  }

  /** One or more adjacent string literals. */
  strings(): string[] {
    const texts = [this.string()];
    while (this.nextIsString()) texts.push(this.string());
    return texts;
  }

  nextIsString(): boolean {
    return this.tokens[this.at]?.kind === 'string';
  }

  number(): string {
    const token = this.tokens[this.at];
    if (token?.kind !== 'number') throw this.unexpected('a number');
    this.at++;
    return token.text;
  }

  nextIsNumber(): boolean {
    return this.tokens[this.at]?.kind === 'number';
  }

  /** `(a:string, b:int)` */
  columns(): Column[] {
    this.expect('(');
    const columns: Column[] = [];
    do {
      const name = this.name();
      this.expect(':');
      columns.push({ name, type: parseColumnType(this.name()) });
    } while (this.skip(','));
    this.expect(')');
    return columns;
  }

  /** The text up to the next such symbol, which is not consumed. */
  rawUntil(symbol: string): string {
    const start = this.tokens[this.at]?.at ?? this.text.length;
    while (this.at < this.tokens.length && this.tokens[this.at]?.text !== symbol) this.at++;
    return this.text.slice(start, this.tokens[this.at]?.at ?? this.text.length).trim();
  }

  /** The remaining text. */
  rest(): string {
    const start = this.tokens[this.at - 1]?.end ?? 0;
    this.at = this.tokens.length;
    return this.text.slice(start).trimStart();
  }

  /** @throws KustoError if there are tokens left. */
  end(): void {
    this.skip(';');
    if (!this.done) throw this.unexpected('the end');
  }

  unexpected(expected: string): Error {
    const token = this.tokens[this.at];
    const found = token ? `'${token.text}' at position ${token.at}` : 'the end';
    return badRequest(`Syntax error: expected ${expected}, found ${found}`);
  }
}
