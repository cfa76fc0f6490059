/**
 * Whether the rows of a chunk are those of the table that the snapshot planned to read. A cursor reads whatever has the
 * names when it is opened, while the snapshot only fixes the rows: another table may have taken the name by then, and
 * another column that of a column. The server describes the rows before it sends them, which costs no query.
 */
import type { Client } from 'pg';
import type { RowField } from '../database/pg-internals';
import type { SnapshotTable } from './chunk';

interface PlannedColumn {
  readonly number: number;
  /** For a domain, its base type: rows are described so. */
  readonly typeOid: number;
}

const COLUMNS = `
  WITH RECURSIVE attribute AS (
    SELECT attrelid, attnum, attname, atttypid FROM pg_attribute
    WHERE attrelid = ANY($1::oid[]) AND attnum > 0 AND NOT attisdropped),
  base AS (
    SELECT DISTINCT atttypid AS type, atttypid AS oid FROM attribute
    UNION SELECT base.type, t.typbasetype FROM base JOIN pg_type t ON t.oid = base.oid WHERE t.typtype = 'd')
  SELECT a.attrelid::int8::text AS table, a.attnum AS number, a.attname AS name, t.oid::int8::text AS type_oid
  FROM attribute a JOIN base ON base.type = a.atttypid JOIN pg_type t ON t.oid = base.oid AND t.typtype <> 'd'`;

export class PlannedColumns {
  private constructor(private readonly byTable: ReadonlyMap<number, ReadonlyMap<string, PlannedColumn>>) {}

  /** @param client has the transaction in which the definitions of the tables are read */
  static async read(client: Client, oids: readonly number[]): Promise<PlannedColumns> {
    const { rows } = await client.query(COLUMNS, [oids.map(String)]);
    const byTable = new Map<number, Map<string, PlannedColumn>>();
    for (const row of rows as { table: string; number: number; name: string; type_oid: string }[]) {
      const oid = Number(row.table);
      const columns = byTable.get(oid) ?? new Map<string, PlannedColumn>();
      byTable.set(oid, columns.set(row.name, { number: row.number, typeOid: Number(row.type_oid) }));
    }
    return new PlannedColumns(byTable);
  }

  /** @param fields of the chunk's rows; those after the table's columns are ignored */
  isOf({ table, model, override }: SnapshotTable, fields: readonly RowField[]): boolean {
    // A custom SELECT may compute its columns.
    if (override !== null) return true;
    const planned = this.byTable.get(table.oid);
    return model.columns.every((name, i) => {
      const [field, column] = [fields[i], planned?.get(name)];
      // Of a value that the query computes, for example the NULL of a column that is left out.
      if (field === undefined || column === undefined || field.tableID === 0) return true;
      return field.tableID === table.oid && field.columnID === column.number && field.dataTypeID === column.typeOid;
    });
  }
}
