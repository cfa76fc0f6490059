/** Replacement texts of `java.util.regex.Matcher`: `$1`, `${name}`, and a backslash before what is meant literally. */
import { configError } from './failures';

/** For `String.replace`. Throws ConfigError when the text names a group that the expression lacks, where Java waits for the first match. */
export function compileReplacement(regex: RegExp, replacement: string): (match: string, ...rest: unknown[]) => string {
  const groups = (new RegExp(`${regex.source}|`, regex.flags).exec('') as RegExpExecArray).length - 1;
  const names = groupNames(regex.source);
  /** Texts, and numbers of groups. */
  const parts: (string | number)[] = [];
  const fail = (reason: string): never => {
    throw configError(`Invalid value ${replacement} for configuration replacement: ${reason}`);
  };
  for (let i = 0; i < replacement.length; i++) {
    const c = replacement.charAt(i);
    if (c === '\\') {
      if (++i === replacement.length) fail('character to be escaped is missing');
      parts.push(replacement.charAt(i));
    } else if (c === '$') {
      const named = /^\{([A-Za-z][A-Za-z0-9]*)\}/.exec(replacement.slice(i + 1));
      if (named) {
        const number = names.indexOf(named[1] as string);
        parts.push(number < 0 ? fail(`No group with name {${named[1]}}`) : number + 1);
        i += named[0].length;
      } else {
        const digits = /^\d+/.exec(replacement.slice(i + 1))?.[0] ?? fail('Illegal group reference');
        // As many digits as still name a group; the first counts in any case.
        let used = 1;
        while (used < digits.length && Number(digits.slice(0, used + 1)) <= groups) used++;
        const number = Number(digits.slice(0, used));
        if (number > groups) fail(`No group ${number}`);
        parts.push(number);
        i += used;
      }
    } else parts.push(c);
  }
  return (match, ...rest) =>
    parts
      .map((part) => (typeof part === 'string' ? part : part === 0 ? match : ((rest[part - 1] as string) ?? '')))
      .join('');
}

/** Of the groups in the order of their numbers; null for one without. */
function groupNames(source: string): (string | null)[] {
  const names: (string | null)[] = [];
  let inClass = false;
  for (const [token, name] of source.matchAll(/\\[^]|\(\?<([A-Za-z][A-Za-z0-9]*)>|\(\?|[^]/g)) {
    if (inClass) inClass = token !== ']';
    else if (token === '[') inClass = true;
    else if (name !== undefined || token === '(') names.push(name ?? null);
  }
  return names;
}
