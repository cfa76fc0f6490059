/**
 * The catalog of databases, tables, ingestion mappings, policies and principals. Stored in DuckDB.
 */
import { badRequest, KustoError } from '../kusto-error';
import { typeFacts, type Column } from './column-types';
import type { Database, Parameter } from './database';
import { quoteName } from './sql-names';

export interface Mapping {
  readonly database: string;
  readonly table: string;
  /** Lower case: `csv`, `json`, `avro`, `apacheavro`, `parquet`. */
  readonly kind: string;
  readonly name: string;
  /** The original JSON text. */
  readonly text: string;
}

export interface TableEntry {
  readonly database: string;
  readonly name: string;
  readonly columns: readonly Column[];
}

const SCHEMA = `
CREATE SCHEMA IF NOT EXISTS __emulator;
CREATE TABLE IF NOT EXISTS __emulator.databases (name VARCHAR);
CREATE TABLE IF NOT EXISTS __emulator.tables (db VARCHAR, name VARCHAR, columns VARCHAR);
CREATE TABLE IF NOT EXISTS __emulator.mappings (db VARCHAR, tbl VARCHAR, kind VARCHAR, name VARCHAR, text VARCHAR);
CREATE TABLE IF NOT EXISTS __emulator.policies (scope VARCHAR, policy VARCHAR, text VARCHAR);
CREATE TABLE IF NOT EXISTS __emulator.principals (db VARCHAR, role VARCHAR, principal VARCHAR, note VARCHAR);
CREATE TABLE IF NOT EXISTS __emulator.failures (OperationId VARCHAR, "Database" VARCHAR, "Table" VARCHAR, FailedOn TIMESTAMP_NS,
  IngestionSourcePath VARCHAR, Details VARCHAR, FailureKind VARCHAR, RootActivityId VARCHAR, OperationKind VARCHAR,
  OriginatesFromUpdatePolicy BOOLEAN, ErrorCode VARCHAR, Principal VARCHAR, "User" VARCHAR, IngestionProperties VARCHAR,
  NumberOfSources INTEGER, ShouldRetry BOOLEAN);
CREATE TABLE IF NOT EXISTS __emulator.ingestions (source_id VARCHAR, db VARCHAR, tbl VARCHAR, row_count BIGINT, tags VARCHAR, loaded_at TIMESTAMP_NS);
`;

export class Catalog {
  /** By lower-case name: database names are case-insensitive, table names are not. */
  private readonly databases = new Map<string, string>();
  private readonly tables = new Map<string, TableEntry>();
  private readonly mappings = new Map<string, Mapping>();
  private readonly policies = new Map<string, string>();

  private constructor(private readonly store: Database) {}

  static async open(store: Database, firstDatabase: string): Promise<Catalog> {
    await store.exclusively(async (connection) => await connection.run(SCHEMA));
    const catalog = new Catalog(store);
    for (const [name] of await store.rows('SELECT name FROM __emulator.databases'))
      catalog.databases.set(String(name).toLowerCase(), String(name));
    for (const [db, name, columns] of await store.rows('SELECT db, name, columns FROM __emulator.tables'))
      catalog.tables.set(tableKey(String(db), String(name)), {
        database: String(db),
        name: String(name),
        columns: JSON.parse(String(columns)) as Column[],
      });
    for (const [database, table, kind, name, text] of (await store.rows(
      'SELECT db, tbl, kind, name, text FROM __emulator.mappings',
    )) as string[][]) {
      const mapping = { database, table, kind, name, text } as Mapping;
      catalog.mappings.set(mappingKey(mapping), mapping);
    }
    for (const [scope, policy, text] of await store.rows('SELECT scope, policy, text FROM __emulator.policies'))
      catalog.policies.set(`${String(scope)}|${String(policy)}`, String(text));
    if (catalog.databases.size === 0) await catalog.createDatabase(firstDatabase);
    return catalog;
  }

  databaseNames(): string[] {
    return [...this.databases.values()];
  }

  async createDatabase(name: string): Promise<void> {
    if (this.databases.has(name.toLowerCase())) return;
    await this.write(`CREATE SCHEMA IF NOT EXISTS ${quoteName(schemaOf(name))}`);
    await this.write('INSERT INTO __emulator.databases VALUES ($1)', [name]);
    this.databases.set(name.toLowerCase(), name);
  }

  /** The database's name in its original case. @throws KustoError if it does not exist. */
  database(name: string): string {
    const found = this.databases.get(name.toLowerCase());
    if (found === undefined) throw badRequest(`Database '${name}' could not be found.`, 'BadRequest_DatabaseNotExist');
    return found;
  }

  tablesOf(database: string): TableEntry[] {
    const name = this.database(database);
    return [...this.tables.values()].filter((table) => table.database === name);
  }

  findTable(database: string, table: string): TableEntry | null {
    return this.tables.get(tableKey(this.database(database), table)) ?? null;
  }

  /** @throws KustoError if the table does not exist. */
  table(database: string, table: string): TableEntry {
    const found = this.findTable(database, table);
    if (!found)
      throw new KustoError(
        'BadRequest_TableNotExist',
        `Table '${table}' could not be found in database '${database}'.`,
      );
    return found;
  }

