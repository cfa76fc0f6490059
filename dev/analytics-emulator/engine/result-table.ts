/** The result table of a command or query, and its two response formats. Source: analytics-sink §5.4. */
import type { Json } from '@duckdb/node-api';
import { typeFacts, type Column } from './column-types';
import type { JsonText } from '../reply-json';

export type Cell = Json | JsonText;

export interface ResultTable {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
}

/** A table of text columns, as most commands return. */
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

/** The response of a management command. */
export function v1Reply(table: ResultTable): object {
  return { Tables: [v1Table('Table_0', table)] };
}

/** The v1 response of a query: the result, properties, status and the table of contents. */
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

/** The frames of a query's v2 response. */
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
