/**
 * Java's regular expressions in JavaScript, as far as configurations use them: inline flags at the start, `\Q…\E`, `\A`, `\z`, `\Z`,
 * POSIX classes and possessive quantifiers (taken as greedy ones). Everything else means the same in both.
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
  /\\Q(?<literal>[^]*?)(?:\\E|$)|\\p\{(?<posix>Lower|Upper|Alpha|Digit|Alnum|Punct|Space|XDigit|ASCII)\}|\\[pPx]\{[^}]*\}|\\[^]|(?<quantifier>[*+?]|\{\d+(?:,\d*)?\})|[^]/g;

function translate(pattern: string): string {
  let out = '';
  let inClass = false;
  let quantified = false;
  for (const match of pattern.matchAll(TOKEN)) {
    const [token] = match;
    const { literal, posix, quantifier } = match.groups ?? {};
    const follows = quantified;
    quantified = !inClass && quantifier !== undefined;
    if (literal !== undefined) {
      out += literal.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
    } else if (posix !== undefined) {
      out += inClass ? POSIX[posix] : `[${POSIX[posix]}]`;
    } else if (!inClass && (token === '\\A' || token === '\\z' || token === '\\Z')) {
      out += token === '\\A' ? '^' : '$';
    } else if (!inClass && token === '+' && follows) {
      // Possessive: giving up backtracking changes speed, hardly ever the outcome.
      quantified = false;
    } else {
      if (token === '[') inClass = true;
      else if (token === ']') inClass = false;
      out += token;
    }
  }
  return out;
}

/** Throws SyntaxError with the engine's reason. The result is not anchored: see `matchesFully`. */
export function compileJavaRegex(pattern: string): RegExp {
  const inline = /^\(\?([imsu]+)\)/.exec(pattern);
  const flags = [...new Set(inline?.[1]?.replace('u', '') ?? '')].join('');
  const source = translate(inline ? pattern.slice(inline[0].length) : pattern);
  try {
    return new RegExp(source, `${flags}u`);
  } catch {
    // Unicode mode refuses harmless escapes such as `\-` or `\_`, which Java accepts.
    return new RegExp(source, flags);
  }
}

/** The same expression, matching whole texts alone: compile once, `test` often. */
export function anchored(regex: RegExp): RegExp {
  return new RegExp(`^(?:${regex.source})$`, regex.flags);
}

/** `Matcher.matches()`: the whole text. */
export function matchesFully(regex: RegExp, text: string): boolean {
  return anchored(regex).test(text);
}
