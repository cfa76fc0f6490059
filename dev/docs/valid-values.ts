/**
 * What a check accepts, in words. Checks are functions, so each is called with values that it may reject, and the
 * reasons that it gives are what it accepts.
 */

/** The reason why a value is rejected, or null. */
export type Check = (value: string | number | readonly string[]) => string | null;

const OUT_OF_RANGE = 1e12;
const NO_SUCH_VALUE = 'no such value';

export function validValues(type: string, check: Check): string {
  const found: string[] = [];
  const note = (text: string | null): void => {
    if (text !== null && !found.includes(text)) found.push(text);
  };
  for (const value of samples(type)) note(inWords(reasonOf(check, value)));
  return found.join(', ');
}

function samples(type: string): readonly (string | number | readonly string[])[] {
  if (/^(?:INT|SHORT|LONG|DOUBLE)$/.test(type)) return [-OUT_OF_RANGE, OUT_OF_RANGE];
  if (type === 'LIST') return [[], [NO_SUCH_VALUE], ['a', 'a']];
  return type === 'BOOLEAN' ? [] : [NO_SUCH_VALUE, ''];
}

/** A check may expect values that only parsing produces. */
function reasonOf(check: Check, value: string | number | readonly string[]): string | null {
  try {
    return check(value);
  } catch {
    return null;
  }
}

function inWords(reason: string | null): string | null {
  const words = (pattern: RegExp): string | undefined => pattern.exec(reason ?? '')?.[1];
  const among = words(/(?:one of|possible are|is not one of)(?: \(case insensitive\))?:? ([^[]+?)\.?$/);
  if (among !== undefined) return distinct(among.split(', ')).join(', ');
  const least = words(/at least (-?[\d.]+)/);
  if (least !== undefined) return `at least ${least}`;
  const most = words(/no more than ([\d.]+)/);
  if (most !== undefined) return `at most ${most}`;
  if (/must (?:be non-empty|not be empty)|may not be empty/.test(reason ?? '')) return 'not empty';
  return /Duplicate|duplicated/.test(reason ?? '') ? 'no duplicates' : null;
}

/** Of values that are accepted in any case, one. */
const distinct = (values: readonly string[]): string[] =>
  values
    .filter((value, i) => values.findIndex((other) => other.toLowerCase() === value.toLowerCase()) === i)
    .map((value) => `\`${value.toLowerCase() === value.toUpperCase() ? value : spelled(value, values)}\``);

/** As documented: lower case where both are listed. */
const spelled = (value: string, values: readonly string[]): string =>
  values.includes(value.toLowerCase()) ? value.toLowerCase() : value;
