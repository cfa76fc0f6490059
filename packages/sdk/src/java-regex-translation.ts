/**
 * Translates Java regular expressions to JavaScript. Syntax with the same meaning in both is passed through, and syntax
 * that JavaScript lacks is a syntax error there. Only what the two read differently is rewritten here.
 */
const SETS: Readonly<Record<string, string>> = {
  Lower: 'a-z',
  Upper: 'A-Z',
  Alpha: 'A-Za-z',
  Digit: '0-9',
  Alnum: 'A-Za-z0-9',
  Punct: '!-\\/:-@\\[-`\\{-\\x7e',
  Graph: '!-\\x7e',
  Print: ' -\\x7e',
  Blank: ' \\t',
  Cntrl: '\\x00-\\x1f\\x7f',
  Space: '\\t\\n\\v\\f\\r ',
  XDigit: '0-9A-Fa-f',
  ASCII: '\\x00-\\x7f',
  /** JavaScript's `\s` also matches Unicode spaces. */
  s: '\\t\\n\\v\\f\\r ',
  h: ' \\t\\xa0\\u1680\\u180e\\u2000-\\u200a\\u202f\\u205f\\u3000',
  /** In JavaScript, `\v` is a single character. */
  v: '\\n\\v\\f\\r\\x85\\u2028\\u2029',
};
const CONTROLS: Readonly<Record<string, string>> = { '\\a': '\\x07', '\\e': '\\x1b' };

/** One escape, class member or other unit per match, so that a `+` after a quantifier is recognized as possessive. */
const TOKEN = new RegExp(
  [
    '\\\\Q(?<literal>[^]*?)(?:\\\\E|$)',
    `\\\\(?<not>[pP])\\{(?<posix>${Object.keys(SETS)
      .filter((name) => name.length > 1)
      .join('|')})\\}`,
    '\\\\(?<space>[shvSHV])',
    '\\\\[pP](?<category>[A-Z])',
    '\\\\[pPx]\\{[^}]*\\}|\\\\[^]',
    '(?<quantifier>[*+?]|\\{\\d+(?:,\\d*)?\\})',
    '&&|[^]',
  ].join('|'),
  'gu',
);

export interface Translated {
  readonly source: string;
  /**
   * The source needs JavaScript's flag `v`: it has nested classes, or complements that ignore case.
   */
  readonly sets: boolean;
}

interface OpenClass {
  /** Position in the output where its members start. */
  start: number;
  intersected: boolean;
}

/** What precedes the current position in the innermost class: decides whether a `-` is a range. */
type Before = 'nothing' | 'character' | 'range';

class Translation {
  private out = '';
  private readonly open: OpenClass[] = [];
  private sets = false;
  private before: Before = 'nothing';

  constructor(private readonly pattern: string) {}

  run(): Translated {
    /** At the start of a class, where `]` is a member. */
    let first = false;
    let quantified = false;
    const tokens = [...this.pattern.matchAll(TOKEN)];
    for (const [i, match] of tokens.entries()) {
      const [token] = match;
      const inClass = this.open.length > 0;
      const begins: boolean = first;
      const possessive: boolean = quantified && token === '+';
      first = begins && token === '^';
      quantified = !inClass && match.groups?.quantifier !== undefined && !possessive;
      if (match.groups?.literal !== undefined) this.literal(match.groups.literal);
      // A possessive quantifier becomes greedy: it backtracks more, and rarely changes what matches.
      else if (this.isSet(match) || (!inClass && possessive)) continue;
      else if (token === '[') {
        first = true;
        this.openClass();
      } else if (!inClass) this.out += outside(token);
      else if (token === ']' && !begins) this.closeClass();
      else if (token === '&&') this.intersect();
      else if (first) this.negate();
      else this.member(token, tokens[i + 1]?.[0]);
    }
    return { source: this.out, sets: this.sets };
  }

  private literal(text: string): void {
    this.out += [...text].map(escaped).join('');
    this.before = 'character';
  }

  /** Writes a named set of characters, or its complement. Returns false for any other token. */
  private isSet({ 0: token, groups }: RegExpExecArray): boolean {
    const { not, posix, space, category } = groups ?? {};
    const name = posix ?? space?.toLowerCase();
    const complement = not === 'P' || (space !== undefined && space !== space.toLowerCase());
    if (name !== undefined) {
      const members = SETS[name] as string;
      const bare = this.open.length > 0 && !complement;
      this.out += bare ? members : `[${complement ? '^' : ''}${members}]`;
      this.sets ||= complement && this.open.length > 0;
    } else if (category !== undefined) this.out += `${token.slice(0, 2)}{${category}}`;
    else if (!/^\\(?:[pP]\{|[dDwW])/.test(token)) return false;
    else this.out += token;
    this.sets ||= token.startsWith('\\P');
    this.before = 'nothing';
    return true;
  }

  private openClass(): void {
    this.sets ||= this.open.length > 0;
    this.out += '[';
    this.open.push({ start: this.out.length, intersected: false });
    this.before = 'nothing';
  }

  private negate(): void {
    this.out += '^';
    (this.open.at(-1) as OpenClass).start = this.out.length;
  }

  private closeClass(): void {
    this.out += this.open.pop()?.intersected ? ']]' : ']';
    this.before = 'nothing';
  }

  /** JavaScript requires a class on each side of `&&`. */
  private intersect(): void {
    const current = this.open.at(-1) as OpenClass;
    const members = this.out.slice(current.start);
    if (members === '') throw new SyntaxError('nothing stands before &&');
    this.out = current.intersected ? `${this.out}]&&[` : `${this.out.slice(0, current.start)}[${members}]&&[`;
    current.start = this.out.length;
    current.intersected = true;
    this.sets = true;
    this.before = 'nothing';
  }

  private member(token: string, next: string | undefined): void {
    if (token === '-' && this.before === 'character' && next !== ']' && next !== '[') {
      this.out += token;
      this.before = 'range';
      return;
    }
    this.out += token.startsWith('\\') ? single(token) : [...token].map(escaped).join('');
    this.before = this.before === 'range' ? 'nothing' : 'character';
  }
}

function outside(token: string): string {
  if (token === '\\A') return '^';
  if (token === '\\z' || token === '\\Z') return '$';
  if (token.startsWith('\\')) return single(token);
  return token === ']' || token === '}' ? escaped(token) : token;
}

/** Translates an escape. JavaScript's flags `u` and `v` reject unnecessary escapes. */
function single(token: string): string {
  if (token.startsWith('\\x{')) return `\\u${token.slice(2)}`;
  if (/^\\[!-/:-@[-`{-~ ]$/.test(token) || /^\\[^ -~]$/u.test(token)) return escaped(token.slice(1));
  return CONTROLS[token] ?? token;
}

/** The character as a literal, inside and outside of classes. */
function escaped(character: string): string {
  return /^[!-/:-@[-`{-~]$/.test(character) ? `\\x${character.charCodeAt(0).toString(16)}` : character;
}

/** Throws SyntaxError with the reason if the pattern cannot be translated. */
export function translateJavaRegex(pattern: string): Translated {
  return new Translation(pattern).run();
}
