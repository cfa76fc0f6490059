/** A database for one test, on the shared PostgreSQL. */
import { Client } from 'pg';
import { postgresSource } from '../../dev/services/postgres-source';
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

/** A statement for the whole server. */
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
  /** URL of a superuser. (Default: the shared server) */
  readonly server?: string;
  /** Server encoding. (Default: UTF8) */
  readonly encoding?: string;
}

export class TestDatabase {
  private constructor(
    readonly name: string,
    readonly client: Client,
    private readonly server: string,
  ) {}

  /** @param sql initial contents */
  static async create(sql = '', { server = SERVER_URL, encoding }: TestDatabaseOptions = {}): Promise<TestDatabase> {
    const name = uniqueName('db');
    const encoded = encoding === undefined ? '' : ` TEMPLATE template0 ENCODING '${encoding}' LOCALE 'C'`;
    await onServer(`CREATE DATABASE ${name}${encoded}`, [], server);
    const database = new TestDatabase(name, await connectTo(name, server), server);
    if (sql !== '') await database.query(sql);
    return database;
  }

  /** The same database, after a restart of its server. */
  async reopened(): Promise<TestDatabase> {
    await this.client.end().catch(() => undefined);
    return new TestDatabase(this.name, await connectTo(this.name, this.server), this.server);
  }

  connect(): Promise<Client> {
    return connectTo(this.name, this.server);
  }

  async query(sql: string, values?: unknown[]): Promise<Record<string, unknown>[]> {
    return (await this.client.query(sql, values)).rows as Record<string, unknown>[];
  }

  /** Of a superuser. */
  get url(): string {
    const url = new URL(this.server);
    url.pathname = `/${this.name}`;
    return url.toString();
  }

  get slot(): string {
    return `slot_${this.name}`;
  }

  async slots(): Promise<Record<string, unknown>[]> {
    return await this.query('SELECT * FROM pg_replication_slots WHERE database = $1', [this.name]);
  }

  /** How many slots are read and complete: what is written from now on is streamed. */
  async streams(): Promise<number> {
    const slots = await this.slots();
    return slots.filter(({ active, confirmed_flush_lsn: at }) => active === true && at !== null).length;
  }

  /** Config of a source of this database; slot and publication are unique, topics begin with the database's name. */
  sourceConfig(overrides: Record<string, string> = {}): Record<string, string> {
    return postgresSource(this.server, {
      'database.dbname': this.name,
      'topic.prefix': this.name,
      'publication.autocreate.mode': 'filtered',
      'publication.name': `pub_${this.name}`,
      'slot.name': this.slot,
      ...overrides,
    });
  }

  /** Terminates the stream of its slot, as an operator may. Resolves when the server's end of it is closed. */
  async cutStream(): Promise<void> {
    await this.query('SELECT pg_terminate_backend(active_pid, 60000) FROM pg_replication_slots WHERE database = $1', [
      this.name,
    ]);
  }

  /** Resolves when no reader uses its slots: a reader may disconnect before the server detects it. */
  async slotsLetGo(): Promise<void> {
    await waitFor(`the slots of ${this.name} to be let go`, async () =>
      (await this.slots()).every(({ active }) => active === false),
    );
  }

  /** Terminates remaining readers of its slots and drops the slots. */
  async dropSlots(): Promise<void> {
    await waitFor(`the slots of ${this.name} to go`, async () => {
      const slots = await this.onServer('SELECT slot_name, active_pid FROM pg_replication_slots WHERE database = $1', [
        this.name,
      ]);
      for (const { slot_name: slot, active_pid: pid } of slots) {
        if (pid !== null) await this.onServer('SELECT pg_terminate_backend($1)', [pid]);
        await this.onServer('SELECT pg_drop_replication_slot($1)', [slot]).catch((error: { code?: string }) => {
          // Still in use for a moment longer, or dropped already.
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
    // A forced drop waits five seconds for the sessions it terminates.
    await waitFor(`the connections to ${this.name} to go`, async () => {
      const sql = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1';
      return (await this.onServer(sql, [this.name])).length === 0;
    });
    await this.onServer(`DROP DATABASE ${this.name} WITH (FORCE)`);
  }
}
