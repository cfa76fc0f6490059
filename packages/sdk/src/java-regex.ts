/**
 * Java's regular expressions in JavaScript, as far as configurations use them: inline flags at the start, `\Q…\E`,
 * `\A`, `\z`, `\Z`, POSIX classes, nested and intersected classes, needless escapes, and possessive quantifiers (taken
 * as greedy ones). What JavaScript has no words for, such as atomic groups or flags within, is refused as a syntax
 * error rather than read as something else.
 */
import { translateJavaRegex } from './java-regex-translation';

/** A list of some hundred topics has room; what is longer costs memory to compile. Characters. */
const LONGEST = 32_768;

/**
 * Throws SyntaxError with the reason. The result is not anchored: see `anchored` and `matchesFully`.
 * @param flags as they may stand at the start of an expression: `i` is Java's CASE_INSENSITIVE
 */
export function compileJavaRegex(pattern: string, flags = ''): RegExp {
  if (pattern.length > LONGEST) {
    const start = pattern.slice(0, 100);
    throw new SyntaxError(
      `Invalid regular expression: ${start}…: it has ${pattern.length} characters, more than ${LONGEST}`,
    );
  }
  const inline = /^\(\?([imsu]+)\)/.exec(pattern);
  const own = [...new Set(`${flags}${inline?.[1] ?? ''}`.replaceAll('u', ''))].join('');
  try {
    const { source, sets } = translateJavaRegex(inline ? pattern.slice(inline[0].length) : pattern);
    return new RegExp(source, `${own}${sets ? 'v' : 'u'}`);
  } catch (error) {
    // The engine repeats the translation, which its user has never seen.
    const reason = (error as Error).message.replace(/^Invalid regular expression: [^]*: /, '');
    throw new SyntaxError(`Invalid regular expression: ${pattern}: ${reason}`, { cause: error });
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
