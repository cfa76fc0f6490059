/** Collects what a snapshot has finished; the offsets of its rows carry it, so that another attempt can resume. */
import type { SourceOffset } from '@millrace/sdk';
import { addRange, coversAll } from './block-ranges';
import type { Chunk, SnapshotTable } from './chunk';
import { formatStart, formatTable, PROGRESS_MEMBER, type FinishedTable } from './resume-point';

/**
 * Kafka stores no offset beyond a megabyte by default. Tables that finish beyond this length, after tens of thousands
 * of others, are read again by another attempt.
 */
const LONGEST_TEXT = 500_000;

export class FinishedWork {
  /** Of tables that are finished, because there may be thousands of them; `unfinished` has the others. */
  private text: string;
  private readonly unfinished = new Map<SnapshotTable, FinishedTable>();
  private current: SourceOffset | null = null;
  private any = false;

  /**
   * @param base the offset of a running snapshot, without its progress
   * @param tables those that an earlier attempt has read, at least partly, and that have not changed since
   */
  constructor(
    private readonly base: SourceOffset,
    xmin: bigint,
    tables: readonly SnapshotTable[],
  ) {
    this.text = formatStart(xmin);
    for (const table of tables) if (table.finished !== null) this.set(table, table.finished);
    // Without progress there is nothing to resume from.
    if (!this.any) this.current = base;
  }

  /** Call when all rows of the chunk are emitted, or in the hands of the caller together with this offset. */
  finish({ table, blocks, rows, changedOnly }: Chunk): void {
    if (changedOnly || !table.resumable || this.text.length > LONGEST_TEXT) return;
    const before = this.unfinished.get(table);
    this.set(table, {
      fingerprint: table.fingerprint,
      rows: (before?.rows ?? 0) + rows,
      blocks: addRange(before?.blocks ?? [], blocks),
    });
    this.current = null;
  }

  /** The same object until more is finished: consecutive records with one offset cost the runtime one entry. */
  get offset(): SourceOffset {
    if (this.current === null) {
      let { text } = this;
      for (const [{ table }, finished] of this.unfinished) text += formatTable(table.oid, finished);
      this.current = { ...this.base, [PROGRESS_MEMBER]: text };
    }
    return this.current;
  }

  private set(table: SnapshotTable, finished: FinishedTable): void {
    this.any = true;
    if (coversAll(finished.blocks)) {
      this.unfinished.delete(table);
      this.text += formatTable(table.table.oid, finished);
    } else this.unfinished.set(table, finished);
  }
}
