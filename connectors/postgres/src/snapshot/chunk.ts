/** Tables of a snapshot and the chunks that they are read in (cdc-postgres §4.6). Planning is pure. */
import type { CatalogTable } from '../database/catalog';
import type { TableModel } from '../events/table-model';
import { addRange, ALL_BLOCKS, coversAll, missingRanges, type BlockRange } from './block-ranges';
import { ChunkPosition, type LastRow } from './chunk-position';
import type { FinishedTable } from './resume-point';
import { TableRows } from './snapshot-markers';
import type { TableSize } from './table-sizes';

export interface Chunk {
  readonly table: SnapshotTable;
  readonly blocks: BlockRange;
  /** Only row versions that the snapshot of the first attempt may not contain, in blocks that it has read. */
  readonly changedOnly: boolean;
  /** Absent unless the offsets say which of its rows were emitted. */
  readonly exactly?: ExactChunk;
  /** Rows read so far. */
  rows: number;
  /** All its rows are queued. */
  fetched: boolean;
}

/** What exactly-once delivery needs of a chunk. */
interface ExactChunk {
  readonly position: ChunkPosition;
  /** Only row versions that the snapshot of the first attempt contains: the stream has the others. */
  readonly unchangedOnly: boolean;
  /** The last row that earlier attempts have emitted, in a table with several parts. */
  readonly after: LastRow | null;
}

export class SnapshotTable {
  /** Of the rows that are decoded and not emitted yet. */
  readonly marks = new TableRows();
  /** Neither finished nor skipped. */
  openChunks = 0;
  skipped = false;
  /** The chunk of the row that `marks` holds. */
  heldOf: Chunk | null = null;

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
    /** Exactly-once: rows that changed since the first attempt are left to the stream. */
    readonly exact = false,
  ) {}

  /** Columns of a row that tell its position. */
  get positionColumns(): readonly string[] {
    return this.size.parts > 1 ? ['tableoid', 'ctid'] : ['ctid'];
  }

  /** A custom SELECT may give other rows each time, so it is never resumed. */
  get resumable(): boolean {
    return this.override === null && this.size.byBlock;
  }
}

interface ChunkSettings {
  readonly threads: number;
  readonly multiplier: number;
  readonly serverVersion: number;
  readonly exactlyOnce: boolean;
  /** An earlier attempt has begun the snapshot. */
  readonly resumed: boolean;
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
  const unchangedOnly = settings.resumed && table.exact;
  const chunk = (blocks: BlockRange, changedOnly = false, after: LastRow | null = null): Chunk => ({
    table,
    blocks,
    changedOnly,
    ...(settings.exactlyOnce &&
      table.resumable &&
      !changedOnly && { exactly: { position: new ChunkPosition(table.size.parts > 1), unchangedOnly, after } }),
    rows: 0,
    fetched: false,
  });
  const { blocks: finished = [], partial = [] } = table.finished ?? {};
  const changed = unchangedOnly || !table.resumable ? [] : finished.map((blocks) => chunk(blocks, true));
  for (const { blocks, part, position } of partial) {
    if (!unchangedOnly) changed.push(chunk(blocks, true));
    changed.push(chunk(blocks, false, { part, position }));
  }
  let begun = finished;
  for (const { blocks } of partial) begun = addRange(begun, blocks);
  const missing = missingRanges(begun);
  // Before version 14, a range of blocks costs a scan of the whole table.
  if (!table.resumable || settings.serverVersion < 140000) {
    if (settings.exactlyOnce) return [...changed, ...missing.map((blocks) => chunk(blocks))];
    return coversAll(finished) ? changed : [chunk(ALL_BLOCKS)];
  }
  const step = blocksPerChunk(table.size, settings);
  const split = missing.flatMap((range) => splitRange(range, step, table.size.blocks));
  return [...changed, ...split.map((blocks) => chunk(blocks))];
}

function blocksPerChunk({ blocks, rows, bytes }: TableSize, { threads, multiplier }: ChunkSettings): number {
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
