/** Runs what the query language was turned into. */
import type { Json } from '@duckdb/node-api';
import { badRequest } from '../kusto-error';
import type { Selection } from '../language/query';
import { JsonText } from '../reply-json';
import type { Cell, ResultTable } from '../result-table';
import { typeFacts, type ColumnType } from './column-types';
import type { Database } from './database';
import { quoteName } from './sql-names';

export async function runSelection(database: Database, { sql, columns }: Selection): Promise<ResultTable> {
  const values = columns.map(({ name, type }) => `${typeFacts(type).toReply(quoteName(name))} AS ${quoteName(name)}`);
  const rows = await database.rows(`SELECT ${values.join(', ')} FROM (${sql})`);
  return { columns, rows: rows.map((row) => row.map((value, i) => replyValue(value, columns[i]?.type ?? 'string'))) };
}

function replyValue(value: Json, type: ColumnType): Cell {
  if (value === null) return null;
  // 64-bit integers come as text.
  if (type === 'long') return new JsonText(String(value));
  if (type === 'bool') return Boolean(value);
  return type === 'dynamic' && typeof value === 'string' ? dynamicValue(value) : value;
}

/** As it was loaded, with all the digits of its numbers; DuckDB also takes what is not quite JSON. */
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

/** Plain SQL that only reads: the service takes it by request option, tests look around with it. */
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
