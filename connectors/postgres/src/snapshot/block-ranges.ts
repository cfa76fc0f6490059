/** Ranges of the blocks of a table: sorted, disjoint, not adjacent. Pure. */

/** From the first block to the one before `to`; `to` is Infinity for the end of the table, wherever that is. */
export interface BlockRange {
  readonly from: number;
  readonly to: number;
}

export const ALL_BLOCKS: BlockRange = { from: 0, to: Infinity };

export function addRange(ranges: readonly BlockRange[], added: BlockRange): BlockRange[] {
  let { from, to } = added;
  const apart: BlockRange[] = [];
  for (const range of ranges) {
    if (range.to < from || range.from > to) apart.push(range);
    else {
      from = Math.min(from, range.from);
      to = Math.max(to, range.to);
    }
  }
  return [...apart, { from, to }].sort((a, b) => a.from - b.from);
}

/** The blocks outside these ranges. */
export function missingRanges(ranges: readonly BlockRange[]): BlockRange[] {
  const missing: BlockRange[] = [];
  let at = 0;
  for (const { from, to } of ranges) {
    if (from > at) missing.push({ from: at, to: from });
    at = to;
  }
  if (at < Infinity) missing.push({ from: at, to: Infinity });
  return missing;
}

export function coversAll(ranges: readonly BlockRange[]): boolean {
  return missingRanges(ranges).length === 0;
}

/** `0-128,256-`: the second range has no end. */
export function formatRanges(ranges: readonly BlockRange[]): string {
  return ranges.map(({ from, to }) => `${from}-${to === Infinity ? '' : to}`).join(',');
}

/** Null for any other text. */
export function parseRanges(text: string): BlockRange[] | null {
  let ranges: BlockRange[] = [];
  if (text === '') return ranges;
  for (const part of text.split(',')) {
    const match = /^(\d{1,10})-(\d{0,10})$/.exec(part);
    if (match === null) return null;
    const [, from, to] = match;
    const range = { from: Number(from), to: to === '' ? Infinity : Number(to) };
    if (range.from >= range.to) return null;
    ranges = addRange(ranges, range);
  }
  return ranges;
}
