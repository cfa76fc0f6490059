/**
 * What a publication contains, and which tables are partitions. Read from the catalogs alone: `pg_publication_tables`
 * opens each table, so it would wait for every lock that another session holds.
 */
import type { Client, QueryResult } from 'pg';
import type { TableName } from '../database/catalog';
import { errorCode } from '../database/errors';

export interface PublicationMember extends TableName {
  readonly oid: number;
  /** Another one after the table has left the publication and joined it again. */
  readonly id: string;
  /** Columns that it is restricted to; null: all. */
  readonly columns: readonly string[] | null;
  /** Condition that its rows must satisfy; null: none; `UNREAD`: there is one. */
  readonly rowFilter: string | typeof UNREAD | null;
}

/** Of a row filter whose table is locked, or whose text was not asked for. */
export const UNREAD = Symbol('unread');

/** Operations that a publication may leave out, by their letter in `skipped.operations`. */
export const OPERATIONS = { c: 'insert', u: 'update', d: 'delete', t: 'truncate' } as const;
export type PublishedOperation = (typeof OPERATIONS)[keyof typeof OPERATIONS];

interface Parent extends TableName {
  readonly oid: number;
}

export interface PublicationState {
  readonly allTables: boolean;
  /** Partitions are published under the name of the topmost partitioned table that is in the publication. */
  readonly viaRoot: boolean;
  /** Operations that it publishes, as `insert`. */
  readonly operations: ReadonlySet<PublishedOperation>;
  /** Tables that it names. */
  readonly members: readonly PublicationMember[];
  /** Schemas all of whose tables it contains: ids of these memberships by name. */
  readonly schemas: ReadonlyMap<string, string>;
  /** Partitioned tables by the oids of their partitions. */
  readonly parents: ReadonlyMap<number, Parent>;
}

/** As JSON, because columns differ between versions. */
const PUBLICATION = 'SELECT oid, to_jsonb(p) AS facts FROM pg_publication p WHERE pubname = $1';
/** `prexcept`: tables that a publication for all tables leaves out (PostgreSQL 19). */
const MEMBERS = `
  SELECT c.oid::int8::text AS oid, n.nspname AS schema, c.relname AS name, r.id,
         (SELECT array_agg(a.attname::text ORDER BY a.attnum) FROM pg_attribute a
          WHERE a.attrelid = c.oid AND a.attnum IN (SELECT e::int2
            FROM jsonb_array_elements_text(CASE jsonb_typeof(r.facts->'prattrs') WHEN 'array' THEN r.facts->'prattrs' END) e)) AS columns,
         r.facts->>'prqual' IS NOT NULL AS filtered
  FROM (SELECT m.prrelid, coalesce(to_jsonb(m)->>'oid', m.ctid::text) AS id, to_jsonb(m) AS facts FROM pg_publication_rel m WHERE m.prpubid = $1) r
  JOIN pg_class c ON c.oid = r.prrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE r.facts->>'prexcept' IS DISTINCT FROM 'true'`;
const SCHEMAS = `
  SELECT n.nspname AS schema, m.oid::text AS id FROM pg_publication_namespace m JOIN pg_namespace n ON n.oid = m.pnnspid
  WHERE m.pnpubid = $1`;
const PARTITIONS = `
  SELECT i.inhrelid::int8::text AS partition, c.oid::int8::text AS oid, n.nspname AS schema, c.relname AS name
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhparent JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'p'`;
/** The text needs the table, so it is not read of tables whose lock another session holds or waits for. */
const filterQuery = (publication: number): string => `
  SELECT prrelid::int8::text AS oid, pg_get_expr(prqual, prrelid) AS filter FROM pg_publication_rel
  WHERE prpubid = ${publication} AND prqual IS NOT NULL AND prrelid NOT IN (
    SELECT relation FROM pg_locks
    WHERE locktype = 'relation' AND mode = 'AccessExclusiveLock' AND relation IS NOT NULL AND pid <> pg_backend_pid())`;
