/**
 * A worker is killed during a snapshot and directly after it, while rows change and are deleted. The snapshot must be
 * finished; a consumer that reads the topic to its end must have the state of the database, and every change since the
 * first row was read must be there.
 */
import { startWorker, type StartedWorker } from '../../dev/services/worker';
import { Clients, readToEnd } from '../helpers/kafka-clients';
import { seeded } from '../helpers/seeded';
import { TestDatabase } from '../helpers/test-database';
import { uniqueName } from '../helpers/unique-name';
import { waitFor } from '../helpers/wait-for';

const ROWS = 20_000;
const DONE = 2_000_000_000;
const GONE = -1;

let database: TestDatabase;
let worker: StartedWorker | null = null;
const clients = new Clients();
const connector = uniqueName('snapshot');
const settings = {
  // Neither timed flush may happen: the worker's own, and that of a stop.
  'offset.flush.interval.ms': '3600000',
  'session.timeout.ms': '6000',
  'heartbeat.interval.ms': '1000',
  'scheduled.rebalance.max.delay.ms': '0',
  'value.converter.schemas.enable': 'false',
  'key.converter.schemas.enable': 'false',
};
let group: string;
let topic: string;

beforeEach(async () => {
  group = uniqueName('chaos');
  database = await TestDatabase.create('CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL)');
  topic = `${database.name}.public.t`;
});
afterEach(async () => {
  await worker?.stop();
  worker = null;
  await database.drop();
});
afterAll(() => clients.close());

async function start(): Promise<StartedWorker> {
  worker = await startWorker({ group, settings });
  await worker.ready();
  return worker;
}

async function end(): Promise<number> {
  const [found] = await clients.admin.listOffsets([{ topic, partition: 0 }], 'latest').catch(() => []);
  return found?.offset ?? 0;
}

interface Topic {
  /** Of the last event of each row: its version, or `GONE`. */
  readonly last: Map<number, number>;
  /** "id version" of every event. */
  readonly events: Set<string>;
  /** Events of snapshots. */
  readonly reads: number;
}

async function read(): Promise<Topic> {
  const consumer = await clients.assigned();
  const tp = { topic, partition: 0 };
  await consumer.assign([tp]);
  const batches = await readToEnd(consumer, tp, await end());
  const last = new Map<number, number>();
  const events = new Set<string>();
  let reads = 0;
  for (const batch of batches)
    for (const { key, value } of batch.records) {
      if (value === null) continue;
      const { id } = JSON.parse(String(key)) as { id: number };
      const { op, after } = JSON.parse(String(value)) as { op: string; after: { v: number } | null };
      const version = op === 'd' ? GONE : (after as { v: number }).v;
      if (op === 'r') reads++;
      last.set(id, version);
      events.add(`${id} ${version}`);
    }
  await consumer.close();
  return { last, events, reads };
}

/** Changes rows without a pause until it is stopped. */
class Writer {
  readonly changes: string[] = [];
  private readonly versions = new Map<number, number>();
  private readonly random = seeded(7).below;
  private ending = false;

  constructor(private readonly rows: number) {}

  async run(): Promise<void> {
    const client = await database.connect();
    for (let next = this.rows; !this.ending; next++) {
      const [updated, deleted] = [this.random(this.rows), this.random(this.rows)];
      const version = (this.versions.get(updated) ?? 0) + 1;
      const { rows } = await client.query(
        `WITH u AS (UPDATE t SET v = ${version} WHERE id = ${updated} AND id <> ${deleted} RETURNING id, v),
              d AS (DELETE FROM t WHERE id = ${deleted} RETURNING id, ${GONE} AS v),
              i AS (INSERT INTO t VALUES (${next}, 0) RETURNING id, v)
         SELECT * FROM u UNION ALL SELECT * FROM d UNION ALL SELECT * FROM i`,
      );
      for (const { id, v } of rows as { id: number; v: number }[]) {
        this.versions.set(id, v);
        this.changes.push(`${id} ${v}`);
      }
    }
    await client.end();
  }

  end(): void {
    this.ending = true;
  }
}

