/**
 * Replacement texts of `java.util.regex.Matcher`: `$1`, `${name}`, and a backslash that escapes the next character. A
 * group that did not match is replaced with an empty text.
 */
type Replacer = (match: string, ...rest: unknown[]) => string;

/**
 * Returns a function for `String.replace` with the same expression. Throws SyntaxError with Java's reason, also for a
 * group that the expression lacks, which Java reports at the first match.
 * @example 'a.b'.replace(regex, compileJavaReplacement(regex, '$2-$1'))
 */
export function compileJavaReplacement(regex: RegExp, replacement: string): Replacer {
  const empty = new RegExp(`${regex.source}|`, regex.flags).exec('') as RegExpExecArray;
  const count = empty.length - 1;
  const parts: (string | ((match: string, rest: readonly unknown[]) => unknown))[] = [];
  for (let i = 0; i < replacement.length; i++) {
    const c = replacement.charAt(i);
    if (c === '\\') {
      if (++i === replacement.length) throw new SyntaxError('character to be escaped is missing');
      parts.push(replacement.charAt(i));
    } else if (c === '$') {
      const rest = replacement.slice(i + 1);
      const name = /^\{([A-Za-z][A-Za-z0-9]*)\}/.exec(rest)?.[1];
      if (name !== undefined) {
        if (!Object.hasOwn(empty.groups ?? {}, name)) throw new SyntaxError(`No group with name {${name}}`);
        parts.push((_, groups) => (groups.at(-1) as Readonly<Record<string, unknown>>)[name]);
        i += name.length + 2;
      } else {
        const digits = groupDigits(rest, count);
        const group = Number(digits);
        parts.push((match, groups) => (group === 0 ? match : groups[group - 1]));
        i += digits.length;
      }
    } else parts.push(c);
  }
  return (match, ...rest) =>
    parts.map((part) => (typeof part === 'string' ? part : ((part(match, rest) as string | undefined) ?? ''))).join('');
}

/** The longest run of digits that is a group number; at least one digit. */
function groupDigits(text: string, count: number): string {
  const digits = /^\d+/.exec(text)?.[0];
  if (digits === undefined) throw new SyntaxError('Illegal group reference');
  let used = 1;
  while (used < digits.length && Number(digits.slice(0, used + 1)) <= count) used++;
  if (Number(digits.slice(0, used)) > count) throw new SyntaxError(`No group ${digits.slice(0, used)}`);
  return digits.slice(0, used);
}
