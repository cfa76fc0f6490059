/**
 * Reads columns that an event lacks from the table (`post.processors`), in its present state, between the decoding of a
 * batch and its delivery (cdc-postgres §2.10). Keepalives of the stream do not wait for it.
 */
import { isRawRow, LimitedLog, sleep, type Schema, type SourceRecord } from '@millrace/sdk';
import type { Client } from 'pg';
import type { ReselectConfig } from '../config/reselect-config';
import { databaseError, errorCode, errorText, isTransient } from '../database/errors';
import { GeneralConnection } from '../database/general-connection';
import { reportingWaits } from '../database/lock-wait';
import { RowContext } from '../events/row';
import type { TableModel } from '../events/table-model';
import { misses } from '../replication/recent-transactions';
import type { Phase, Session } from '../session';
import { reselect, type KeyTypes } from './reselect-query';
import { reselectTable, wantedColumns, type ReselectTable, type WantedColumns } from './wanted-columns';

/** Rows per query, because their values may be large. */
const MANY_ROWS = 64;
/** A commit is seen after a moment, or, with synchronous replication, when a standby has it. */
const SEEN_EVERY_MS = 20;
const SEEN_ATTEMPTS = 250;
/** Bytes read for one batch; what is left of it is delivered by the next poll. */
const MANY_BYTES = 8 * 1024 * 1024;

/** The table or the column does not exist any more, or has another type. */
const GONE: ReadonlySet<string> = new Set(['42P01', '42703', 'PG_DECODE']);

/** Unsent values alone, and events keep what they have where those cannot be read. */
export const UNAVAILABLE: ReselectConfig = {
  include: null,
  exclude: null,
  unavailable: true,
  nulls: false,
  byEventKey: false,
  fails: false,
};

interface ReselectorOptions {
  /** Called instead of a warning when rows do not exist any more. A lost connection is then an error. */
  onMissing?(): void;
  /** Whether columns of an event are read. Default: of all. */
  isWanted?(record: SourceRecord, model: TableModel): boolean;
}

export class ColumnReselector {
  private readonly connection: GeneralConnection;
  private readonly context: RowContext;
  private readonly tables = new WeakMap<Schema, ReselectTable>();
  private readonly types: KeyTypes = new WeakMap();
  /** By `schema.table`. */
  private readonly warnings: LimitedLog;
  /** Records whose columns are not read yet. */
  private pending: SourceRecord[] = [];

  constructor(
    private readonly session: Session,
    private readonly config: ReselectConfig,
    private readonly options: ReselectorOptions = {},
  ) {
    this.connection = new GeneralConnection(session.config.connection, 'Reselect', 0, session.reach);
    this.warnings = new LimitedLog(session.logger);
    this.context = new RowContext(session.relations.unrepresentable);
  }

  /** The next records of the phase, with their columns. Throws ConnectError if `reselect.error.handling.mode=fail`. */
  async next(phase: Pick<Phase, 'next'>): Promise<SourceRecord[] | null> {
    const records = this.pending.length > 0 ? this.pending : await phase.next();
    this.pending = [];
    if (records === null) return null;
    let bytes = 0;
    let done = 0;
    while (done < records.length) {
      const wanted: WantedColumns[] = [];
      for (; done < records.length && wanted.length < MANY_ROWS; done++) {
        const of = this.wantedOf(records[done] as SourceRecord);
        if (of !== null) wanted.push(of);
      }
      bytes += await this.read(wanted);
      if (bytes >= MANY_BYTES && (!this.session.exactlyOnce || endsChange(records, done))) break;
    }
    this.pending = records.slice(done);
    return done === records.length ? records : records.slice(0, done);
  }

  /** All records of the phase were returned. */
  get isIdle(): boolean {
    return this.pending.length === 0;
  }

  async close(): Promise<void> {
    await this.connection.close();
  }

  private wantedOf(record: SourceRecord): WantedColumns | null {
    const { valueSchema } = record;
    // A row that was not decoded lacks nothing, and is not emitted where nulls are read.
    if (valueSchema === null || record.value === null || isRawRow(record.value)) return null;
    const table = this.tableOf(valueSchema);
    if (table === null || this.options.isWanted?.(record, table.model) === false) return null;
    const wanted = wantedColumns(record, table, this.config, this.session.relations.unsent);
    if (typeof wanted !== 'string') return wanted;
    this.failed(table, wanted, null);
    this.session.relations.unsent.leave(record, table.model, wanted);
    return null;
  }

