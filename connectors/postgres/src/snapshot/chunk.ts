/** Tables of a snapshot and the chunks that they are read in (cdc-postgres §4.6). Planning is pure. */
import type { CatalogTable } from '../database/catalog';
import type { TableModel } from '../events/table-model';
import { ALL_BLOCKS, coversAll, missingRanges, type BlockRange } from './block-ranges';
import type { FinishedTable } from './resume-point';
import { TableRows } from './snapshot-markers';
import type { TableSize } from './table-sizes';

export interface Chunk {
  readonly table: SnapshotTable;
  readonly blocks: BlockRange;
  /** Only row versions that the snapshot of the first attempt may not contain, in blocks that it has read. */
  readonly changedOnly: boolean;
  /** Rows read so far. */
  rows: number;
  /** All its rows are queued. */
  fetched: boolean;
}

export class SnapshotTable {
  /** Of the rows that are decoded and not emitted yet. */
  readonly marks = new TableRows();
  /** Neither finished nor skipped. */
  openChunks = 0;
  skipped = false;

  constructor(
    readonly table: CatalogTable,
    /** `schema.table` */
    readonly name: string,
    readonly model: TableModel,
    /** Custom SELECT; null for none. */
    readonly override: string | null,
    readonly size: TableSize,
    readonly fingerprint: string,
    /** By earlier attempts; null: nothing. */
    readonly finished: FinishedTable | null,
  ) {}

  /** A custom SELECT may give other rows each time, so it is never resumed. */
  get resumable(): boolean {
    return this.override === null && this.size.byBlock;
  }
}

export interface ChunkSettings {
  readonly threads: number;
  readonly multiplier: number;
  readonly serverVersion: number;
}

/** Rows that a crash repeats, at most, per connection; large enough that the statements of a chunk cost nothing. */
const CHUNK_ROWS = 16_384;
/** Including TOASTed values. */
const CHUNK_BYTES = 64 * 1024 * 1024;
/** Of a table that was never analyzed: 1 MiB. */
const UNKNOWN_BLOCKS = 128;
/** Smaller chunks are not worth a thread. */
const SMALLEST_SHARE = 64;

/** In the order of the blocks; rows that changed since the first attempt come first. */
export function planChunks(table: SnapshotTable, settings: ChunkSettings): Chunk[] {
  const chunk = (blocks: BlockRange, changedOnly: boolean): Chunk => ({
    table,
    blocks,
    changedOnly,
    rows: 0,
    fetched: false,
  });
  const finished = table.finished?.blocks ?? [];
  const changed = finished.map((blocks) => chunk(blocks, true));
  // Before version 14, a range of blocks costs a scan of the whole table.
  if (!table.resumable || settings.serverVersion < 140000)
    return coversAll(finished) ? changed : [chunk(ALL_BLOCKS, false)];
  const step = blocksPerChunk(table.size, settings);
  const split = missingRanges(finished).flatMap((range) => splitRange(range, step, table.size.blocks));
  return [...changed, ...split.map((blocks) => chunk(blocks, false))];
}

export function blocksPerChunk({ blocks, rows, bytes }: TableSize, { threads, multiplier }: ChunkSettings): number {
  if (blocks === 0) return 1;
  const byRows = rows > 0 ? (CHUNK_ROWS * blocks) / rows : UNKNOWN_BLOCKS;
  const byBytes = bytes > 0 ? (CHUNK_BYTES * blocks) / bytes : byRows;
  const share = threads > 1 ? Math.max(SMALLEST_SHARE, blocks / (threads * multiplier)) : Infinity;
  return Math.max(1, Math.ceil(Math.min(byRows, byBytes, share)));
}

/** The last part has the end of the range: rows of this snapshot cannot lie beyond the blocks that exist now. */
function splitRange({ from, to }: BlockRange, step: number, blocks: number): BlockRange[] {
  const parts: BlockRange[] = [];
  const end = Math.min(to, blocks);
  let at = from;
  for (; at + step < end; at += step) parts.push({ from: at, to: at + step });
  return [...parts, { from: at, to }];
}
