/** One database, read by both connectors with the same settings: snapshot, then rounds of changes. */
import { Client } from 'pg';
import { seeded } from '../../test/helpers/seeded';
import { waitFor } from '../services/wait-for';
import type { Comparison } from './comparison';
import type { EventRecord, TaskUnderTest } from './event-record';
import { PREPARATION, Workload } from './workload';

export interface SessionOptions {
  /** For a superuser. */
  readonly serverUrl: string;
  readonly database: string;
  readonly seed: number;
  /** The session ends after the round in which this number is reached. */
  readonly pairs: number;
  /** Settings that both connectors get. */
  readonly settings: Readonly<Record<string, string>>;
}

const MARKER = 'zz_marker';
const ROWS_OF_SNAPSHOT = 15;
const CHANGES_OF_ROUND = 120;
const ROWS_OF_BULK = 1_500;

function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.toString();
}

function config(options: SessionOptions, side: string): Record<string, string> {
  const url = new URL(options.serverUrl);
  return {
    'connector.class': 'io.debezium.connector.postgresql.PostgresConnector',
    'database.hostname': url.hostname,
    'database.port': url.port,
    'database.user': decodeURIComponent(url.username),
    'database.password': decodeURIComponent(url.password),
    'database.dbname': options.database,
    'topic.prefix': 'compared',
    'publication.name': `publication_${side}`,
    'slot.name': `${options.database}_${side}`,
    'poll.interval.ms': '10',
    'skipped.operations': 'none',
    ...options.settings,
  };
}

export class Session {
  private readonly workload: Workload;
  private readonly random;
  private marker = 0;

  private constructor(
    private readonly options: SessionOptions,
    private readonly client: Client,
    private readonly java: TaskUnderTest,
    private readonly own: TaskUnderTest,
    private readonly comparison: Comparison,
  ) {
    this.random = seeded(options.seed);
    this.workload = new Workload(this.random, options.settings['time.precision.mode'] === 'nanoseconds');
  }

  static async run(
    options: SessionOptions,
    java: TaskUnderTest,
    own: TaskUnderTest,
    comparison: Comparison,
  ): Promise<void> {
    const admin = new Client({ connectionString: options.serverUrl });
    await admin.connect();
    await admin.query(`CREATE DATABASE ${options.database}`);
    const client = new Client({ connectionString: withDatabase(options.serverUrl, options.database) });
    client.on('error', () => undefined);
    await client.connect();
    try {
      const session = new Session(options, client, java, own, comparison);
      await session.compare();
    } finally {
      await Promise.all([java.stop(), own.stop()]);
      await client.end();
      const slots = `SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE database = $1 AND NOT active`;
      await waitFor('the slots to be dropped', async () => {
        await admin.query(slots, [options.database]);
        return (
          (await admin.query('SELECT FROM pg_replication_slots WHERE database = $1', [options.database])).rowCount === 0
        );
      });
      await admin.query(`DROP DATABASE ${options.database} WITH (FORCE)`);
      await admin.end();
    }
  }

  private async compare(): Promise<void> {
    const { workload, random, options, comparison } = this;
    await this.execute([PREPARATION, `CREATE TABLE ${MARKER} (id integer PRIMARY KEY)`, ...workload.create()]);
    await this.execute(workload.fill(ROWS_OF_SNAPSHOT));
    await Promise.all([
      this.java.start(config(options, 'java')),
      this.own.start({ ...config(options, 'own'), 'event.incomplete.key.handling': 'debezium' }),
    ]);
    await this.untilBothStream();
    const enough = comparison.pairs + options.pairs;
    for (let round = 1; comparison.pairs < enough; round++) {
      if (random.chance(0.6)) await this.define();
      if (random.chance(0.1)) await this.execute([workload.addLabel()]);
      if (round % 10 === 3) await this.execute(['BEGIN', ...workload.bulk(ROWS_OF_BULK), 'COMMIT']);
      if (random.chance(0.2)) await this.execute([workload.truncate()]);
      for (let left = CHANGES_OF_ROUND; left > 0;) {
        const size = Math.min(left, random.chance(0.5) ? 1 : 1 + random.below(20));
        const changes = Array.from({ length: size }, () => workload.change());
        if (random.chance(0.1)) changes.push('SAVEPOINT undone', workload.change(), 'ROLLBACK TO SAVEPOINT undone');
        const hasDdl = random.chance(0.02);
        if (hasDdl) changes.push(...workload.define(true), workload.change(), workload.change());
        const ending = !hasDdl && random.chance(0.05) ? 'ROLLBACK' : 'COMMIT';
        // As in `define`.
        if (hasDdl) await this.catchUp();
        await this.execute(['BEGIN', ...changes]);
        if (hasDdl) await this.noteTransaction();
        await this.execute([ending]);
        left -= size;
      }
      await this.catchUp();
    }
  }

  private async execute(statements: readonly string[]): Promise<void> {
    for (const statement of statements)
      try {
        await this.client.query(statement);
      } catch (error) {
        throw new Error(`${(error as Error).message}: ${statement.slice(0, 1000)}`, { cause: error });
      }
  }

  private async define(): Promise<void> {
    const { workload, comparison } = this;
    for (const statement of workload.define()) {
      await this.execute([statement]);
      // Rows that are read after the DDL may get its definition early.
      if (statement.startsWith('UPDATE')) await this.catchUp();
    }
    if (workload.defined !== null) comparison.definitionChanges.add(workload.defined, null);
  }

  private async noteTransaction(): Promise<void> {
    const { rows } = await this.client.query<{ id: number }>('SELECT txid_current()::integer AS id');
    const { defined } = this.workload;
    if (defined !== null) this.comparison.definitionChanges.add(defined, (rows[0] as { id: number }).id);
  }

  private problem(): string | null {
    const { java, own } = this;
    if (java.failure !== null) return `Debezium failed: ${java.failure}`;
    return own.failure === null ? null : `Millrace failed: ${own.failure}`;
  }

  private async untilBothStream(): Promise<void> {
    // A slot is active while it is created, too.
    const sql = `SELECT FROM pg_replication_slots s JOIN pg_stat_replication r ON r.pid = s.active_pid
      WHERE s.database = $1 AND r.state = 'streaming'`;
    await waitFor(
      'both connectors to stream',
      async () => {
        const problem = this.problem();
        if (problem !== null) throw new Error(problem);
        return (await this.client.query(sql, [this.options.database])).rowCount === 2;
      },
      { detail: () => `${this.java.logged()}\n${this.own.logged()}` },
    );
    await this.catchUp();
  }

  /** Compares everything up to a new row of the marker table. */
  private async catchUp(): Promise<void> {
    const id = ++this.marker;
    await this.execute([`INSERT INTO ${MARKER} VALUES (${id})`]);
    const wanted = `{"id":${id}}`;
    const arrived = ({ records }: TaskUnderTest): boolean => {
      const last: EventRecord | undefined = records.at(-1);
      return last !== undefined && last.topic.endsWith(`.${MARKER}`) && last.key[1] === wanted;
    };
    await waitFor(
      'both connectors to return the marker',
      () => {
        const problem = this.problem();
        if (problem !== null) throw new Error(problem);
        return arrived(this.java) && arrived(this.own);
      },
      { everyMs: 5, timeoutMs: 60_000, detail: () => `${this.java.logged()}\n${this.own.logged()}` },
    );
    this.comparison.add(this.java.records.splice(0), this.own.records.splice(0));
  }
}
