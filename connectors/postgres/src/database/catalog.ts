/**
 * Reads tables, columns, keys and types from the catalog. Reads matching tables only, because installations have 10^5
 * row types.
 */
import type { Client } from 'pg';
import type { FilterConfig } from '../config/postgres-config';
import type { PgType } from '../values/value-type';

export interface TableName {
  readonly schema: string;
  readonly name: string;
}

export interface CatalogColumn {
  readonly name: string;
  readonly typeOid: number;
  readonly typmod: number;
  readonly notNull: boolean;
  /** `pg_get_expr` of the default; null for none, identity and generated columns. */
  readonly default: string | null;
  readonly comment: string | null;
  /** Stored or virtual. */
  readonly generated: boolean;
  /** Change messages contain the column. `readTables` takes no generated one for sent; see `sentColumns`. */
  readonly sent: boolean;
}

/** The parts of a table that determine keys and values of its rows. */
export interface TableDefinition extends TableName {
  readonly oid: number;
  readonly columns: readonly CatalogColumn[];
  /** Primary key, or the first usable unique index; empty for none. */
  readonly key: readonly string[];
}

/** What decides whether a table can be published. */
export interface PublishableTable extends TableName {
  readonly oid: number;
  readonly unlogged: boolean;
  readonly partitionedRoot: boolean;
}

export interface CatalogTable extends TableDefinition, PublishableTable {
  /** `d` default, `f` full, `i` index, `n` nothing. */
  readonly replicaIdentity: string;
  /** Row level security applies to the role of the connection: it hides rows, or lets the server refuse queries. */
  readonly rowSecurity: boolean;
  readonly hasPrimaryKey: boolean;
  /** Columns of the index that REPLICA IDENTITY USING INDEX names. */
  readonly identityIndex: readonly string[];
}

export function qualified(table: TableName): string {
  return `${table.schema}.${table.name}`;
}

/** Selects the captured tables by name. */
export function tableFilter(filters: FilterConfig): (table: TableName) => boolean {
  return (table) => {
    if (/^(pg_catalog|information_schema|pg_toast.*|pg_temp.*)$/.test(table.schema)) return false;
    if (filters.ignoreBuiltin && table.name === 'spatial_ref_sys') return false;
    const name = qualified(table);
    if (filters.owns?.(name) === false) return false;
    if (name === filters.signalTable) return true;
    if (filters.schemaInclude !== null && !filters.schemaInclude.matches(table.schema)) return false;
    if (filters.schemaExclude?.matches(table.schema)) return false;
    if (filters.tableInclude !== null) return filters.tableInclude.matches(name);
    return !(filters.tableExclude?.matches(name) ?? false);
  };
}

/** What a snapshot reads of them: not the signal table, whose rows are signals of the past and marks of chunks. */
export function snapshotTables<Table extends TableName>(
  tables: readonly Table[],
  { signalTable }: FilterConfig,
): Table[] {
  return tables.filter((table) => qualified(table) !== signalTable);
}

const TABLES = `
  SELECT c.oid::int8::text AS oid, n.nspname AS schema, c.relname AS name, c.relpersistence = 'u' AS unlogged,
         c.relkind = 'p' AS "partitionedRoot"
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p') AND c.relpersistence <> 't' AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')`;

/** In snapshot order: by pattern of the include list, then by name (cdc-postgres §4.2). */
export async function findTables(client: Client, filters: FilterConfig): Promise<PublishableTable[]> {
  const { rows } = await client.query(TABLES);
  const matches = tableFilter(filters);
  const rank = (table: TableName): number => filters.tableInclude?.indexOf(qualified(table)) ?? 0;
  return (rows as (Omit<PublishableTable, 'oid'> & { oid: string })[])
    .map((row) => ({ ...row, oid: Number(row.oid) }))
    .filter(matches)
    .sort((a, b) => rank(a) - rank(b) || (qualified(a) < qualified(b) ? -1 : 1));
}

