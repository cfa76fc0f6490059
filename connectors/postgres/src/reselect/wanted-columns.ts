/** Which columns of an event are read again, and the row that they belong to. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { readMember, type Schema, type SourceRecord } from '@millrace/sdk';
import type { ReselectConfig } from '../config/reselect-config';
import type { Struct } from '../events/struct';
import { publishedValue, type ModelField, type TableModel } from '../events/table-model';
import { keyText } from './key-text';

/** A captured table, as far as reading its columns again needs it. */
export interface ReselectTable {
  readonly model: TableModel;
  /** Fields that may be read again. */
  readonly fields: readonly ModelField[];
  /** What is published of each where it is unavailable. */
  readonly unavailable: ReadonlyMap<ModelField, unknown>;
  /** Columns that find the row; empty: the table has none. */
  readonly key: readonly ModelField[];
}

/** The columns of one event. */
export interface WantedColumns {
  readonly table: ReselectTable;
  readonly fields: readonly ModelField[];
  /** Key values in PostgreSQL's text form, in the order of `table.key`. */
  readonly key: readonly string[];
  readonly row: Struct;
}

/** @param primaryKey names of columns */
export function reselectTable(model: TableModel, primaryKey: readonly string[], config: ReselectConfig): ReselectTable {
  const name = `${model.schema}.${model.name}`;
  const fields = model.row.filter((field) => {
    // Masked by asterisks: all values look the same.
    if (publishedValue(model, field, null) !== null) return false;
    const path = `${name}:${field.column}`;
    return config.include === null ? !(config.exclude?.matches(path) ?? false) : config.include.matches(path);
  });
  const inRow = (column: string): ModelField[] => model.row.filter((field) => field.column === column);
  const byPrimaryKey = primaryKey.flatMap(inRow);
  // A key column that is excluded from the row is only in the key of the record.
  const complete = byPrimaryKey.length === primaryKey.length;
  const unavailable = new Map(fields.map((field) => [field, publishedValue(model, field, field.unavailable)]));
  return { model, fields, unavailable, key: config.byEventKey ? model.key : complete ? byPrimaryKey : [] };
}

/** Null: nothing to read. A string: why the row cannot be found. */
export function wantedColumns(
  record: SourceRecord,
  table: ReselectTable,
  config: ReselectConfig,
): WantedColumns | string | null {
  const event = record.value as Struct;
  const row = (event.after ?? null) as Struct | null;
  // A row of a snapshot was just read.
  if (row === null || event.op === 'r' || record.key === null) return null;
  const fields = table.fields.filter((field) => {
    const value = readMember(row, field.name) ?? null;
    if (value === null) return config.nulls;
    return config.unavailable && field.unavailable != null && isDeepStrictEqual(value, table.unavailable.get(field));
  });
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
  return key.length === 0 ? 'the table has no key' : { table, fields, key, row };
}

function schemaOfRow({ envelope }: TableModel): Schema | null {
  return fieldSchema(envelope, 'after');
}

function fieldSchema(schema: Schema | null, name: string): Schema | null {
  return schema?.fields?.find((field) => field.name === name)?.schema ?? null;
}