  async createTable(database: string, name: string, columns: readonly Column[]): Promise<TableEntry> {
    const entry = { database: this.database(database), name, columns };
    const definitions = columns.map((column) => `${quoteName(column.name)} ${typeFacts(column.type).sql}`);
    await this.write(`CREATE TABLE ${sqlTable(entry)} (${definitions.join(', ')})`);
    await this.remember(entry);
    return entry;
  }

  /** Adds missing columns to the table. */
  async mergeTable(entry: TableEntry, columns: readonly Column[]): Promise<TableEntry> {
    const missing = columns.filter(({ name }) => !entry.columns.some((column) => column.name === name));
    for (const column of missing) {
      const type = typeFacts(column.type).sql.replace(' NOT NULL', '');
      await this.write(`ALTER TABLE ${sqlTable(entry)} ADD COLUMN ${quoteName(column.name)} ${type}`);
    }
    const merged = { ...entry, columns: [...entry.columns, ...missing] };
    await this.remember(merged);
    return merged;
  }

  async dropTable(entry: TableEntry): Promise<void> {
    await this.write(`DROP TABLE ${sqlTable(entry)}`);
    await this.write('DELETE FROM __emulator.tables WHERE db = $1 AND name = $2', [entry.database, entry.name]);
    this.tables.delete(tableKey(entry.database, entry.name));
    for (const mapping of this.mappingsOf(entry)) await this.dropMapping(mapping);
  }

  async clearTable(entry: TableEntry): Promise<void> {
    await this.write(`DELETE FROM ${sqlTable(entry)}`);
  }

  mappingsOf(table: TableEntry, kind?: string): Mapping[] {
    return [...this.mappings.values()].filter(
      (mapping) =>
        mapping.database === table.database &&
        mapping.table === table.name &&
        (kind === undefined || mapping.kind === kind),
    );
  }

  findMapping(table: TableEntry, kind: string, name: string): Mapping | null {
    return this.mappings.get(mappingKey({ database: table.database, table: table.name, kind, name })) ?? null;
  }

  async putMapping(mapping: Mapping): Promise<void> {
    await this.dropMapping(mapping);
    const { database, table, kind, name, text } = mapping;
    await this.write('INSERT INTO __emulator.mappings VALUES ($1, $2, $3, $4, $5)', [
      database,
      table,
      kind,
      name,
      text,
    ]);
    this.mappings.set(mappingKey(mapping), mapping);
  }

  async dropMapping({ database, table, kind, name }: Mapping): Promise<void> {
    await this.write('DELETE FROM __emulator.mappings WHERE db = $1 AND tbl = $2 AND kind = $3 AND name = $4', [
      database,
      table,
      kind,
      name,
    ]);
    this.mappings.delete(mappingKey({ database, table, kind, name }));
  }

  /** @param scope A database's name, or `database/table`. Returns null if the policy is not set. */
  policy(scope: string, policy: string): string | null {
    return this.policies.get(`${scope}|${policy}`) ?? null;
  }

  async setPolicy(scope: string, policy: string, text: string | null): Promise<void> {
    await this.write('DELETE FROM __emulator.policies WHERE scope = $1 AND policy = $2', [scope, policy]);
    this.policies.delete(`${scope}|${policy}`);
    if (text === null) return;
    await this.write('INSERT INTO __emulator.policies VALUES ($1, $2, $3)', [scope, policy, text]);
    this.policies.set(`${scope}|${policy}`, text);
  }

  async addPrincipal(database: string, role: string, principal: string, note: string): Promise<void> {
    await this.write('INSERT INTO __emulator.principals VALUES ($1, $2, $3, $4)', [database, role, principal, note]);
  }

  private async remember(entry: TableEntry): Promise<void> {
    await this.write('DELETE FROM __emulator.tables WHERE db = $1 AND name = $2', [entry.database, entry.name]);
    await this.write('INSERT INTO __emulator.tables VALUES ($1, $2, $3)', [
      entry.database,
      entry.name,
      JSON.stringify(entry.columns),
    ]);
    this.tables.set(tableKey(entry.database, entry.name), entry);
  }

  private async write(sql: string, parameters: readonly Parameter[] = []): Promise<void> {
    await this.store.exclusively(async (connection) => await connection.run(sql, parameters));
  }
}

/** The table's name in SQL. */
export function sqlTable({ database, name }: Pick<TableEntry, 'database' | 'name'>): string {
  // DuckDB's names are case-insensitive and the service's are not, so the name includes its bytes.
  const cased = /[A-Z]/.test(name) ? `${name}#${Buffer.from(name).toString('hex')}` : name;
  return `${quoteName(schemaOf(database))}.${quoteName(cased)}`;
}

function schemaOf(database: string): string {
  return `db_${database.toLowerCase()}`;
}

function tableKey(database: string, table: string): string {
  return `${database.toLowerCase()}/${table}`;
}

function mappingKey({ database, table, kind, name }: Omit<Mapping, 'text'>): string {
  return JSON.stringify([database.toLowerCase(), table, kind, name]);
}
