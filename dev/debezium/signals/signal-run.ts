/** Runs one engine on a database of its own that has a signal table. */
import { Client } from 'pg';
import { waitFor } from '../../services/wait-for';
import type { TaskUnderTest } from '../event-record';
import { noteOf, traceOf, type SignalTrace } from './signal-trace';

/** A statement that runs in the transaction of the n-th row that opens a window: at the same point in both engines. */
export interface Hook {
  readonly n: number;
  readonly sql: string;
}

export interface SignalScenario {
  readonly name: string;
  readonly sql: string;
  readonly hooks?: readonly Hook[];
  readonly settings?: Readonly<Record<string, string>>;
  /** Rows of the signal table; the next one is inserted when the one before has ended. */
  readonly signals: readonly SignalStep[];
}

export interface SignalStep {
  readonly id: string;
  readonly type: string;
  readonly data: object;
  /** Type of the notification that ends the step. */
  readonly until: string;
}

const PREPARATION = `
  CREATE SCHEMA hidden;
  CREATE TABLE signals (id varchar(64) PRIMARY KEY, type varchar(32) NOT NULL, data varchar(2048) NULL);
  CREATE TABLE zz_marker (id int PRIMARY KEY);
  CREATE TABLE hidden.hooks (n int, statement text);
  CREATE SEQUENCE hidden.windows;
  CREATE FUNCTION hidden.hooked() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE at int := nextval('hidden.windows'); found text;
    BEGIN
      FOR found IN SELECT statement FROM hidden.hooks WHERE n = at LOOP EXECUTE found; END LOOP;
      RETURN NULL;
    END $$;
  CREATE TRIGGER hooks AFTER INSERT ON signals FOR EACH ROW WHEN (NEW.type = 'snapshot-window-open')
    EXECUTE FUNCTION hidden.hooked();`;

const OPEN_WINDOWS = `SELECT FROM signals opened WHERE type = 'snapshot-window-open' AND NOT EXISTS
  (SELECT FROM signals closed WHERE closed.id = replace(opened.id, '-open', '-close'))`;

export async function runSignals(
  scenario: SignalScenario,
  serverUrl: string,
  database: string,
  task: TaskUnderTest,
): Promise<SignalTrace> {
  const admin = new Client({ connectionString: serverUrl });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${database}`);
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  const client = new Client({ connectionString: url.toString() });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(PREPARATION);
    await client.query(scenario.sql);
    for (const { n, sql } of scenario.hooks ?? [])
      await client.query('INSERT INTO hidden.hooks VALUES ($1, $2)', [n, sql]);
    await task.start({
      'connector.class': 'io.debezium.connector.postgresql.PostgresConnector',
      'database.hostname': url.hostname,
      'database.port': url.port,
      'database.user': decodeURIComponent(url.username),
      'database.password': decodeURIComponent(url.password),
      'database.dbname': database,
      'topic.prefix': 'compared',
      'plugin.name': 'pgoutput',
      'schema.include.list': 'public',
      'slot.name': database,
      'publication.name': database,
      'snapshot.mode': 'no_data',
      'poll.interval.ms': '10',
      'signal.data.collection': 'public.signals',
      'incremental.snapshot.chunk.size': '10',
      'notification.enabled.channels': 'sink',
      'notification.sink.topic.name': 'notes',
      ...scenario.settings,
    });
    const detail = (): string => `${traceOf(task.records).notes.join('\n')}\n${task.logged()}`;
    const wait = async (what: string, test: () => boolean | Promise<boolean>): Promise<void> => {
      const holds = async (): Promise<boolean> => {
        if (task.failure !== null) throw new Error(task.failure);
        return await test();
      };
      await waitFor(what, holds, { everyMs: 10, timeoutMs: 60_000, detail });
    };
    // While Debezium creates the slot, it is active, too, and signals sent by then are not read.
    const streaming = `SELECT FROM pg_replication_slots s JOIN pg_stat_replication r ON r.pid = s.active_pid
      WHERE s.slot_name = $1 AND r.state = 'streaming'`;
    await wait('the stream', async () => (await client.query(streaming, [database])).rowCount === 1);
    for (const { id, type, data, until } of scenario.signals) {
      const from = task.records.length;
      await client.query('INSERT INTO signals VALUES ($1, $2, $3)', [id, type, JSON.stringify(data)]);
      await wait(`${until} after ${id}`, () =>
        task.records.slice(from).some((record) => noteOf(record)?.type === until),
      );
      // The last one is closed after the notifications.
      await wait('all windows to be closed', async () => (await client.query(OPEN_WINDOWS)).rowCount === 0);
    }
    await client.query('INSERT INTO zz_marker VALUES (1)');
    await wait('the marker', () => task.records.some(({ topic }) => topic.endsWith('.zz_marker')));
    return traceOf(task.records);
  } finally {
    await task.stop();
    await client.end();
    await waitFor('the slot to be dropped', async () => {
      await admin.query(
        'SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = $1 AND NOT active',
        [database],
      );
      const left = await admin.query('SELECT FROM pg_replication_slots WHERE slot_name = $1', [database]);
      return left.rowCount === 0;
    });
    await admin.query(`DROP DATABASE ${database} WITH (FORCE)`);
    await admin.end();
  }
}
