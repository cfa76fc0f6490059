/** A database of its own for one test, on the PostgreSQL that tests share. */
import { Client } from 'pg';
import { uniqueName } from './unique-name';
import { waitFor } from './wait-for';

export const SERVER_URL = process.env.TEST_POSTGRES_URL ?? '';

async function connectTo(database: string, server: string): Promise<Client> {
  const url = new URL(server);
  url.pathname = `/${database}`;
  const client = new Client({ connectionString: url.toString() });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** A statement for the server as a whole. */
export async function onServer(
  sql: string,
  values?: unknown[],
  server = SERVER_URL,
): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: server });
  await client.connect();
  try {
    return (await client.query(sql, values)).rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
}

export interface TestDatabaseOptions {
  /** URL of a superuser. (Default: the server that tests share) */
  readonly server?: string;
  /** The server's name of it. (Default: UTF8) */
  readonly encoding?: string;
}

export class TestDatabase {
  private constructor(
    readonly name: string,
    readonly client: Client,
    private readonly server: string,
  ) {}

  /** @param sql what is in it from the start */
  static async create(sql = '', { server = SERVER_URL, encoding }: TestDatabaseOptions = {}): Promise<TestDatabase> {
    const name = uniqueName('db');
    const encoded = encoding === undefined ? '' : ` TEMPLATE template0 ENCODING '${encoding}' LOCALE 'C'`;
    await onServer(`CREATE DATABASE ${name}${encoded}`, [], server);
    const database = new TestDatabase(name, await connectTo(name, server), server);
    if (sql !== '') await database.query(sql);
    return database;
  }

  connect(): Promise<Client> {
    return connectTo(this.name, this.server);
  }

  async query(sql: string, values?: unknown[]): Promise<Record<string, unknown>[]> {
    return (await this.client.query(sql, values)).rows as Record<string, unknown>[];
  }

  get slot(): string {
    return `slot_${this.name}`;
  }

  async slots(): Promise<Record<string, unknown>[]> {
    return await this.query('SELECT * FROM pg_replication_slots WHERE database = $1', [this.name]);
  }

  /**
   * What a source of this database is registered with; slot and publication are its own, topics begin with the
   * database's name.
   */
  sourceConfig(overrides: Record<string, string> = {}): Record<string, string> {
    const url = new URL(this.server);
    return {
      'connector.class': 'io.debezium.connector.postgresql.PostgresConnector',
      'tasks.max': '1',
      'database.hostname': url.hostname,
      'database.port': url.port || '5432',
      'database.user': decodeURIComponent(url.username),
      'database.password': decodeURIComponent(url.password),
      'database.dbname': this.name,
      'topic.prefix': this.name,
      'plugin.name': 'pgoutput',
      'publication.autocreate.mode': 'filtered',
      'publication.name': `pub_${this.name}`,
      'slot.name': this.slot,
      ...overrides,
    };
  }

  /** Ends the stream of its slot, as an operator may. Resolves when the server's end of it is gone. */
  async cutStream(): Promise<void> {
    await this.query('SELECT pg_terminate_backend(active_pid, 60000) FROM pg_replication_slots WHERE database = $1', [
      this.name,
    ]);
  }

  /** Resolves when nobody reads its slots any more: a reader may have left before the server knows of it. */
  async slotsLetGo(): Promise<void> {
    await waitFor(`the slots of ${this.name} to be let go`, async () =>
      (await this.slots()).every(({ active }) => active === false),
    );
  }

  /** Ends what still reads its slots and takes them away. */
  async dropSlots(): Promise<void> {
    await waitFor(`the slots of ${this.name} to go`, async () => {
      const slots = await this.onServer('SELECT slot_name, active_pid FROM pg_replication_slots WHERE database = $1', [
        this.name,
      ]);
      for (const { slot_name: slot, active_pid: pid } of slots) {
        if (pid !== null) await this.onServer('SELECT pg_terminate_backend($1)', [pid]);
        await this.onServer('SELECT pg_drop_replication_slot($1)', [slot]).catch((error: { code?: string }) => {
          // Still held for a moment longer, or gone by itself.
          if (error.code !== '55006' && error.code !== '42704') throw error;
        });
      }
      return slots.length === 0;
    });
  }

  private async onServer(sql: string, values?: unknown[]): Promise<Record<string, unknown>[]> {
    return await onServer(sql, values, this.server);
  }

  async drop(): Promise<void> {
    await this.client.end();
    await this.dropSlots();
    // A drop by force waits five seconds for those it ends.
    await waitFor(`the connections to ${this.name} to go`, async () => {
      const sql = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1';
      return (await this.onServer(sql, [this.name])).length === 0;
    });
    await this.onServer(`DROP DATABASE ${this.name} WITH (FORCE)`);
  }
}
