/** The emulator's DuckDB database. Serializes statements and transactions. */
import { DuckDBInstance, type DuckDBAppender, type DuckDBConnection, type Json } from '@duckdb/node-api';

export type Parameter = string | number | bigint | boolean | null;

export class Database {
  private tail: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly instance: DuckDBInstance,
    private readonly connection: DuckDBConnection,
  ) {}

  /** @param path Of the database file; null: in memory. */
  static async open(path: string | null): Promise<Database> {
    const instance = await DuckDBInstance.create(path ?? ':memory:', {
      threads: '2',
      autoload_known_extensions: 'false',
    });
    return new Database(instance, await instance.connect());
  }

  /** Runs `work` with exclusive access to the database. */
  async exclusively<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const result = this.tail.then(async () => await work(new Connection(this.connection)));
    this.tail = result.catch(() => undefined);
    return await result;
  }

  /** Runs `work` in a transaction. */
  async transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return await this.exclusively(async (connection) => {
      await connection.run('BEGIN TRANSACTION');
      try {
        const result = await work(connection);
        await connection.run('COMMIT');
        return result;
      } catch (error) {
        await connection.run('ROLLBACK').catch(() => undefined);
        throw error;
      }
    });
  }

  async rows(sql: string, parameters: readonly Parameter[] = []): Promise<Json[][]> {
    return await this.exclusively(async (connection) => await connection.rows(sql, parameters));
  }

  async close(): Promise<void> {
    await this.tail;
    this.connection.closeSync();
    this.instance.closeSync();
  }
}

/** Exclusive access to the database, valid while `work` runs. */
export class Connection {
  constructor(private readonly connection: DuckDBConnection) {}

  async run(sql: string, parameters: readonly Parameter[] = []): Promise<void> {
    await this.connection.run(sql, [...parameters]);
  }

  /** Returns values that JSON can represent: 64-bit numbers, dates and decimals as text. */
  async rows(sql: string, parameters: readonly Parameter[] = []): Promise<Json[][]> {
    return (await this.connection.runAndReadAll(sql, [...parameters])).getRowsJson();
  }

  /** Also returns the columns' names and DuckDB types. */
  async table(sql: string): Promise<{ columns: { name: string; type: string }[]; rows: Json[][] }> {
    const reader = await this.connection.runAndReadAll(sql);
    const types = reader.columnTypes();
    return {
      columns: reader.columnNames().map((name, i) => ({ name, type: String(types[i]) })),
      rows: reader.getRowsJson(),
    };
  }

  /** Whether the text is a single read-only statement. */
  async isOneSelect(sql: string): Promise<boolean> {
    const statements = await this.connection.extractStatements(sql);
    if (statements.count !== 1) return false;
    const prepared = await statements.prepare(0);
    // 1: SELECT, 8: EXPLAIN of duckdb.h's duckdb_statement_type.
    return [1, 8].includes(prepared.statementType);
  }

  async appender(table: string): Promise<DuckDBAppender> {
    return await this.connection.createAppender(table);
  }
}