/** With a table, `pg_get_expr` would wait for its lock and hold back the events of all; a default needs none. */
const COLUMNS = `
  SELECT a.attrelid::int8::text AS oid, a.attname AS name, a.atttypid::int8::text AS type_oid, a.atttypmod AS typmod,
         a.attnotnull AND $VALIDATED AS not_null,
         CASE WHEN a.attidentity = '' AND $GENERATED = '' THEN pg_get_expr(d.adbin, 0) END AS expression, $GENERATED <> '' AS generated,
         col_description(a.attrelid, a.attnum) AS comment
  FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  WHERE a.attrelid = ANY($1::oid[]) AND a.attnum > 0 AND NOT a.attisdropped
  ORDER BY a.attrelid, a.attnum`;

/** Unique indexes without expressions or condition; the primary key first, then in the order of their names. */
const INDEXES = `
  SELECT i.indrelid::int8::text AS oid, i.indisprimary AS is_primary, i.indisreplident AS is_identity,
         (SELECT array_agg(a.attname::text ORDER BY k.position)
          FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS k(attnum, position)
          JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
          WHERE k.position <= $KEY_COLUMNS) AS columns
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
  WHERE i.indrelid = ANY($1::oid[]) AND i.indisunique AND i.indisvalid AND i.indexprs IS NULL AND i.indpred IS NULL
  ORDER BY i.indrelid, i.indisprimary DESC, c.relname`;

const RELATIONS = `
  SELECT c.oid::int8::text AS oid, n.nspname AS schema, c.relname AS name, c.relreplident AS identity, c.relpersistence = 'u' AS unlogged,
         c.relkind = 'p' AS root, row_security_active(c.oid) AS row_security
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = ANY($1::oid[])`;

/** A column may hold NULL until its NOT NULL constraint is validated. */
const VALIDATED = `NOT EXISTS (
  SELECT FROM pg_constraint k WHERE k.conrelid = a.attrelid AND k.contype = 'n' AND k.conkey[1] = a.attnum AND NOT k.convalidated)`;

/** Omits tables that no longer exist. */
export async function readTables(
  client: Client,
  oids: readonly number[],
  serverVersion: number,
): Promise<CatalogTable[]> {
  if (oids.length === 0) return [];
  const generated = serverVersion >= 120000 ? 'a.attgenerated' : "''";
  const keyColumns = serverVersion >= 110000 ? 'i.indnkeyatts' : 'i.indnatts';
  const list = [oids.map(String)];
  const relations = await client.query(RELATIONS, list);
  const columns = await client.query(
    COLUMNS.replaceAll('$GENERATED', generated).replace('$VALIDATED', serverVersion >= 180000 ? VALIDATED : 'true'),
    list,
  );
  const indexes = await client.query(INDEXES.replaceAll('$KEY_COLUMNS', keyColumns), list);
  const columnsOf = groupByOid(columns.rows);
  const indexesOf = groupByOid(indexes.rows);
  const tables = new Map<number, CatalogTable>();
  for (const row of relations.rows as Record<string, unknown>[]) {
    const oid = Number(row.oid);
    const ownIndexes = indexesOf.get(oid) ?? [];
    const table: CatalogTable = {
      oid,
      schema: row.schema as string,
      name: row.name as string,
      replicaIdentity: row.identity as string,
      unlogged: row.unlogged as boolean,
      rowSecurity: row.row_security as boolean,
      partitionedRoot: row.root as boolean,
      columns: (columnsOf.get(oid) ?? []).map((column) => ({
        name: column.name as string,
        typeOid: Number(column.type_oid),
        typmod: column.typmod as number,
        notNull: column.not_null as boolean,
        default: column.expression as string | null,
        comment: column.comment as string | null,
        generated: column.generated as boolean,
        sent: !(column.generated as boolean),
      })),
      key: (ownIndexes[0]?.columns as string[] | undefined) ?? [],
      hasPrimaryKey: ownIndexes[0]?.is_primary === true,
      identityIndex: (ownIndexes.find((index) => index.is_identity)?.columns as string[] | undefined) ?? [],
    };
    tables.set(oid, table);
  }
  return oids.flatMap((oid) => tables.get(oid) ?? []);
}

