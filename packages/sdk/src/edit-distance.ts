/**
 * Insertions, deletions, replacements and swaps of neighbors that turn one text into the other; `limit + 1` if there
 * are more than `limit`. For "did you mean": the cost is the product of the lengths, so that texts must be short.
 */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let before: readonly number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitute = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwap ? (before[j - 2] as number) + 1 : Infinity;
      next.push(Math.min(substitute, swap, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    // A swap may start at the row before.
    if (Math.min(...next) > limit && Math.min(...row) >= limit) return limit + 1;
    [before, row] = [row, next];
  }
  return Math.min(row[b.length] as number, limit + 1);
}

/** How many edits are likely a typing error: in a short name, each makes another name. */
function likelyEdits(name: string): number {
  return name.length < 3 ? 0 : name.length < 6 ? 1 : 2;
}

/**
 * The name with the fewest edits from the text, ignoring case; of several the first. Null if none is as near as a
 * typing error.
 */
export function nearestName(text: string, names: Iterable<string>): string | null {
  const wanted = text.toLowerCase();
  let limit = likelyEdits(text);
  let nearest: string | null = null;
  for (const name of names) {
    if (Math.abs(name.length - text.length) > limit) continue;
    const edits = editDistance(wanted, name.toLowerCase(), limit);
    if (edits > limit) continue;
    nearest = name;
    if (edits === 0) break;
    limit = edits - 1;
  }
  return nearest;
}
