/** Which generated columns change messages contain (cdc-postgres §3.7). */
import type { Client } from 'pg';
import type { PostgresConfig } from '../config/postgres-config';
import { qualified, type CatalogTable } from '../database/catalog';
import type { ServerFacts } from '../database/server';

/**
 * A table that the publication does not contain gets what the publication would send of it. From the catalogs alone:
 * `pg_publication_tables` opens each published table, so it waits for every lock that another session holds.
 */
const SENT = `
  SELECT n.nspname || '.' || c.relname AS table, a.attname AS column
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_publication p ON p.pubname = $1
  LEFT JOIN pg_publication_rel r ON r.prpubid = p.oid AND r.prrelid = a.attrelid
  WHERE a.attrelid = ANY($2::oid[]) AND a.attgenerated = 's' AND NOT a.attisdropped
    AND coalesce(a.attnum = ANY(r.prattrs::int2[]), p.pubgencols = 's')`;

/** The tables as `readTables` returns them, with the generated columns that changes contain. */
export async function withSentColumns(
  client: Client,
  config: PostgresConfig,
  facts: ServerFacts,
  tables: readonly CatalogTable[],
): Promise<readonly CatalogTable[]> {
  const concerned = tables.filter(({ columns }) => columns.some(({ generated }) => generated));
  if (concerned.length === 0) return tables;
  // Without a stream, nothing differs from the snapshot. Other plugins send what is stored.
  const sendsAll = !config.snapshot.policy.stream || config.plugin !== 'pgoutput';
  if (!sendsAll && facts.version < 180000) return tables;
  const sent = sendsAll ? null : await publishedColumns(client, config.publication.name, concerned);
  return tables.map((table) => ({
    ...table,
    columns: table.columns.map((column) =>
      column.generated ? { ...column, sent: sent?.has(`${qualified(table)}.${column.name}`) ?? true } : column,
    ),
  }));
}

async function publishedColumns(
  client: Client,
  publication: string,
  tables: readonly CatalogTable[],
): Promise<Set<string>> {
  const { rows } = await client.query<{ table: string; column: string }>(SENT, [
    publication,
    tables.map(({ oid }) => String(oid)),
  ]);
  return new Set(rows.map(({ table, column }) => `${table}.${column}`));
}