const BY_NAME = `
  SELECT c.oid::int8::text AS oid
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN unnest($1::text[], $2::text[]) AS wanted(schema, name) ON wanted.schema = n.nspname AND wanted.name = c.relname
  WHERE c.relkind IN ('r', 'p')`;

/** The tables that have these names now. */
export async function readTablesNamed(
  client: Client,
  names: readonly TableName[],
  serverVersion: number,
): Promise<CatalogTable[]> {
  if (names.length === 0) return [];
  const { rows } = await client.query<{ oid: string }>(BY_NAME, [
    names.map(({ schema }) => schema),
    names.map(({ name }) => name),
  ]);
  return await readTables(
    client,
    rows.map(({ oid }) => Number(oid)),
    serverVersion,
  );
}

function groupByOid(rows: Record<string, unknown>[]): Map<number, Record<string, unknown>[]> {
  const groups = new Map<number, Record<string, unknown>[]>();
  for (const row of rows) {
    const oid = Number(row.oid);
    const group = groups.get(oid);
    if (group) group.push(row);
    else groups.set(oid, [row]);
  }
  return groups;
}

export interface TypeName {
  readonly schema: string;
  readonly name: string;
}

const TYPES_NAMED = `
  SELECT t.oid::int8::text AS oid, n.nspname AS schema, t.typname AS name
  FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
  JOIN unnest($1::text[], $2::text[]) AS wanted(schema, name) ON wanted.schema = n.nspname AND wanted.name = t.typname`;

/** Oids of the types that have these names now, by `["schema","name"]`. */
export async function readTypesNamed(client: Client, names: readonly TypeName[]): Promise<Map<string, number>> {
  if (names.length === 0) return new Map();
  const { rows } = await client.query<TypeName & { oid: string }>(TYPES_NAMED, [
    names.map(({ schema }) => schema),
    names.map(({ name }) => name),
  ]);
  return new Map(rows.map(({ oid, schema, name }) => [JSON.stringify([schema, name]), Number(oid)]));
}

const TYPES = `
  WITH RECURSIVE wanted AS (
    SELECT t.oid, t.typbasetype, t.typelem, t.typcategory FROM pg_type t WHERE t.oid = ANY($1::oid[])
    UNION
    SELECT t.oid, t.typbasetype, t.typelem, t.typcategory FROM pg_type t
    JOIN wanted w ON t.oid = w.typbasetype OR (w.typcategory = 'A' AND t.oid = w.typelem))
  SELECT t.oid::int8::text AS oid, n.nspname AS schema, t.typname AS name, t.typtype AS kind, t.typcategory = 'A' AND t.typelem <> 0 AS is_array,
         (CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.typelem END)::int8::text AS of, t.typtypmod AS typmod,
         CASE WHEN t.typtype = 'e' THEN (SELECT array_agg(e.enumlabel::text ORDER BY e.enumsortorder) FROM pg_enum e WHERE e.enumtypid = t.oid)
         END AS labels
  FROM pg_type t JOIN wanted w ON w.oid = t.oid JOIN pg_namespace n ON n.oid = t.typnamespace`;

/** The types with their element and base types. Always queries, because enum labels may have been added. */
export async function readTypes(client: Client, oids: readonly number[]): Promise<Map<number, PgType>> {
  const { rows } = await client.query(TYPES, [oids.map(String)]);
  return new Map(
    (rows as Record<string, unknown>[]).map((row) => {
      const type: PgType = {
        oid: Number(row.oid),
        schema: row.schema as string,
        name: row.name as string,
        kind: row.kind as string,
        isArray: row.is_array as boolean,
        of: Number(row.of),
        typmod: row.typmod as number,
        labels: (row.labels as string[] | null) ?? [],
      };
      return [type.oid, type];
    }),
  );
}
