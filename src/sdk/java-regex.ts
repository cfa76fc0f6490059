/**
 * Java's regular expressions in JavaScript, as far as configurations use them: inline flags at the start, `\Q…\E`, `\A`, `\z`, `\Z`,
 * POSIX classes, nested and intersected classes, needless escapes, and possessive quantifiers (taken as greedy ones). What JavaScript has no
 * words for, such as atomic groups or flags within, is refused as a syntax error rather than read as something else.
 */
const POSIX: Readonly<Record<string, string>> = {
  Lower: 'a-z',
  Upper: 'A-Z',
  Alpha: 'A-Za-z',
  Digit: '0-9',
  Alnum: 'A-Za-z0-9',
  Punct: '!-\\/:-@\\[-`{-~',
  Space: '\\t\\n\\v\\f\\r ',
  XDigit: '0-9A-Fa-f',
  ASCII: '\\x00-\\x7F',
};

/** One escape, class member or other unit at a time, so that a `+` is known to follow a quantifier or not. */
const TOKEN =
  /\\Q(?<literal>[^]*?)(?:\\E|$)|\\p\{(?<posix>Lower|Upper|Alpha|Digit|Alnum|Punct|Space|XDigit|ASCII)\}|\\[pPx]\{[^}]*\}|\\[^]|(?<quantifier>[*+?]|\{\d+(?:,\d*)?\})|&&|[^]/g;

interface Translated {
  readonly source: string;
  /** Holds classes inside classes, which only JavaScript's flag `v` understands. */
  readonly nested: boolean;
}

function translate(pattern: string): Translated {
  let out = '';
  /** Where the members of each open class begin; the innermost is last. */
  const starts: number[] = [];
  /** Whether each open class is an intersection. */
  const intersected: boolean[] = [];
  let nested = false;
  /** A class begins: a `]` here is a member. */
  let first = false;
  let quantified = false;
  for (const match of pattern.matchAll(TOKEN)) {
    const [token] = match;
    const { literal, posix, quantifier } = match.groups ?? {};
    const inClass = starts.length > 0;
    const follows: boolean = quantified;
    const begins: boolean = first;
    quantified = !inClass && quantifier !== undefined;
    first = begins && token === '^';
    if (literal !== undefined) {
      out += literal.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
    } else if (posix !== undefined) {
      out += inClass ? POSIX[posix] : `[${POSIX[posix]}]`;
    } else if (!inClass && (token === '\\A' || token === '\\z' || token === '\\Z')) {
      out += token === '\\A' ? '^' : '$';
    } else if (!inClass && token === '+' && follows) {
      // Possessive: giving up backtracking changes speed, hardly ever the outcome.
      quantified = false;
    } else if (token === '[') {
      nested ||= inClass;
      first = true;
      out += token;
      starts.push(out.length);
      intersected.push(false);
    } else if (token === ']' && inClass && !begins) {
      starts.pop();
      out += intersected.pop() ? ']]' : ']';
    } else if (token === '&&' && inClass) {
      // JavaScript wants each side to be a class of its own.
      const start = starts.pop() as number;
      const members = out.slice(start);
      if (members === '') throw new SyntaxError(`Invalid regular expression: ${pattern}: nothing stands before &&`);
      out = intersected.pop() ? `${out}]&&[` : `${out.slice(0, -members.length)}[${members}]&&[`;
      starts.push(out.length);
      intersected.push(true);
      nested = true;
    } else {
      out += single(token, inClass);
      if (first) starts[starts.length - 1] = out.length;
    }
  }
  return { source: out, nested };
}

/** A unit that is no part of the syntax above: what is literal in Java is made literal for JavaScript's stricter modes. */
function single(token: string, inClass: boolean): string {
  if (token.startsWith('\\x{')) return `\\u${token.slice(2)}`;
  if (/^\\[!-/:-@[-`{-~ ]$/.test(token)) return `\\x${token.charCodeAt(1).toString(16)}`;
  if (/^\\[^ -~]$/.test(token)) return token.slice(1);
  if (inClass) return token.startsWith('\\') ? token : token.replace(/[()[\]{}/|]/g, '\\$&');
  return token === ']' || token === '}' ? `\\${token}` : token;
}

/** Throws SyntaxError with the engine's reason. The result is not anchored: see `anchored` and `matchesFully`. */
export function compileJavaRegex(pattern: string): RegExp {
  const inline = /^\(\?([imsu]+)\)/.exec(pattern);
  const flags = [...new Set(inline?.[1]?.replace('u', '') ?? '')].join('');
  const { source, nested } = translate(inline ? pattern.slice(inline[0].length) : pattern);
  return new RegExp(source, `${flags}${nested ? 'v' : 'u'}`);
}

/** The same expression, matching whole texts alone: compile once, `test` often. */
export function anchored(regex: RegExp): RegExp {
  return new RegExp(`^(?:${regex.source})$`, regex.flags);
}

/** `Matcher.matches()`: the whole text. */
export function matchesFully(regex: RegExp, text: string): boolean {
  return anchored(regex).test(text);
}
