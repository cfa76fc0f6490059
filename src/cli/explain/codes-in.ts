/** Error codes in what people paste: a code, a sentence that ends with one, a trace. */
import { editDistance } from '@millrace/sdk';

/** Longer texts are cut: a trace begins with its error. */
const LONGEST_TEXT = 1024 * 1024;
const CODE = /(?<![A-Za-z0-9_])[A-Z][A-Z0-9]{0,30}(?:_[A-Z0-9]{1,30}){1,8}(?![A-Za-z0-9_])/g;

/** Words that look like codes, each once, in the order of the text. */
export function codesIn(text: string): readonly string[] {
  return [...new Set(text.slice(0, LONGEST_TEXT).match(CODE) ?? [])];
}

const MOST_NAMES = 5;
const LONGEST_NAME = 100;

/** Known codes that may have been meant: those that contain the text, then those with the fewest different letters. */
export function nearestCodes(text: string, known: readonly string[]): readonly string[] {
  const words =
    text
      .slice(0, LONGEST_NAME)
      .toUpperCase()
      .match(/[A-Z0-9]+/g) ?? [];
  const wanted = words.join('_');
  if (wanted === '') return [];
  const most = Math.max(2, Math.floor(wanted.length / 3));
  return known
    .map((code) => ({ code, distance: code.includes(wanted) ? 0 : editDistance(wanted, code, most) }))
    .filter(({ distance }) => distance <= most)
    .sort((a, b) => a.distance - b.distance || (a.code < b.code ? -1 : 1))
    .slice(0, MOST_NAMES)
    .map(({ code }) => code);
}
