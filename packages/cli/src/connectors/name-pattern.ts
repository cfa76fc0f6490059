/** Names on a command line: as they are, or with `*` for any characters and `?` for one. */
import { ConnectError } from '@millrace/sdk';

export function isPattern(text: string): boolean {
  return /[*?]/.test(text);
}

/** Whether the whole name matches. Takes time in proportion to the product of both lengths at worst. */
export function matchesPattern(pattern: string, name: string): boolean {
  let p = 0;
  let n = 0;
  let star = -1;
  let resume = 0;
  while (n < name.length) {
    // Before the literal comparison, since a name may contain a star itself.
    if (pattern[p] === '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === name[n])) {
      p++;
      n++;
    } else if (star >= 0) {
      p = star + 1;
      n = ++resume;
    } else return false;
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}

/**
 * The items that any of the names or patterns names; all without one. In the order of `items`.
 * @param what for the error, e.g. `connector`
 * @throws ConnectError `REST_NOT_FOUND` if a name or pattern matches none
 */
export function selectNamed<T>(
  items: readonly T[],
  patterns: readonly string[],
  what: string,
  nameOf: (item: T) => string,
): readonly T[] {
  if (patterns.length === 0) return items;
  const selected = new Set<T>();
  for (const pattern of patterns) {
    const found = items.filter((item) => nameOf(item) === pattern || matchesPattern(pattern, nameOf(item)));
    if (found.length === 0)
      throw new ConnectError(
        isPattern(pattern) ? `No ${what} matches "${pattern}".` : `There is no ${what} "${pattern}".`,
        { code: 'REST_NOT_FOUND' },
      );
    for (const item of found) selected.add(item);
  }
  return items.filter((item) => selected.has(item));
}

/** Sorts by code units, so that the order does not depend on the locale. */
export function byName<T>(nameOf: (item: T) => string): (a: T, b: T) => number {
  return (a, b) => (nameOf(a) < nameOf(b) ? -1 : nameOf(a) > nameOf(b) ? 1 : 0);
}
