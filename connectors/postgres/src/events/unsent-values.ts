/**
 * Values that the server did not send, because an update left them unchanged (cdc-postgres §2.10). A row shows most of
 * them by a placeholder. Those that it cannot show are read again, named in a header, or an error.
 */
import { ConnectError, schema, type Header, type Logger, type SourceRecord } from '@millrace/sdk';
import { reselects, type ReselectConfig } from '../config/reselect-config';
import type { Struct } from './event-context';
import type { ModelField, TableModel } from './table-model';

/** Names the columns whose values are unknown, separated by commas. */
const UNAVAILABLE_COLUMNS = '__debezium.unavailable.columns';

const STRING = schema('STRING');

export class UnsentValues {
  /** Unsent columns of a row that were not read since. */
  private readonly byRow = new WeakMap<Struct, ReadonlySet<ModelField>>();
  private readonly warned = new Set<string>();
  /** All unsent values are read again before their records are delivered. */
  areRead = false;

  constructor(
    private readonly logger: Logger,
    private readonly reselect: ReselectConfig | null,
  ) {}

  /** The columns of a row that were not sent, and not read since. */
  of(row: Struct): ReadonlySet<ModelField> | undefined {
    return this.byRow.get(row);
  }

  /**
   * Throws ConnectError `PG_UNSENT_VALUE` if a column that accepts no null has no placeholder and is not read again.
   */
  check(model: TableModel, fields: readonly ModelField[]): void {
    for (const field of fields) if (isLost(field) && !this.isRead(model, field)) throw unsentValue(model, field);
  }

  /** Notes the unsent columns of a record's new row, if they may be read again. */
  mark(record: SourceRecord, model: TableModel, fields: readonly ModelField[]): void {
    const { op, after } = record.value as { op: string; after: Struct };
    // Those of new keys are read while an incremental snapshot runs.
    if (op === 'c' || this.areRead || this.reselect?.unavailable === true) this.byRow.set(after, new Set(fields));
    if (fields.some(hidesUnsent))
      this.publish(
        record,
        model,
        fields.filter((field) => field.hidesUnsent && !this.isRead(model, field)),
      );
  }

  /** The value has been read. */
  found(row: Struct, field: ModelField): void {
    const left = new Set(this.byRow.get(row));
    left.delete(field);
    this.byRow.set(row, left);
  }

  /**
   * Gives up what was to be read.
   * @param reason why a value exists, but was not read; null: it exists no more
   * @throws ConnectError `PG_UNSENT_VALUE` if a column that accepts no null has no placeholder and a reason is given
   */
  leave(record: SourceRecord, model: TableModel, reason: string | null): void {
    const left = this.byRow.get((record.value as { after: Struct }).after);
    if (left === undefined) return;
    const hidden = [...left].filter(hidesUnsent);
    const unknown = reason === null ? undefined : hidden.find(isLost);
    if (unknown !== undefined) throw unsentValue(model, unknown, reason);
    this.publish(record, model, hidden);
  }

  private isRead(model: TableModel, field: ModelField): boolean {
    if (this.areRead) return true;
    const { reselect } = this;
    return reselect?.unavailable === true && reselects(reselect, model, field.column);
  }

  private publish(record: SourceRecord, model: TableModel, hidden: readonly ModelField[]): void {
    const given = record.headers ?? [];
    const headers = given.filter(({ key }) => key !== UNAVAILABLE_COLUMNS);
    if (hidden.length > 0)
      headers.push({ key: UNAVAILABLE_COLUMNS, schema: STRING, value: hidden.map(({ name }) => name).join(',') });
    else if (headers.length === given.length) return;
    (record as { headers: readonly Header[] }).headers = headers;
    for (const field of hidden) this.warn(model, field);
  }

  private warn(model: TableModel, field: ModelField): void {
    const column = `${model.schema}.${model.name}.${field.column}`;
    if (this.warned.has(column)) return;
    this.warned.add(column);
    const instead = isLost(field)
      ? 'the zero value of its type'
      : field.unavailable === null
        ? 'null'
        : 'a masked placeholder';
    this.logger.warn(
      `PG_UNSENT_VALUE: The server does not send large values of column ${column} that an update leaves unchanged: ${instead} is published, and the header ${UNAVAILABLE_COLUMNS} names the column. ${cure(model)}`,
    );
  }
}

const hidesUnsent = (field: ModelField): boolean => field.hidesUnsent;

/** Nothing can be published for it but a value that the column might have. */
function isLost({ required, unavailable, hidesUnsent: isHidden }: ModelField): boolean {
  return required && unavailable === null && isHidden;
}

function cure({ schema: namespace, name }: TableModel): string {
  return `Run ALTER TABLE ${namespace}.${name} REPLICA IDENTITY FULL; for later updates, or have such values read from the table with post.processors.`;
}

function unsentValue(model: TableModel, { column }: ModelField, reason: string | null = null): ConnectError {
  const table = `${model.schema}.${model.name}`;
  const why = reason === null ? '' : ` It could not be read from the table: ${reason}.`;
  return new ConnectError(
    `An update of table ${table} does not hold the value of column "${column}", which is stored out of line and did not change. The column is NOT NULL, and its type has no placeholder.${why} Have such values read from the table with post.processors, or leave the column out with column.exclude.list; ALTER TABLE ${table} REPLICA IDENTITY FULL; sends them with later updates.`,
    { code: 'PG_UNSENT_VALUE', place: { table, column } },
  );
}
