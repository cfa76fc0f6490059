/**
 * Java's notation of regular expressions in JavaScript's. What means the same to both is passed on, and JavaScript
 * refuses what it has no words for; so what the two read differently must be rewritten here.
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
  /** JavaScript's take in what Unicode calls a space. */
  s: '\\t\\n\\v\\f\\r ',
  h: ' \\t\\xa0\\u1680\\u180e\\u2000-\\u200a\\u202f\\u205f\\u3000',
  /** One character in JavaScript. */
  v: '\\n\\v\\f\\r\\x85\\u2028\\u2029',
};
const CONTROLS: Readonly<Record<string, string>> = { '\\a': '\\x07', '\\e': '\\x1b' };

/** One escape, class member or other unit at a time, so that a `+` is known to follow a quantifier or not. */
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
   * Holds what only JavaScript's flag `v` reads as Java does: classes inside classes, complements without regard to
   * case.
   */
  readonly sets: boolean;
}

interface OpenClass {
  /** Where its members begin in the output. */
  start: number;
  intersected: boolean;
}

/** Of the class at hand: what a `-` would follow. */
type Before = 'nothing' | 'character' | 'range';

class Translation {
  private out = '';
  private readonly open: OpenClass[] = [];
  private sets = false;
  private before: Before = 'nothing';

  constructor(private readonly pattern: string) {}

  run(): Translated {
    /** A class begins: a `]` here is a member. */
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
      // Possessive: giving up backtracking changes speed, hardly ever the outcome.
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

  /** A named set of characters, or a complement of one. */
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

  /** JavaScript wants each side to be a class of its own. */
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

/** An escape: needless ones are refused in JavaScript's stricter modes. */
function single(token: string): string {
  if (token.startsWith('\\x{')) return `\\u${token.slice(2)}`;
  if (/^\\[!-/:-@[-`{-~ ]$/.test(token) || /^\\[^ -~]$/u.test(token)) return escaped(token.slice(1));
  return CONTROLS[token] ?? token;
}

/** The character itself, whatever it means inside or outside of classes. */
function escaped(character: string): string {
  return /^[!-/:-@[-`{-~]$/.test(character) ? `\\x${character.charCodeAt(0).toString(16)}` : character;
}

/** Throws SyntaxError with the reason. */
export function translateJavaRegex(pattern: string): Translated {
  return new Translation(pattern).run();
}
