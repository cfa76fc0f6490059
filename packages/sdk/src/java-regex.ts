/**
 * Compiles Java regular expressions, as far as configurations use them: inline flags at the start, `\Q…\E`, `\A`, `\z`,
 * `\Z`, POSIX classes, nested and intersected classes, unnecessary escapes, and possessive quantifiers (as greedy
 * ones). Syntax that JavaScript lacks, such as atomic groups or inline flags elsewhere, is a syntax error.
 */
import { translateJavaRegex } from './java-regex-translation';

/** Maximum length in characters: enough for a list of several hundred topics, and bounds the memory to compile. */
const LONGEST = 32_768;

/**
 * Throws SyntaxError with the reason. The result matches anywhere in a text: see `anchored` and `matchesFully`.
 * @param flags as in an inline flag, e.g. `i` for Java's CASE_INSENSITIVE
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
    // The engine's message quotes the translated pattern, which the user does not know.
    const reason = (error as Error).message.replace(/^Invalid regular expression: [^]*: /, '');
    throw new SyntaxError(`Invalid regular expression: ${pattern}: ${reason}`, { cause: error });
  }
}

/** The same expression, which then matches only a whole text. Compile it once to `test` often. */
export function anchored(regex: RegExp): RegExp {
  return new RegExp(`^(?:${regex.source})$`, regex.flags);
}

/** Whether the expression matches the whole text, as Java's `Matcher.matches()`. */
export function matchesFully(regex: RegExp, text: string): boolean {
  return anchored(regex).test(text);
}
