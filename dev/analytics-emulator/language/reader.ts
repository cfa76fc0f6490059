/** Walks over tokens; every `read` either gives what was asked for or names what stands there instead. */
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

  /** Moves past the words or symbols when they stand here, whatever their case. */
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

  /** The one of these that stands here; those of several words have spaces in between. */
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

  /** Literals side by side: at least one. What they mean together, the command knows. */
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

  /** The text from here to the next such symbol, which stays. */
  rawUntil(symbol: string): string {
    const start = this.tokens[this.at]?.at ?? this.text.length;
    while (this.at < this.tokens.length && this.tokens[this.at]?.text !== symbol) this.at++;
    return this.text.slice(start, this.tokens[this.at]?.at ?? this.text.length).trim();
  }

  /** Everything from here to the end, as it was written. */
  rest(): string {
    const start = this.tokens[this.at - 1]?.end ?? 0;
    this.at = this.tokens.length;
    return this.text.slice(start).trimStart();
  }

  /** @throws KustoError when something is left. */
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
