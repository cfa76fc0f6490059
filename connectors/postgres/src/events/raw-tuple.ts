/**
 * Rows that stay as the server sent them until they are written to Kafka (TupleData of pgoutput). Each is checked here,
 * so that nothing can fail or have an effect later that the general decoder would have now.
 */
import { isPlain, type RawCell } from '../values/plain-text';

/** Cells up to this many bytes stay text: longer ones would be held twice, here and in what was received. */
export const MAX_CELL_BYTES = 1024 * 1024;

const TEXT = 0x74; // t
const NULL = 0x6e; // n

/** What is checked of each column of a tuple. Arrays of numbers, because the loop below runs for all tables. */
export interface CheckedColumns {
  /** Of a tuple. */
  readonly count: number;
  /** See `Plain`. */
  readonly plain: Uint8Array;
  readonly limits: Float64Array;
  /** 1: it may be NULL. */
  readonly nullable: Uint8Array;
  readonly accepts: readonly RawCell['accepts'][];
}

const SPECIAL = 255;

/** @param cells null: any value is accepted */
export function checkedColumns(
  cells: readonly { readonly raw: RawCell | null; readonly isNullable: boolean }[],
): CheckedColumns {
  return {
    count: cells.length,
    plain: Uint8Array.from(cells, ({ raw }) => (raw === null ? 0 : raw.accepts === null ? raw.plain : SPECIAL)),
    limits: Float64Array.from(cells, ({ raw }) => raw?.limit ?? 0),
    nullable: Uint8Array.from(cells, ({ isNullable }) => (isNullable ? 1 : 0)),
    accepts: cells.map(({ raw }) => raw?.accepts ?? null),
  };
}

export function isPlainCell(columns: CheckedColumns, cell: number, bytes: Buffer, start: number, end: number): boolean {
  const plain = columns.plain[cell] as number;
  if (plain === SPECIAL) return columns.accepts[cell]?.(bytes, start, end) === true;
  return plain === 0 || isPlain(plain, columns.limits[cell] as number, bytes, start, end);
}

/** @returns where the tuple ends; -1: the general decoder must decode it */
export function plainTupleEnd(bytes: Buffer, from: number, end: number, columns: CheckedColumns): number {
  const { count, nullable } = columns;
  if ((bytes[from] as number) * 256 + (bytes[from + 1] as number) !== count) return -1;
  let at = from + 2;
  for (let i = 0; i < count; i++) {
    const kind = bytes[at++];
    if (kind === TEXT) {
      const start = at + 4;
      const length = int32(bytes, at);
      at = start + length;
      // Also beyond the message, and a length that is no number.
      if (!(length >= 0 && length <= MAX_CELL_BYTES && at <= end)) return -1;
      if (!isPlainCell(columns, i, bytes, start, at)) return -1;
    } else if (kind !== NULL || nullable[i] === 0) return -1;
  }
  return at <= end ? at : -1;
}

/** See `RawShape.locate`: the cells of one tuple. @returns where it ends */
export function locateTuple(bytes: Buffer, from: number, spans: Int32Array): number {
  return locate(bytes, from, spans, 0);
}

/** The new tuple's cells come first, although the old tuple and a letter precede it. */
export function locateTuples(bytes: Buffer, from: number, spans: Int32Array): void {
  const count = (bytes[from] as number) * 256 + (bytes[from + 1] as number);
  const end = locate(bytes, from, spans, count * 2);
  locate(bytes, end + 1, spans, 0);
}

function locate(bytes: Buffer, from: number, spans: Int32Array, first: number): number {
  const count = (bytes[from] as number) * 256 + (bytes[from + 1] as number);
  let at = from + 2;
  for (let to = first, end = first + count * 2; to < end; to += 2) {
    if (bytes[at++] === TEXT) {
      const start = at + 4;
      at = start + int32(bytes, at);
      spans[to] = start;
      spans[to + 1] = at;
    } else spans[to] = -1;
  }
  return at;
}

/** Whether two cells have the same bytes. */
export function sameCell(bytes: Buffer, spans: Int32Array, a: number, b: number): boolean {
  const from = spans[a * 2] as number;
  const other = spans[b * 2] as number;
  if (from < 0 || other < 0) return from === other;
  const length = (spans[a * 2 + 1] as number) - from;
  if ((spans[b * 2 + 1] as number) - other !== length) return false;
  for (let i = 0; i < length; i++) if (bytes[from + i] !== bytes[other + i]) return false;
  return true;
}

export function int32(bytes: Buffer, at: number): number {
  return (
    ((bytes[at] as number) << 24) |
    ((bytes[at + 1] as number) << 16) |
    ((bytes[at + 2] as number) << 8) |
    (bytes[at + 3] as number)
  );
}
