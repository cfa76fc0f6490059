/** Which columns of an event are read again, and the row that they belong to. Pure. */
import { readMember, type Schema, type SourceRecord } from '@millrace/sdk';
import { reselects, type ReselectConfig } from '../config/reselect-config';
import type { Struct } from '../events/event-context';
import { publishedValue, type ModelField, type TableModel } from '../events/table-model';
import type { UnsentValues } from '../events/unsent-values';
import { keyText } from './key-text';

const NO_KEY = 'the table has no key';

/** A captured table, as far as reading its columns again needs it. */
export interface ReselectTable {
  readonly model: TableModel;
  /** Fields that may be read again. */
  readonly fields: readonly ModelField[];
  /** Columns that find the row; empty: the table has none. */
  readonly key: readonly ModelField[];
}

/** The columns of one event. */
export interface WantedColumns {
  readonly record: SourceRecord;
  readonly table: ReselectTable;
  readonly fields: readonly ModelField[];
  /** Key values in PostgreSQL's text form, in the order of `table.key`. */
  readonly key: readonly string[];
  readonly row: Struct;
}

/** @param primaryKey names of columns */
export function reselectTable(model: TableModel, primaryKey: readonly string[], config: ReselectConfig): ReselectTable {
  // Masked by asterisks, all values look the same.
  const fields = model.row.filter(
    (field) => publishedValue(model, field, null) === null && reselects(config, model, field.column),
  );
  const inRow = (column: string): ModelField[] => model.row.filter((field) => field.column === column);
  const byPrimaryKey = primaryKey.flatMap(inRow);
  // A key column that is excluded from the row is only in the key of the record.
  const complete = byPrimaryKey.length === primaryKey.length;
  return { model, fields, key: config.byEventKey ? model.key : complete ? byPrimaryKey : [] };
}

/** Null: nothing to read. A string: why the row cannot be found. */
export function wantedColumns(
  record: SourceRecord,
  table: ReselectTable,
  config: ReselectConfig,
  unsentValues: Pick<UnsentValues, 'of'>,
): WantedColumns | string | null {
  const event = record.value as Struct;
  const row = (event.after ?? null) as Struct | null;
  // A row of a snapshot was just read.
  if (row === null || event.op === 'r') return null;
  const unsent = config.unavailable ? unsentValues.of(row) : undefined;
  if (record.key === null) return table.fields.some((field) => unsent?.has(field)) ? NO_KEY : null;
  const fields = table.fields.filter(
    (field) => unsent?.has(field) === true || (config.nulls && (readMember(row, field.name) ?? null) === null),
  );
  if (fields.length === 0) return null;
  const key: string[] = [];
  for (const { name, column } of table.key) {
    // The record's key first, because it is never masked.
    const inKey = fieldSchema(record.keySchema, name);
    const schema = inKey ?? fieldSchema(schemaOfRow(table.model), name);
    const value = readMember(inKey === null ? row : (record.key as Struct), name) ?? null;
    const text = schema === null ? null : keyText(schema, value);
    if (text === null) return `its key column "${column}" has a value that cannot be searched for`;
    key.push(text);
  }
  return key.length === 0 ? NO_KEY : { record, table, fields, key, row };
}

function schemaOfRow({ envelope }: TableModel): Schema | null {
  return fieldSchema(envelope, 'after');
}

function fieldSchema(schema: Schema | null, name: string): Schema | null {
  return schema?.fields?.find((field) => field.name === name)?.schema ?? null;
}
