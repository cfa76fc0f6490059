/** What a command or query gives: a table, and the two forms in which replies carry it. Source: analytics-sink §5.4. */
import type { Json } from '@duckdb/node-api';
import { typeFacts, type Column } from './engine/column-types';
import type { JsonText } from './reply-json';

export type Cell = Json | JsonText;

export interface ResultTable {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
}

/** A table of texts, which most commands answer. */
export function textTable(columns: readonly string[], rows: readonly (readonly Json[])[]): ResultTable {
  return { columns: columns.map((name) => ({ name, type: 'string' })), rows };
}

function v1Table(name: string, { columns, rows }: ResultTable): object {
  return {
    TableName: name,
    Columns: columns.map((column) => ({
      ColumnName: column.name,
      DataType: typeFacts(column.type).dataType,
      ColumnType: column.type,
    })),
    Rows: rows,
  };
}

/** A management command's reply. */
export function v1Reply(table: ResultTable): object {
  return { Tables: [v1Table('Table_0', table)] };
}

/** A query's: the result, properties, status and, last, the table of contents. */
export function v1QueryReply(table: ResultTable): object {
  const status: ResultTable = {
    columns: [
      { name: 'Timestamp', type: 'datetime' },
      { name: 'Severity', type: 'int' },
      { name: 'SeverityName', type: 'string' },
      { name: 'StatusCode', type: 'int' },
      { name: 'StatusDescription', type: 'string' },
    ],
    rows: [[new Date().toISOString(), 4, 'Info', 0, 'Query completed successfully']],
  };
  const contents: ResultTable = {
    columns: [
      { name: 'Ordinal', type: 'long' },
      { name: 'Kind', type: 'string' },
      { name: 'Name', type: 'string' },
      { name: 'Id', type: 'string' },
      { name: 'PrettyName', type: 'string' },
    ],
    rows: [
      [0, 'QueryResult', 'PrimaryResult', '', ''],
      [1, 'QueryProperties', '@ExtendedProperties', '', ''],
      [2, 'QueryStatus', 'QueryStatus', '', ''],
    ],
  };
  return {
    Tables: [
      v1Table('Table_0', table),
      v1Table('Table_1', textTable(['Value'], [['{}']])),
      v1Table('Table_2', status),
      v1Table('Table_3', contents),
    ],
  };
}

/** Frames of a query's v2 reply. */
export function v2Reply({ columns, rows }: ResultTable): object[] {
  return [
    { FrameType: 'DataSetHeader', IsProgressive: false, Version: 'v2.0' },
    {
      FrameType: 'DataTable',
      TableId: 0,
      TableKind: 'PrimaryResult',
      TableName: 'PrimaryResult',
      Columns: columns.map((column) => ({ ColumnName: column.name, ColumnType: column.type })),
      Rows: rows,
    },
    { FrameType: 'DataSetCompletion', HasErrors: false, Cancelled: false },
  ];
}
