/** Rows of a snapshot that stay as the server sent them: DataRow in text format. As `raw-tuple` for changes. */
import type { RawShape } from '@millrace/sdk';
import { columnsOf, constant, rowShape, type RawTable, type RowShape } from './raw-table';
import { int32, isPlainCell, MAX_CELL_BYTES, type CheckedColumns } from './raw-tuple';

export interface RawDataRows {
  readonly columns: CheckedColumns;
  readonly shape: RowShape;
}

/** @param count number of the table's columns, which come first; unlike those of a change, all of them are sent */
export function rawDataRows({ parts }: RawTable, count: number): RawDataRows {
  const all = { ...parts, sent: count };
  const place = { op: 'r', before: null, after: 0, cells: count, locate: locatorOf(count) };
  return { columns: columnsOf(all), shape: rowShape(all, { ...place, source: { snapshot: constant('true') } }) };
}

/** False: the general decoder must decode it. */
export function isPlainDataRow(columns: CheckedColumns, bytes: Buffer, from: number, end: number): boolean {
  const { count, nullable } = columns;
  if ((bytes[from] as number) * 256 + (bytes[from + 1] as number) < count) return false;
  let at = from + 2;
  for (let i = 0; i < count; i++) {
    const length = int32(bytes, at);
    at += 4;
    if (length === -1) {
      if (nullable[i] === 0) return false;
      continue;
    }
    const start = at;
    at += length;
    // Also beyond the message, and a length that is no number.
    if (!(length >= 0 && length <= MAX_CELL_BYTES && at <= end)) return false;
    if (!isPlainCell(columns, i, bytes, start, at)) return false;
  }
  return at <= end;
}

/** See `RawShape.locate`. */
function locatorOf(count: number): RawShape['locate'] {
  return (bytes, from, spans) => {
    let at = from + 2;
    for (let to = 0; to < count * 2; to += 2) {
      const length = int32(bytes, at);
      at += 4;
      if (length < 0) spans[to] = -1;
      else {
        spans[to] = at;
        at += length;
        spans[to + 1] = at;
      }
    }
  };
}