/** For a lock that is taken after the query began. */
const FILTER_LOCK_MS = 500;

/**
 * Null when there is no publication of that name. Waits for the lock of no table.
 * @param filters `unread` within a transaction, which a lock that is not free would abort
 */
export async function findPublication(
  client: Client,
  name: string,
  serverVersion: number,
  filters: 'read' | 'unread' = 'read',
): Promise<PublicationState | null> {
  const publication = (await client.query(PUBLICATION, [name])).rows[0] as
    { oid: number; facts: Readonly<Record<string, boolean>> } | undefined;
  if (publication === undefined) return null;
  const of = [publication.oid];
  const named = (await client.query(MEMBERS, of)).rows as {
    oid: string;
    schema: string;
    name: string;
    id: string;
    columns: string[] | null;
    filtered: boolean;
  }[];
  const isRead = filters === 'read' && named.some(({ filtered }) => filtered);
  const texts = isRead ? await readFilters(client, publication.oid) : NO_TEXTS;
  const schemas = serverVersion >= 150000 ? (await client.query(SCHEMAS, of)).rows : [];
  const partitions = (await client.query(PARTITIONS)).rows as (TableName & { partition: string; oid: string })[];
  return {
    allTables: publication.facts.puballtables === true,
    // TRUNCATE is published since version 11.
    operations: new Set(Object.values(OPERATIONS).filter((one) => publication.facts[`pub${one}`] !== false)),
    viaRoot: publication.facts.pubviaroot === true,
    members: named.map(({ oid, schema, name: table, id, columns, filtered }) => ({
      oid: Number(oid),
      schema,
      name: table,
      id,
      columns,
      rowFilter: filtered ? (texts.get(oid) ?? UNREAD) : null,
    })),
    schemas: new Map((schemas as { schema: string; id: string }[]).map(({ schema, id }) => [schema, id])),
    parents: new Map(
      partitions.map(({ partition, oid, schema, name: table }) => [
        Number(partition),
        { oid: Number(oid), schema, name: table },
      ]),
    ),
  };
}

const NO_TEXTS: ReadonlyMap<string, string> = new Map();

/** By the oids of their tables. */
async function readFilters(client: Client, publication: number): Promise<ReadonlyMap<string, string>> {
  const statements = `SET LOCAL lock_timeout = ${FILTER_LOCK_MS}; ${filterQuery(publication)}`;
  try {
    // One message, which is one transaction.
    const answers = (await client.query(statements)) as unknown as QueryResult[];
    const rows = (answers[1]?.rows ?? []) as { oid: string; filter: string | null }[];
    return new Map(rows.flatMap(({ oid, filter }) => (filter === null ? [] : [[oid, filter] as const])));
  } catch (error) {
    if (errorCode(error) !== '55P03') throw error;
    return NO_TEXTS;
  }
}

/**
 * Sums and counts of the rows that decide what a publication publishes: any change of a table's name or existence, of
 * the publication and of what it contains yields another text. Takes no locks of tables.
 */
export async function lastChange(client: Client, publication: string, serverVersion: number): Promise<string> {
  const sum = (from: string): string => `(SELECT count(*) || ' ' || coalesce(sum(x.xmin::text::int8), 0) FROM ${from})`;
  const parts = [
    sum("pg_class x WHERE x.relkind IN ('r', 'p') AND x.relpersistence <> 't'"),
    sum('pg_namespace x'),
    sum('pg_publication x WHERE x.pubname = $1'),
    sum('pg_publication_rel x JOIN pg_publication p ON p.oid = x.prpubid WHERE p.pubname = $1'),
    ...(serverVersion >= 150000
      ? [sum('pg_publication_namespace x JOIN pg_publication p ON p.oid = x.pnpubid WHERE p.pubname = $1')]
      : []),
  ];
  const { rows } = await client.query<{ mark: string }>(`SELECT concat_ws(' ', ${parts.join(', ')}) AS mark`, [
    publication,
  ]);
  return rows[0]?.mark ?? '';
}
