/** Collects what a snapshot has finished; the offsets of its rows carry it, so that another attempt can resume. */
import type { SourceOffset } from '@millrace/sdk';
import { addRange, after, coversAll, type BlockRange } from './block-ranges';
import type { Chunk, SnapshotTable } from './chunk';
import type { FirstSnapshot } from './first-snapshot';
import { formatStart, formatTable, PROGRESS_MEMBER, type FinishedTable, type PartialChunk } from './resume-point';
import { WaitingTexts } from './waiting-texts';

/**
 * Kafka stores no offset beyond a megabyte by default. Tables that finish beyond this length, after tens of thousands
 * of others, are read again by another attempt.
 */
const LONGEST_TEXT = 500_000;

export class FinishedWork {
  /** Of tables that are finished, because there may be thousands of them; `unfinished` has the others. */
  private text: string;
  private readonly unfinished = new Map<SnapshotTable, FinishedTable>();
  /** Exactly-once: text of each table that has not begun. */
  private readonly waiting = new WaitingTexts<SnapshotTable>();
  private current: SourceOffset | null = null;
  private any = false;

  /**
   * @param base the offset of a running snapshot, without its progress
   * @param first the first attempt's snapshot
   * @param tables with what an earlier attempt has read of them
   */
  constructor(
    private readonly base: SourceOffset,
    first: FirstSnapshot,
    private readonly exactlyOnce: boolean,
    tables: readonly SnapshotTable[],
  ) {
    this.text = formatStart(first, exactlyOnce);
    let length = this.text.length;
    for (const table of tables) {
      if (table.finished !== null) this.set(table, { ...table.finished, ...(exactlyOnce && { exact: table.exact }) });
      else if (exactlyOnce && length < LONGEST_TEXT) {
        const { fingerprint, exact } = table;
        const text = formatTable(table.table.oid, { fingerprint, exact, rows: 0, blocks: [] });
        length += text.length;
        this.waiting.add(table, text);
      }
    }
    if (exactlyOnce) this.any = true;
    // Without progress there is nothing to resume from.
    if (!this.any) this.current = base;
  }

  /** Call when all rows of the chunk are emitted, or in the hands of the caller together with this offset. */
  finish(chunk: Chunk): void {
    const { table, changedOnly } = chunk;
    // A table that is not resumable is read again from its start unless delivery is exactly-once.
    const counts = table.resumable || (this.exactlyOnce && !changedOnly);
    if (changedOnly || !counts || this.text.length > LONGEST_TEXT) return;
    this.set(table, this.with(table, chunk.blocks, chunk.rows, null));
    this.current = null;
  }

  /** The same object until more is finished: consecutive records with one offset cost the runtime one entry. */
  get offset(): SourceOffset {
    this.current ??= this.offsetWith(this.unfinished);
    return this.current;
  }

  /** Exactly-once: the offset after the rows that were emitted of these chunks, which are not finished. */
  partly(chunks: Iterable<Chunk>): SourceOffset {
    const begun = [...chunks];
    for (const { table } of begun)
      if (this.waiting.has(table))
        this.set(table, { fingerprint: table.fingerprint, exact: table.exact, rows: 0, blocks: [] });
    const tables = new Map(this.unfinished);
    for (const chunk of begun) {
      const { table, blocks, rows, exactly } = chunk;
      const isHeld = table.marks.held !== null && table.heldOf === chunk;
      const last = exactly?.position.last(isHeld) ?? null;
      if (last === null || this.text.length > LONGEST_TEXT) continue;
      const done = { from: blocks.from, to: after(last.position) };
      const partial = table.size.parts > 1 ? { blocks, ...last } : null;
      tables.set(table, this.with(table, done, rows - (isHeld ? 1 : 0), partial, tables));
    }
    return this.offsetWith(tables);
  }

  /** What is finished of the table together with these blocks, or with the begin of a chunk. */
  private with(
    table: SnapshotTable,
    blocks: BlockRange,
    rows: number,
    partial: PartialChunk | null,
    tables: ReadonlyMap<SnapshotTable, FinishedTable> = this.unfinished,
  ): FinishedTable {
    const before = tables.get(table);
    const finished = {
      fingerprint: table.fingerprint,
      rows: (before?.rows ?? 0) + rows,
      blocks: partial !== null ? (before?.blocks ?? []) : addRange(before?.blocks ?? [], blocks),
    };
    if (!this.exactlyOnce) return finished;
    const begun = partial?.blocks ?? blocks;
    const chunks = (before?.partial ?? []).filter((one) => one.blocks.from !== begun.from);
    return { ...finished, exact: table.exact, partial: partial === null ? chunks : [...chunks, partial] };
  }

  private offsetWith(tables: ReadonlyMap<SnapshotTable, FinishedTable>): SourceOffset {
    let text = this.text + this.waiting.text;
    for (const [table, finished] of tables) {
      text += formatTable(table.table.oid, finished);
    }
    return { ...this.base, [PROGRESS_MEMBER]: text };
  }

  private set(table: SnapshotTable, finished: FinishedTable): void {
    this.any = true;
    this.waiting.delete(table);
    if (coversAll(finished.blocks)) {
      this.unfinished.delete(table);
      this.text += formatTable(table.table.oid, finished);
    } else this.unfinished.set(table, finished);
  }
}