async function readBack(running: StartedWorker): Promise<Topic> {
  await database.query(`INSERT INTO t VALUES (${DONE}, 0)`);
  let found: Topic | undefined;
  await waitFor(
    'the last change',
    async () => {
      found = await read();
      return found.last.has(DONE);
    },
    { timeoutMs: 120_000, everyMs: 500, detail: () => running.process.log().slice(-3000) },
  );
  return found as Topic;
}

/** Rows whose last event differs from the database. */
async function differing({ last }: Topic): Promise<{ deletesLost: number; stale: number }> {
  const held = new Map((await database.query('SELECT id, v FROM t')).map(({ id, v }) => [id as number, v as number]));
  const gone = [...last].filter(([id, version]) => version !== GONE && !held.has(id));
  const stale = [...held].filter(([id, version]) => last.get(id) !== version);
  return { deletesLost: gone.length, stale: stale.length };
}

const streaming = (): Promise<unknown> =>
  waitFor('the stream', async () => (await database.slots()).some(({ active }) => active === true), {
    ...{ everyMs: 10, timeoutMs: 120_000 },
  });

const register = (running: StartedWorker): Promise<void> =>
  running.register({ name: connector, config: database.sourceConfig() });

test('cdc-postgres R17: killed when streaming has just begun, before any flush: a delete in between is emitted', async () => {
  await database.query('INSERT INTO t SELECT i, 0 FROM generate_series(0, 999) i');
  const first = await start();
  await register(first);
  await waitFor('the snapshot', async () => (await end()) >= 1000);
  await database.query('UPDATE t SET v = 1 WHERE id = 1');
  await waitFor('the stream', async () => (await end()) > 1000);
  await first.crash();
  await database.query('DELETE FROM t WHERE id = 0');
  const found = await readBack(await start());
  expect(found.last.get(0)).toBe(GONE);
  expect(await differing(found)).toEqual({ deletesLost: 0, stale: 0 });
});

test('cdc-postgres R17: killed three times during and after its snapshot, while rows change: every change is emitted', async () => {
  await database.query(`INSERT INTO t SELECT i, 0 FROM generate_series(0, ${ROWS - 1}) i`);
  let running = await start();
  await register(running);
  await waitFor('some rows', async () => (await end()) > ROWS / 10, { everyMs: 10 });
  const writer = new Writer(ROWS);
  const writing = writer.run();
  await running.crash();
  let from = await end();
  running = await start();
  await waitFor('more rows', async () => (await end()) > from + ROWS / 3, { everyMs: 10 });
  await running.crash();
  from = await end();
  running = await start();
  await streaming();
  await running.crash();
  running = await start();
  await streaming();
  writer.end();
  await writing;
  const found = await readBack(running);
  const untold = writer.changes.filter((change) => !found.events.has(change));
  expect({ ...(await differing(found)), untold: untold.length }).toEqual({ deletesLost: 0, stale: 0, untold: 0 });
  expect(writer.changes.length).toBeGreaterThan(100);
});

test('cdc-postgres 24: a snapshot of 300,000 rows, killed three times, reads little more than once', async () => {
  const rows = 300_000;
  await database.query(`INSERT INTO t SELECT i, 0 FROM generate_series(0, ${rows - 1}) i`);
  await database.query('ANALYZE t');
  let running = await start();
  await register(running);
  for (let kill = 1; kill <= 3; kill++) {
    await waitFor('a part of the snapshot', async () => (await end()) > (kill * rows) / 4, { everyMs: 5 });
    await running.crash();
    // Rows that were read, rows that were not, and rows that move among them.
    await database.query(`UPDATE t SET v = ${kill} WHERE id % 5000 = ${kill}`);
    await database.query(`DELETE FROM t WHERE id % 5000 = ${kill + 10}`);
    running = await start();
  }
  await streaming();
  const found = await readBack(running);
  expect(await differing(found)).toEqual({ deletesLost: 0, stale: 0 });
  expect(running.process.log()).toMatch(/Resuming the snapshot of 1 table\(s\) after \d{5,} row\(s\)/);
  expect(found.reads / rows).toBeLessThan(1.3);
});
