/**
 * Levenshtein's: insertions, deletions and replacements of characters that turn one text into the other; `limit + 1` if
 * there are more than `limit`. For "did you mean": the cost is the product of the lengths, so that texts must be short.
 */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitute = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitute, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    if (Math.min(...next) > limit) return limit + 1;
    row = next;
  }
  return Math.min(row[b.length] as number, limit + 1);
}
