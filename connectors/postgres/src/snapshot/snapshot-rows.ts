/** The records of a snapshot's rows: of their bytes where nothing needs the values, else of decoded ones. */
import { RawRow, type SharedValues, type SourceOffset, type SourceRecord } from '@millrace/sdk';
import type { Lsn } from '../database/lsn';
import type { EventContext } from '../events/event-context';
import type { EventFactory } from '../events/event-factory';
import { isPlainDataRow, rawDataRows, type RawDataRows } from '../events/raw-data-row';
import { completeRow, keyOf, readDataRow, RowContext, type Cells } from '../events/row';
import type { TableModel } from '../events/table-model';
import { decodedValues } from '../replication/raw-changes';
import type { Session } from '../session';

/** What the records are made with. */
export interface SnapshotRowsSession {
  readonly factory: EventFactory;
  readonly config: Pick<Session['config'], 'reselect'>;
  readonly relations: Pick<Session['relations'], 'unrepresentable'>;
}

export class SnapshotRows {
  private readonly cells: Cells = [];
  private readonly rowContext: RowContext;
  private readonly raws = new Map<TableModel, RawDataRows | null>();
  /** Of the last row. */
  private model: TableModel | null = null;
  private raw: RawDataRows | null = null;
  private shared: SharedValues = [];
  private sharedMicros = NaN;

  /** @param lsn of the records' offset */
  constructor(
    private readonly session: SnapshotRowsSession,
    private readonly context: EventContext,
    private readonly lsn: Lsn,
  ) {
    this.rowContext = new RowContext(session.relations.unrepresentable);
  }

  /** Of a DataRow whose body lies between `start` and `end`. */
  record(model: TableModel, bytes: Buffer, start: number, end: number): SourceRecord {
    if (model !== this.model) this.use(model);
    const { raw } = this;
    if (raw !== null && isPlainDataRow(raw.columns, bytes, start, end)) {
      const decoded = decodedValues(raw.shape, bytes, start);
      if (decoded !== undefined) {
        const { factory } = this.session;
        factory.count(model, 'r');
        const row = new RawRow(raw.shape, bytes, start, this.sharedValues(), this.lsn as number, decoded);
        return factory.rawRecord(model, row, EMPTY_OFFSET);
      }
    }
    return this.decoded(model, bytes, start);
  }

  private decoded(model: TableModel, bytes: Buffer, start: number): SourceRecord {
    const { cells, rowContext, session } = this;
    const { factory } = session;
    readDataRow(bytes, start, model, cells, rowContext);
    const after = completeRow(model, cells, rowContext);
    const block = factory.source(model, this.context, 'true', this.lsn, null);
    return factory.record(model, keyOf(model, cells), 'r', null, after, block, EMPTY_OFFSET);
  }

  private use(model: TableModel): void {
    let raw = this.raws.get(model);
    if (raw === undefined) {
      // Columns are added to events later, so that rows must be decoded.
      const isDecoded = this.session.config.reselect !== null || typeof this.lsn !== 'number';
      raw = isDecoded || model.raw === null ? null : rawDataRows(model.raw, model.columns.length);
      if (this.raws.size === MOST_TABLES) this.raws.clear();
      this.raws.set(model, raw);
    }
    this.model = model;
    this.raw = raw;
  }

  private sharedValues(): SharedValues {
    const { now, layout } = this.session.factory;
    if (now.micros === this.sharedMicros) return this.shared;
    this.sharedMicros = now.micros;
    const { time, xid, origin, originLsn } = this.context;
    const millis = layout.rowTimes ? now.millis : time.millis;
    // In the order of `SHARED`.
    this.shared = [
      ...[millis, time.micros, time.nanos, xid, null, origin, originLsn],
      ...['[null,"', now.millis, now.micros, now.nanos],
    ];
    return this.shared;
  }
}

/** Of which raw rows are described: those that are read at once, where there are thousands. */
const MOST_TABLES = 64;
const EMPTY_OFFSET: SourceOffset = {};
