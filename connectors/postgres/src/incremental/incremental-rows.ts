/** Source records of the rows that an incremental snapshot has read (cdc-postgres §4.10). */
import type { SourceOffset, SourceRecord } from '@millrace/sdk';
import { offsetLsn, type Lsn } from '../database/lsn';
import { Instant, type SnapshotMark, type Struct } from '../events/event-context';
import { completeRow, keyOf, readDataRow, RowContext, type Cells } from '../events/row';
import type { TableModel } from '../events/table-model';
import type { Session } from '../session';
import { identityText, type RowIdentity } from './row-identity';

export class IncrementalRows {
  private readonly cells: Cells = [];
  private readonly context: RowContext;

  constructor(private readonly session: Pick<Session, 'relations' | 'factory'>) {
    this.context = new RowContext(session.relations.unrepresentable);
  }

  identityOf(row: Buffer, model: TableModel, identity: RowIdentity): string {
    this.decode(row, model);
    return identityText(identity, this.cells) ?? '';
  }

  /**
   * @param position an offset of the stream, whose LSN is part of `source.sequence`
   * @param xid `source.txId`, as a 64-bit number
   * @param newer values in place of those of the row, see `RemainingRow`
   */
  record(
    row: Buffer,
    model: TableModel,
    position: SourceOffset,
    offset: SourceOffset,
    mark: SnapshotMark = 'incremental',
    xid: Lsn | null = null,
    newer: Cells | null = null,
  ): SourceRecord {
    this.decode(row, model);
    newer?.forEach((value, cell) => {
      if (value !== undefined) this.cells[cell] = value;
    });
    const { factory } = this.session;
    const time = new Instant();
    time.setMicros(Math.floor((performance.timeOrigin + performance.now()) * 1000));
    const context = { time, xid, origin: null, originLsn: null };
    const lsn: Lsn = offsetLsn(position.lsn) ?? 0;
    const source = factory.source(model, context, mark, lsn, offsetLsn(position.lsn_commit));
    if (mark === 'incremental') source.lsn = null;
    const after: Struct = completeRow(model, this.cells, this.context);
    return factory.record(model, keyOf(model, this.cells), 'r', null, after, source, offset);
  }

  private decode(row: Buffer, model: TableModel): void {
    readDataRow(row, 0, model, this.cells, this.context);
    // Labels and nulls that the definition does not have matter to the stream only.
    this.context.nullInRequired = null;
    this.session.relations.enumLabels.unlisted = null;
  }
}
