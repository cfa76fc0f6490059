/**
 * Ranges of the blocks of a table: sorted, disjoint, not adjacent. A bound within a block is a fraction: row 17 of
 * block 5 is at 5 + 17 / 65536, which numbers hold exactly. Pure.
 */

/** Row numbers in a block are lower. */
const ROWS_OF_BLOCK = 65_536;

export function rowPosition(block: number, row: number): number {
  return block + row / ROWS_OF_BLOCK;
}

/** The position after that of this row. */
export function after(position: number): number {
  return position + 1 / ROWS_OF_BLOCK;
}

/** As a literal of PostgreSQL's type tid. */
export function tidLiteral(position: number): string {
  const block = Math.floor(position);
  return `'(${block},${(position - block) * ROWS_OF_BLOCK})'::tid`;
}

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

/** `0-128,256.17-`: the second range begins in a block and has no end. */
export function formatRanges(ranges: readonly BlockRange[]): string {
  return ranges.map(({ from, to }) => `${formatPosition(from)}-${to === Infinity ? '' : formatPosition(to)}`).join(',');
}

/** `5`, or `5.17` within a block. */
export function formatPosition(position: number): string {
  const block = Math.floor(position);
  return block === position ? String(block) : `${block}.${(position - block) * ROWS_OF_BLOCK}`;
}

/** Null for any other text. */
export function parsePosition(text: string): number | null {
  const [, block, row = '0'] = /^(\d{1,10})(?:\.(\d{1,5}))?$/.exec(text) ?? [];
  if (block === undefined || Number(row) >= ROWS_OF_BLOCK) return null;
  return rowPosition(Number(block), Number(row));
}

/** Null for any other text. */
export function parseRanges(text: string): BlockRange[] | null {
  let ranges: BlockRange[] = [];
  if (text === '') return ranges;
  for (const part of text.split(',')) {
    const [first = '', last = '', ...rest] = part.split('-');
    const from = parsePosition(first);
    const to = last === '' && part.endsWith('-') ? Infinity : parsePosition(last);
    if (from === null || to === null || rest.length > 0 || from >= to) return null;
    const range = { from, to };
    ranges = addRange(ranges, range);
  }
  return ranges;
}
