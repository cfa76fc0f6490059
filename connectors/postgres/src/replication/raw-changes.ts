/** Changes whose rows stay as the server sent them (cdc-postgres §2). Everything else is decoded by `RowChanges`. */
import type { ConnectValue, SharedValues } from '@millrace/sdk';
import type { Lsn } from '../database/lsn';
import type { EventFactory } from '../events/event-factory';
import type { DecodedCell, RawTable, RowShape } from '../events/raw-table';
import { locateTuples, plainTupleEnd, sameCell } from '../events/raw-tuple';
import type { Position } from './position';
import type { Transaction } from './transaction';

const NEW_TUPLE = 0x4e; // N

/** Reused for every row. */
let spans = new Int32Array(64);

function spansOf(cells: number): Int32Array {
  if (cells * 2 > spans.length) spans = new Int32Array(cells * 2);
  return spans;
}

/** Whether the tuple at `from` can stay text. */
export function isPlainInsert({ columns }: RawTable, bytes: Buffer, from: number, end: number): boolean {
  return plainTupleEnd(bytes, from, end, columns) >= 0;
}

/** Whether both tuples can stay text and have the same key. @param from of the complete old one */
export function isPlainReplace({ columns, key, replace }: RawTable, bytes: Buffer, from: number, end: number): boolean {
  const oldEnd = plainTupleEnd(bytes, from, end, columns);
  if (oldEnd < 0 || bytes[oldEnd] !== NEW_TUPLE || plainTupleEnd(bytes, oldEnd + 1, end, columns) < 0) return false;
  const located = spansOf(replace.cells);
  locateTuples(bytes, from, located);
  for (const cell of key) if (!sameCell(bytes, located, cell, cell + columns.count)) return false;
  return true;
}

/**
 * The values that are decoded at once.
 * @returns undefined: one of them is an error or has no Connect value
 */
export function decodedValues(
  { decoded, cells, locate }: RowShape,
  bytes: Buffer,
  at: number,
): readonly ConnectValue[] | null | undefined {
  if (decoded.length === 0) return null;
  const located = spansOf(cells);
  locate(bytes, at, located);
  const values: ConnectValue[] = [];
  try {
    for (const one of decoded) {
      const value = valueOf(one, bytes, located);
      if (typeof value === 'symbol') return undefined;
      values.push(value);
    }
  } catch {
    // The general decoder fails, too, and says why.
    return undefined;
  }
  return values;
}

function valueOf({ cell, decode, mask }: DecodedCell, bytes: Buffer, located: Int32Array): unknown {
  const start = located[cell * 2] as number;
  const value = start < 0 ? null : decode(bytes, start, located[cell * 2 + 1] as number);
  return mask === null || typeof value === 'symbol' ? value : mask(value);
}

/** The values that consecutive rows share (`SHARED`). */
export class SharedRowValues {
  private values: SharedValues = [];
  private commitMicros = NaN;
  private xid = -1;
  private xmin: Lsn | null = null;
  private origin: string | null = null;
  private originLsn: Lsn | null = null;
  private lastCommit: Lsn | null = null;
  private nowMicros = NaN;

  /** @param lastCommit end of the transaction before */
  of(tx: Transaction, { commit: lastCommit }: Pick<Position, 'commit'>, { now }: EventFactory): SharedValues {
    const { time, xid, xmin, origin, originLsn } = tx;
    if (
      time.micros === this.commitMicros &&
      now.micros === this.nowMicros &&
      xid === this.xid &&
      lastCommit === this.lastCommit &&
      xmin === this.xmin &&
      origin === this.origin &&
      originLsn === this.originLsn
    )
      return this.values;
    this.commitMicros = time.micros;
    this.nowMicros = now.micros;
    this.xid = xid;
    this.lastCommit = lastCommit;
    this.xmin = xmin;
    this.origin = origin;
    this.originLsn = originLsn;
    // In the order of `SHARED`.
    this.values = [
      time.millis,
      time.micros,
      time.nanos,
      xid,
      xmin,
      origin,
      originLsn,
      lastCommit === null ? '[null,"' : `["${lastCommit}","`,
      now.millis,
      now.micros,
      now.nanos,
    ];
    return this.values;
  }
}
