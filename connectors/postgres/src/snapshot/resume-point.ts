/**
 * What an interrupted snapshot has finished, as text in its offsets (`snapshot_progress`), from which the next attempt
 * resumes. Debezium ignores this member and starts over. Pure.
 */
import type { SourceOffset } from '@millrace/sdk';
import { formatRanges, parseRanges, type BlockRange } from './block-ranges';

/** Member of the offset of a running snapshot. */
export const PROGRESS_MEMBER = 'snapshot_progress';

export interface FinishedTable {
  /** Of everything that determines the rows and where they are; see `tableFingerprint`. */
  readonly fingerprint: string;
  readonly rows: number;
  readonly blocks: readonly BlockRange[];
}

export interface ResumePoint {
  /**
   * Oldest transaction that the snapshot of the first attempt may not contain. Row versions written since then are read
   * again.
   */
  readonly xmin: bigint;
  /** By oid. */
  readonly tables: ReadonlyMap<number, FinishedTable>;
}

/** `1 XMIN OID:FINGERPRINT:ROWS:RANGES …`; the first number is the version of this form. */
export function formatStart(xmin: bigint): string {
  return `1 ${xmin}`;
}

export function formatTable(oid: number, { fingerprint, rows, blocks }: FinishedTable): string {
  return ` ${oid}:${fingerprint}:${rows}:${formatRanges(blocks)}`;
}

export function progressLength(offset: SourceOffset): number {
  const text = offset[PROGRESS_MEMBER];
  return typeof text === 'string' ? text.length : 0;
}

/** Null when the offset has none, or one in another form: the snapshot then starts over. */
export function readResumePoint(offset: SourceOffset | null): ResumePoint | null {
  const text = offset?.[PROGRESS_MEMBER];
  if (typeof text !== 'string') return null;
  const [version, xmin = '', ...entries] = text.split(' ');
  if (version !== '1' || !/^\d{1,19}$/.test(xmin)) return null;
  const tables = new Map<number, FinishedTable>();
  for (const entry of entries) {
    const [, oid, fingerprint, rows, ranges] = /^(\d{1,10}):([0-9a-f]+):(\d{1,15}):([\d,-]*)$/.exec(entry) ?? [];
    const blocks = ranges === undefined ? null : parseRanges(ranges);
    if (blocks === null) return null;
    tables.set(Number(oid), { fingerprint: fingerprint as string, rows: Number(rows), blocks });
  }
  return { xmin: BigInt(xmin), tables };
}
