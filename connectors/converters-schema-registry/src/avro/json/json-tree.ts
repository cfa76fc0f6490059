/**
 * JSON whose numbers keep their digits and whose objects keep the order of their members, which schemas need:
 * `JSON.parse` rounds the defaults of longs.
 */

/** A number as its text. */
export class JsonNumber {
  constructor(readonly text: string) {}
}

export type JsonObject = ReadonlyMap<string, JsonTree>;
export type JsonTree = null | boolean | string | JsonNumber | readonly JsonTree[] | JsonObject;

export function isJsonObject(tree: JsonTree | undefined): tree is JsonObject {
  return tree instanceof Map;
}

export function isJsonArray(tree: JsonTree | undefined): tree is readonly JsonTree[] {
  return Array.isArray(tree);
}

/** Deeper text is refused: what reads the tree is recursive. */
export const MAX_JSON_DEPTH = 1_000;

/** Throws SyntaxError. */
export function parseJson(text: string): JsonTree {
  return new JsonParser(text).whole();
}

const BLANKS = /[ \t\r\n]*/y;
// eslint-disable-next-line no-control-regex
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORDS: readonly (readonly [string, JsonTree])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

class JsonParser {
  private at = 0;
  private depth = 0;

  constructor(private readonly text: string) {}

  whole(): JsonTree {
    const tree = this.value();
    this.match(BLANKS);
    if (this.at < this.text.length) this.fail();
    return tree;
  }

  private value(): JsonTree {
    this.match(BLANKS);
    switch (this.text[this.at]) {
      case '{':
        return this.nested(() => this.object());
      case '[':
        return this.nested(() => this.array());
      case '"':
        return this.string();
      default:
        return this.word();
    }
  }

  private nested<T>(read: () => T): T {
    if (++this.depth > MAX_JSON_DEPTH) throw new SyntaxError(`it is nested deeper than ${MAX_JSON_DEPTH} levels`);
    this.at++;
    const tree = read();
    this.depth--;
    return tree;
  }

  private object(): JsonObject {
    const members = new Map<string, JsonTree>();
    if (this.ends('}')) return members;
    do {
      this.match(BLANKS);
      const name = this.string();
      this.match(BLANKS);
      this.expect(':');
      members.set(name, this.value());
    } while (this.goesOn('}'));
    return members;
  }

  private array(): JsonTree[] {
    const elements: JsonTree[] = [];
    if (this.ends(']')) return elements;
    do elements.push(this.value());
    while (this.goesOn(']'));
    return elements;
  }

  private string(): string {
    this.expect('"');
    const start = this.at;
    this.match(PLAIN);
    if (this.text[this.at] === '"') return this.text.slice(start, this.at++);
    while (this.text[this.at] === '\\') {
      if (this.match(ESCAPE) === '') this.fail();
      this.match(PLAIN);
    }
    this.expect('"');
    return JSON.parse(this.text.slice(start - 1, this.at)) as string;
  }

  private word(): JsonTree {
    for (const [word, tree] of WORDS) {
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length;
        return tree;
      }
    }
    const digits = this.match(NUMBER);
    return digits === '' ? this.fail() : new JsonNumber(digits);
  }

  private ends(close: string): boolean {
    this.match(BLANKS);
    if (this.text[this.at] !== close) return false;
    this.at++;
    return true;
  }

  private goesOn(close: string): boolean {
    if (this.ends(close)) return false;
    this.expect(',');
    return true;
  }

  private expect(character: string): void {
    if (this.text[this.at] !== character) this.fail();
    this.at++;
  }

  /** What the sticky expression matches here; empty if it does not. */
  private match(expression: RegExp): string {
    expression.lastIndex = this.at;
    const found = expression.exec(this.text)?.[0] ?? '';
    this.at += found.length;
    return found;
  }

  private fail(): never {
    const found = this.text[this.at];
    throw new SyntaxError(
      found === undefined ? 'it ends early' : `there is an unexpected ${JSON.stringify(found)} at ${this.at}`,
    );
  }
}
