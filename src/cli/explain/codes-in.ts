/** Error codes in what people paste: a code, a sentence that ends with one, a trace. */

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
    .map((code) => ({ code, distance: code.includes(wanted) ? 0 : editDistance(wanted, code) }))
    .filter(({ distance }) => distance <= most)
    .sort((a, b) => a.distance - b.distance || (a.code < b.code ? -1 : 1))
    .slice(0, MOST_NAMES)
    .map(({ code }) => code);
}

/** Levenshtein's: insertions, deletions and replacements that make one text the other. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let k = 1; k <= to.length; k++)
      next.push(
        Math.min(
          (row[k] as number) + 1,
          (next[k - 1] as number) + 1,
          (row[k - 1] as number) + (from[i - 1] === to[k - 1] ? 0 : 1),
        ),
      );
    row = next;
  }
  return row[to.length] as number;
}
