/**
 * What an interrupted snapshot has finished, as text in its offsets (`snapshot_progress`), from which the next attempt
 * resumes. Debezium ignores this member and starts over. Pure.
 */
import type { SourceOffset } from '@millrace/sdk';
import { formatPosition, formatRanges, parsePosition, parseRanges, type BlockRange } from './block-ranges';
import { formatSnapshot, parseSnapshot, type FirstSnapshot } from './first-snapshot';

/** Member of the offset of a running snapshot. */
export const PROGRESS_MEMBER = 'snapshot_progress';

/** A chunk of a table with several parts, which is read in the order of their oids and then of the rows. */
export interface PartialChunk {
  readonly blocks: BlockRange;
  /** The last part of which rows were emitted, and the position of the last one. */
  readonly part: number;
  readonly position: number;
}

export interface FinishedTable {
  /** Of everything that determines the rows and where they are; see `tableFingerprint`. */
  readonly fingerprint: string;
  readonly rows: number;
  readonly blocks: readonly BlockRange[];
  /** Rows that changed since the first attempt come with the stream and are not read. */
  readonly exact?: boolean;
  readonly partial?: readonly PartialChunk[];
}

export interface ResumePoint {
  /** Of the first attempt. */
  readonly snapshot: FirstSnapshot;
  /** The first attempt was exactly-once. */
  readonly exactlyOnce: boolean;
  /** By oid. */
  readonly tables: ReadonlyMap<number, FinishedTable>;
}

/**
 * `1 SNAPSHOT OID:FINGERPRINT:ROWS:RANGES …`; the first number is the version of this form. Exactly-once: `2 SNAPSHOT
 * OID:FINGERPRINT:ROWS:RANGES[:u][:RANGE@PART@POSITION,…] …` with all tables; `u` marks those that are not `exact`.
 */
export function formatStart(snapshot: FirstSnapshot, exactlyOnce: boolean): string {
  return `${exactlyOnce ? 2 : 1} ${formatSnapshot(snapshot)}`;
}

export function formatTable(oid: number, { fingerprint, rows, blocks, exact, partial = [] }: FinishedTable): string {
  const chunks = partial.map(
    ({ blocks, part, position }) => `${formatRanges([blocks])}@${part}@${formatPosition(position)}`,
  );
  const unread = chunks.length === 0 ? '' : `:${chunks.join(',')}`;
  return ` ${oid}:${fingerprint}:${rows}:${formatRanges(blocks)}${exact === false ? ':u' : ''}${unread}`;
}

export function progressLength(offset: SourceOffset): number {
  const text = offset[PROGRESS_MEMBER];
  return typeof text === 'string' ? text.length : 0;
}

/** Null when the offset has none, or one in another form: the snapshot then starts over. */
export function readResumePoint(offset: SourceOffset | null): ResumePoint | null {
  const text = offset?.[PROGRESS_MEMBER];
  if (typeof text !== 'string') return null;
  const [version, start = '', ...entries] = text.split(' ');
  const exactlyOnce = version === '2';
  const snapshot = parseSnapshot(start) ?? (exactlyOnce ? null : oldest(start));
  if (snapshot === null || (!exactlyOnce && version !== '1')) return null;
  const tables = new Map<number, FinishedTable>();
  for (const entry of entries) {
    const parsed = readEntry(entry, exactlyOnce);
    if (parsed === null) return null;
    tables.set(parsed.oid, parsed.table);
  }
  return { snapshot, exactlyOnce, tables };
}

/** Earlier releases stored the `xmin` only: any later transaction may have run. */
function oldest(text: string): FirstSnapshot | null {
  return /^\d{1,19}$/.test(text) ? { xmin: BigInt(text), xmax: BigInt(text), running: [] } : null;
}

const ENTRY = /^(\d{1,10}):([0-9a-f]+):(\d{1,15}):([\d,.-]*)(:u)?(?::([\d,.@-]+))?$/;

function readEntry(entry: string, exactlyOnce: boolean): { oid: number; table: FinishedTable } | null {
  const [, oid, fingerprint, rows, ranges, inexact, chunks] = ENTRY.exec(entry) ?? [];
  const blocks = ranges === undefined ? null : parseRanges(ranges);
  if (blocks === null) return null;
  const table = { fingerprint: fingerprint as string, rows: Number(rows), blocks };
  if (!exactlyOnce) return { oid: Number(oid), table };
  const partial = chunks === undefined ? [] : chunks.split(',').map(readChunk);
  if (partial.includes(null)) return null;
  const exact = inexact === undefined;
  return { oid: Number(oid), table: { ...table, exact, partial: partial as PartialChunk[] } };
}

function readChunk(text: string): PartialChunk | null {
  const [range = '', part = '', row = ''] = text.split('@');
  const [blocks] = parseRanges(range) ?? [];
  const position = parsePosition(row);
  if (blocks === undefined || position === null || !/^\d{1,10}$/.test(part)) return null;
  return { blocks, part: Number(part), position };
}
