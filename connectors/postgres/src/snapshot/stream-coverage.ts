/** Of which tables the stream delivers every new version of a row, so that a resumed snapshot may leave it out. */
import type { Client } from 'pg';
import { qualified, type CatalogTable } from '../database/catalog';
import { decodingPlugin } from '../replication/decoding-plugin';
import type { Session } from '../session';

export interface StreamCoverage {
  covers(table: CatalogTable): boolean;
  /** Also a table that did not exist when the stream began. */
  readonly includesNew: boolean;
}

const NOTHING: StreamCoverage = { covers: () => false, includesNew: false };

const PUBLICATION = `
  SELECT puballtables AS "allTables", pubinsert AND pubupdate AS complete FROM pg_publication WHERE pubname = $1`;
/** As JSON, because versions before 15 have neither column lists nor row filters. */
const TABLES = `
  SELECT t.schemaname || '.' || t.tablename AS name
  FROM pg_publication_tables t JOIN pg_class c ON c.oid = format('%I.%I', t.schemaname, t.tablename)::regclass
  WHERE t.pubname = $1 AND to_jsonb(t)->>'rowfilter' IS NULL
    AND coalesce(jsonb_array_length(to_jsonb(t)->'attnames'), 1600) >=
      (SELECT count(*) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '')`;

/** Names in `slot.stream.params` that leave out changes. */
const FILTERS = /^(?:origin|publication_names|actions|filter-.*|add-.*)$/i;

/** @param streams whether the snapshot is followed by a stream */
export async function streamCoverage(
  { config }: Pick<Session, 'config'>,
  client: Client,
  streams: boolean,
): Promise<StreamCoverage> {
  const { skipped, publication, slot } = config;
  // An update of the key is also a creation.
  if (!streams || skipped.has('u') || skipped.has('c')) return NOTHING;
  if (slot.streamParams.some(([name]) => FILTERS.test(name))) return NOTHING;
  if (!decodingPlugin(config).usesPublication)
    return { covers: (table) => !table.unlogged && !table.partitionedRoot, includesNew: true };
  const { rows } = await client.query(PUBLICATION, [publication.name]);
  const found = rows[0] as { allTables: boolean; complete: boolean } | undefined;
  if (!found?.complete) return NOTHING;
  const tables = await client.query(TABLES, [publication.name]);
  const names = new Set((tables.rows as { name: string }[]).map(({ name }) => name));
  return { covers: (table) => names.has(qualified(table)), includesNew: found.allTables };
}
