/** How large the tables of a snapshot are, and where their rows are stored. */
import { createHash } from 'node:crypto';
import type { Client } from 'pg';
import type { CatalogTable } from '../database/catalog';
import type { TableModel } from '../events/table-model';

export interface TableSize {
  /** Of the largest part of a partitioned table: each part has its own block 0. */
  readonly blocks: number;
  /** Estimate of the server; 0: unknown or empty. */
  readonly rows: number;
  /** On disk, without indexes. */
  readonly bytes: number;
  /** All parts keep their rows in numbered blocks, which foreign tables do not. */
  readonly byBlock: boolean;
  /** Changes when the rows move to other blocks all at once (TRUNCATE, VACUUM FULL), or a column is replaced. */
  readonly storage: string;
  /** The part of `storage` that says where the rows are. */
  readonly files: string;
  /** Tables that hold rows: the partitions of a partitioned table. */
  readonly parts: number;
}

const EMPTY: TableSize = { blocks: 0, rows: 0, bytes: 0, byBlock: false, storage: '', files: '', parts: 0 };

/** The size of a table that is locked would wait for the lock: what ANALYZE has found is enough to plan the chunks. */
const SIZES = `
  WITH RECURSIVE part AS (
    SELECT o AS root, o AS oid FROM unnest($1::oid[]) AS o
    UNION SELECT part.root, i.inhrelid FROM part JOIN pg_inherits i ON i.inhparent = part.oid),
  locked AS (
    SELECT DISTINCT relation FROM pg_locks
    WHERE locktype = 'relation' AND mode = 'AccessExclusiveLock' AND pid <> pg_backend_pid()
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
  SELECT part.root::int8::text AS oid,
         coalesce(max(CASE WHEN locked.relation IS NULL THEN pg_relation_size(c.oid) ELSE $PAGES END) / current_setting('block_size')::int, 0)::text AS blocks,
         sum(greatest(c.reltuples, 0) * (c.relkind = 'r')::int)::float8 AS rows, 
         coalesce(sum(CASE WHEN locked.relation IS NULL THEN pg_table_size(c.oid) ELSE $PAGES END), 0)::text AS bytes,
         bool_and(c.relkind = 'p' OR (c.relkind = 'r' AND (a.oid IS NULL OR a.amname = 'heap'))) AS by_block,
         string_agg(c.oid::int8 || ':' || coalesce(pg_relation_filenode(c.oid)::int8, 0), ',' ORDER BY c.oid) AS files,
         (SELECT string_agg(attnum::text, ',' ORDER BY attnum) FROM pg_attribute
          WHERE attrelid = part.root AND attnum > 0 AND NOT attisdropped) AS columns,
         count(*) FILTER (WHERE c.relkind <> 'p')::int AS parts
  FROM part JOIN pg_class c ON c.oid = part.oid LEFT JOIN pg_am a ON a.oid = c.relam
       LEFT JOIN locked ON locked.relation = c.oid
  GROUP BY part.root`.replaceAll('$PAGES', "c.relpages::int8 * current_setting('block_size')::int8");

/** By oid. A table that does not exist has the size of an empty one. */
export async function readSizes(client: Client, oids: readonly number[]): Promise<(oid: number) => TableSize> {
  if (oids.length === 0) return () => EMPTY;
  const { rows } = await client.query(SIZES, [oids.map(String)]);
  const sizes = new Map(
    (rows as Record<string, unknown>[]).map((row) => {
      const size: TableSize = {
        blocks: Number(row.blocks),
        rows: Math.round(row.rows as number),
        bytes: Number(row.bytes),
        byBlock: row.by_block as boolean,
        storage: `${row.files as string};${(row.columns as string | null) ?? ''}`,
        files: row.files as string,
        parts: row.parts as number,
      };
      return [Number(row.oid), size];
    }),
  );
  return (oid) => sizes.get(oid) ?? EMPTY;
}

/**
 * Exactly-once: differs when rows lie in other blocks, or a custom SELECT chooses others. Rows that were emitted in
 * another form are not emitted again, as without an interruption.
 */
export function exactFingerprint(model: TableModel, files: string, override: string | null): string {
  return hash([model.topic, files, override]);
}

/** Differs when rows read earlier would be emitted in another form now, or lie in other blocks. */
export function tableFingerprint(table: CatalogTable, model: TableModel, storage: string): string {
  const facts = [
    model.topic,
    table.columns.map((column) => [column.name, column.typeOid, column.typmod, column.notNull]),
    model.row.map((field) => field.name),
    model.key.map((field) => field.name),
    storage,
  ];
  return hash(facts);
}

function hash(facts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 8);
}
