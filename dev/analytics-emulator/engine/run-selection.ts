/** Executes a translated query. */
import type { Json } from '@duckdb/node-api';
import { badRequest } from '../kusto-error';
import { JsonText } from '../reply-json';
import type { Cell, ResultTable } from './result-table';
import { typeFacts, type Column, type ColumnType } from './column-types';
import type { Database } from './database';
import { quoteName } from './sql-names';

/** A partial query. `sql` selects exactly `columns`. */
export interface Selection {
  readonly sql: string;
  readonly columns: readonly Column[];
}

export async function runSelection(database: Database, { sql, columns }: Selection): Promise<ResultTable> {
  const values = columns.map(({ name, type }) => `${typeFacts(type).toReply(quoteName(name))} AS ${quoteName(name)}`);
  const rows = await database.rows(`SELECT ${values.join(', ')} FROM (${sql})`);
  return { columns, rows: rows.map((row) => row.map((value, i) => replyValue(value, columns[i]?.type ?? 'string'))) };
}

function replyValue(value: Json, type: ColumnType): Cell {
  if (value === null) return null;
  // 64-bit integers are returned as text.
  if (type === 'long') return new JsonText(String(value));
  if (type === 'bool') return Boolean(value);
  return type === 'dynamic' && typeof value === 'string' ? dynamicValue(value) : value;
}

/** The value as ingested, with all digits of its numbers. DuckDB also accepts some invalid JSON. */
function dynamicValue(text: string): Cell {
  try {
    JSON.parse(text);
    return new JsonText(text);
  } catch {
    return text;
  }
}

const FROM_DUCKDB: Record<string, ColumnType> = {
  BOOLEAN: 'bool',
  INTEGER: 'int',
  BIGINT: 'long',
  HUGEINT: 'decimal',
  DOUBLE: 'real',
  TIMESTAMP_NS: 'datetime',
  TIMESTAMP: 'datetime',
  UUID: 'guid',
  JSON: 'dynamic',
};

/** Runs read-only SQL, which the service accepts with a request option and tests use. */
export async function runSql(database: Database, sql: string): Promise<ResultTable> {
  return await database.exclusively(async (connection) => {
    if (!(await connection.isOneSelect(sql))) throw badRequest('Only one SELECT statement can be run');
    const { columns, rows } = await connection.table(sql);
    return {
      columns: columns.map(({ name, type }) => ({
        name,
        type: FROM_DUCKDB[type] ?? (type.startsWith('DECIMAL') ? 'decimal' : 'string'),
      })),
      rows: rows.map((row) =>
        row.map((value, i) => (columns[i]?.type === 'BIGINT' && value !== null ? new JsonText(String(value)) : value)),
      ),
    };
  });
}