  /** Null: not an event of a captured table. */
  private tableOf(envelope: Schema): ReselectTable | null {
    let table = this.tables.get(envelope) ?? null;
    if (table === null) {
      const known = this.session.relations.tableOf(envelope);
      if (known === null) return null;
      table = reselectTable(known.model, known.table.key, this.config);
      this.tables.set(envelope, table);
    }
    return table;
  }

  /** Returns the number of bytes read. */
  private async read(wanted: readonly WantedColumns[]): Promise<number> {
    const byTable = new Map<ReselectTable, WantedColumns[]>();
    for (const one of wanted) {
      const list = byTable.get(one.table);
      if (list) list.push(one);
      else byTable.set(one.table, [one]);
    }
    let bytes = 0;
    for (const [table, ofTable] of byTable) {
      let reason: string | null = null;
      try {
        const result = await this.query(ofTable);
        bytes += result.bytes;
        if (result.missing.length > 0) {
          if (this.options.onMissing) this.options.onMissing();
          else this.failed(table, `${result.missing.length} of ${ofTable.length} rows do not exist any more`, null);
        }
      } catch (error) {
        // The task is stopping, and the records are read again by the next start.
        if (this.session.signal.aborted) throw error;
        this.failed(table, errorText(error), error);
        if (!GONE.has(errorCode(error))) reason = errorText(error);
      }
      this.leave(ofTable, reason);
    }
    return bytes;
  }

  /** Of what was not read. */
  private leave(wanted: readonly WantedColumns[], reason: string | null): void {
    for (const { record, table } of wanted) this.session.relations.unsent.leave(record, table.model, reason);
  }

  /** A lost connection is opened once more. */
  private async query(wanted: readonly WantedColumns[]): ReturnType<typeof reselect> {
    const { config, logger, relations } = this.session;
    const { schema, name } = (wanted[0] as WantedColumns).table.model;
    const timeoutMs = config.connection.queryTimeoutMs;
    // The order of the records is kept, so those after it wait, too.
    const read = (client: Client, rows: readonly WantedColumns[]): ReturnType<typeof reselect> =>
      reportingWaits(
        { config: config.connection, logger, client, doing: `Reading columns of table ${schema}.${name} again` },
        reselect(client, rows, this.types, this.context, relations.unsent, timeoutMs),
      );
    const run = async (client: Client): ReturnType<typeof reselect> => {
      const first = await read(client, wanted);
      if (first.missing.length === 0) return first;
      await this.seen(client, first.missing);
      const { missing, bytes } = await read(client, first.missing);
      return { missing, bytes: first.bytes + bytes };
    };
    const client = await this.connection.get();
    try {
      return await run(client);
    } catch (error) {
      if (!isTransient(error) || this.session.signal.aborted) throw error;
      await this.connection.discard(client);
      return await run(await this.connection.get());
    }
  }

  /** Waits until queries see the changes: the stream has a commit before them. */
  private async seen(client: Client, changed: readonly WantedColumns[]): Promise<void> {
    const xids = changed.flatMap(({ record }) => (record.value as { source: { txId?: unknown } }).source.txId ?? []);
    for (let attempt = 0; attempt < SEEN_ATTEMPTS; attempt++) {
      const { rows } = await client.query<{ snapshot: string }>('SELECT txid_current_snapshot()::text AS snapshot');
      const isMissed = misses(rows[0]?.snapshot ?? '');
      if (!xids.some((xid) => isMissed(Number(xid)))) return;
      await sleep(SEEN_EVERY_MS, this.session.signal);
    }
  }

  /** The values in the events stay as they are, unless the task fails. */
  private failed({ model }: ReselectTable, reason: string, cause: unknown): void {
    const what = `Columns of table ${model.schema}.${model.name} could not be read again`;
    const isLost = this.options.onMissing !== undefined && cause !== null && isTransient(cause);
    if (this.config.fails || isLost) throw databaseError(what, cause ?? new Error(reason));
    const table = `${model.schema}.${model.name}`;
    this.warnings.warn(table, `${what}: ${reason}. The events keep the values that they have.`);
  }
}

/**
 * Whether the records before `end` are complete changes: only the last record of one has an offset of its own. Of rows
 * of a snapshot, only the last record of a poll says which of them were emitted.
 */
function endsChange(records: readonly SourceRecord[], end: number): boolean {
  const offset = records[end - 1]?.sourceOffset;
  return offset?.snapshot === undefined && (end < 2 || offset !== records[end - 2]?.sourceOffset);
}
