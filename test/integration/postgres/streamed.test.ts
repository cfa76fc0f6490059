/** Transactions that the server sends before they commit: the same records as in protocol 1. */
import type { Client } from 'pg';
import { seeded } from '../../helpers/seeded';
import { canMountSmallDisk, startSmallDisk } from '../../helpers/small-disk';
import { TestDatabase } from '../../helpers/test-database';
import { waitFor } from '../../helpers/wait-for';
import { describe as shown, TaskRun, taskConfig, type AnyRecord } from './harness';

let database: TestDatabase;
let clients: Client[];
const runs: TaskRun[] = [];
beforeEach(async () => {
  database = await TestDatabase.create(`
    CREATE TABLE a (id int PRIMARY KEY, v text);
    CREATE TABLE b (id int PRIMARY KEY, v text);
    ALTER TABLE b REPLICA IDENTITY FULL;
    CREATE TABLE c (id int PRIMARY KEY, v text)`);
  // Sessions of the slot's reader; the smallest value that the server accepts.
  await database.query(`ALTER DATABASE ${database.name} SET logical_decoding_work_mem = '64kB'`);
  clients = [await database.connect(), await database.connect()];
});
afterEach(async () => {
  for (const run of runs.splice(0)) await run.stop();
  for (const client of clients) await client.end();
  await database.drop();
});

const PLAIN = { 'snapshot.mode': 'no_data', 'skipped.operations': 'none' };
const streaming = (more = {}): Record<string, string> => ({
  ...PLAIN,
  'slot.name': `streamed_${database.name}`,
  'pgoutput.streaming': 'on',
  ...more,
});

async function start(
  settings: Record<string, string>,
  stored: AnyRecord['sourceOffset'] | null = null,
  abort = new AbortController(),
) {
  const run = await TaskRun.start(taskConfig(database, settings), stored, abort);
  runs.push(run);
  return run;
}

/** Everything but the time at which the connector built the event. */
const comparable = ({ topic, key, value, sourceOffset, keySchema, valueSchema }: AnyRecord): string =>
  shown([topic, key, value && { ...value, ts_ms: 0, ts_us: 0, ts_ns: 0 }, sourceOffset, keySchema, valueSchema?.name]);

const rows = (from: number, count: number): string =>
  `SELECT id, repeat('v' || id, 50) FROM generate_series(${from}, ${from + count - 1}) AS id`;
const isLast = (records: readonly AnyRecord[]): boolean => records.at(-1)?.key?.id === -1;

/** Streams and spills of a slot, as the server counts them. */
async function streamed(): Promise<number> {
  const sql = 'SELECT stream_txns::int AS count FROM pg_stat_replication_slots WHERE slot_name = $1';
  return (await database.query(sql, [`streamed_${database.name}`]))[0]?.count as number;
}

/** Interleaved transactions with rollbacks, savepoints and DDL. */
async function workload(): Promise<void> {
  const [one, two] = clients as [Client, Client];
  await one.query('BEGIN');
  await two.query('BEGIN');
  await one.query(`INSERT INTO a ${rows(0, 1500)}`);
  await two.query(`INSERT INTO b ${rows(0, 1500)}`);
  await database.query(`INSERT INTO c ${rows(0, 10)}`);
  await one.query('SAVEPOINT kept');
  await one.query(`INSERT INTO a ${rows(10_000, 1500)}; UPDATE a SET id = -5 WHERE id = 5; DELETE FROM a WHERE id = 6`);
  await one.query('SAVEPOINT gone');
  await one.query(`INSERT INTO a ${rows(20_000, 1500)}`);
  await one.query('SAVEPOINT within');
  await one.query(`INSERT INTO b ${rows(30_000, 1500)}`);
  await one.query('RELEASE within');
  await one.query(`INSERT INTO c ${rows(20_000, 1500)}`);
  await one.query('ROLLBACK TO gone');
  await two.query(`UPDATE b SET v = v || 'x'`);
  await one.query(`INSERT INTO a ${rows(40_000, 1500)}`);
  await two.query('COMMIT');
  await one.query('RELEASE kept');
  await one.query('ALTER TABLE a ADD COLUMN w int DEFAULT 7; UPDATE a SET w = id WHERE id < 700');
  await two.query(`BEGIN; INSERT INTO b ${rows(50_000, 1500)}; ALTER TABLE b ADD COLUMN gone int`);
  await two.query(`UPDATE b SET gone = 1 WHERE id < 1400`);
  await two.query('ROLLBACK');
  await one.query(`TRUNCATE c; INSERT INTO c ${rows(60_000, 1500)}`);
  await one.query('COMMIT');
  await two.query(`INSERT INTO b ${rows(70_000, 20)}`);
  await two.query(`DO $$ BEGIN
    FOR i IN 1..600 LOOP
      BEGIN
        INSERT INTO c SELECT 80000 + i, repeat('y', 300);
        IF i % 3 = 0 THEN RAISE EXCEPTION 'undone'; END IF;
      EXCEPTION WHEN raise_exception THEN NULL; END;
    END LOOP; END $$`);
  await database.query("INSERT INTO c VALUES (-1, 'last')");
}

test('cdc-postgres 90, 92: the records of protocol 1, one by one', async () => {
  const plain = await start(PLAIN);
  const run = await start(streaming());
  await workload();
  await plain.until(isLast);
  await run.until(isLast);
  expect(await streamed()).toBeGreaterThanOrEqual(2);
  expect(run.records).toHaveLength(plain.records.length);
  expect(run.records.map(comparable)).toEqual(plain.records.map(comparable));
  await run.nothingMore();
});

test('cdc-postgres 92: a rolled back transaction, whose announcement is the first of its table, leaves nothing', async () => {
  const run = await start(streaming());
  const [one] = clients as [Client];
  await one.query(`BEGIN; INSERT INTO a ${rows(0, 3000)}`);
  await one.query('ROLLBACK');
  await one.query(`BEGIN; SAVEPOINT s; INSERT INTO a ${rows(0, 3000)}`);
  await one.query(`ROLLBACK TO s; INSERT INTO a VALUES (1, 'kept'); INSERT INTO b ${rows(0, 3000)}; COMMIT`);
  await one.query("INSERT INTO a VALUES (-1, 'last')");
  const records = await run.until(isLast);
  expect(records.slice(0, 2).map(({ key }) => key.id)).toEqual([1, 0]);
  expect(records).toHaveLength(3002);
});

test('cdc-postgres 92: restarts before the commit and amid the records repeat nothing and lose nothing', async () => {
  let run = await start(streaming());
  const [one] = clients as [Client];
  await one.query("INSERT INTO a VALUES (9999, 'first')");
  await run.count(1);
  await one.query(`BEGIN; INSERT INTO a ${rows(0, 3000)}`);
  await run.nothingMore();
  const seen = [...run.records];
  await run.stop();
  run = await start(streaming(), run.commitUpTo());
  await one.query('UPDATE a SET v = id; COMMIT');
  // Enough of them that the restart is amid the transaction.
  await run.count(2500);
  const stored = run.commitUpTo(2499);
  seen.push(...run.records.slice(0, 2500));
  await run.stop();
  run = await start(streaming(), stored);
  await one.query("INSERT INTO a VALUES (-1, 'last')");
  seen.push(...(await run.until(isLast)));
  expect(seen).toHaveLength(6003);
  const changes = seen.filter(({ value }) => value.source.txId === seen[1]?.value.source.txId);
  expect(changes.map(({ sourceOffset }) => sourceOffset?.tx_event_index)).toEqual(changes.map((_, i) => i + 1));
});

const QUEUE_BYTES = 8 * 1024 * 1024;
const WIDE_ROWS = (from: number, count: number): string =>
  `SELECT id, repeat('v', 8000) FROM generate_series(${from}, ${from + count - 1}) AS id`;

/** A task whose queue holds a change, and nothing else but segments of a large transaction. */
async function fullQueue(settings: Record<string, string>) {
  const abort = new AbortController();
  const run = await start(
    streaming({
      'max.queue.size.in.bytes': String(QUEUE_BYTES),
      'max.queue.size': '100000',
      'poll.interval.ms': '60000',
      ...settings,
    }),
    null,
    abort,
  );
  const [one] = clients as [Client];
  const queued = (): number =>
    run.metrics.value('debezium_metrics_CurrentQueueSizeInBytes', STREAMING) ?? Number.POSITIVE_INFINITY;
  await one.query("INSERT INTO c VALUES (1, 'first')");
  await run.until((records) => records.some(({ key }) => key.id === 1));
  run.records.splice(0);
  await one.query("INSERT INTO c VALUES (2, 'second')");
  await one.query(`BEGIN; INSERT INTO a ${WIDE_ROWS(0, 4000)}`);
  await waitFor('a full queue', () => queued() >= QUEUE_BYTES);
  return { run, one, abort, queued };
}

const STREAMING = { context: 'streaming', plugin: 'postgres', name: 'fulfillment' };

test('cdc-postgres 92: heartbeats and other changes do not wait for the segments that have arrived', async () => {
  const { run, one, queued } = await fullQueue({ 'heartbeat.interval.ms': '1' });
  await run.until((records) => records.some(({ topic }) => topic.startsWith('__debezium-heartbeat')));
  await run.until((records) => records.some(({ key }) => key.id === 2));
  expect(queued()).toBeGreaterThan(QUEUE_BYTES / 2);
  await one.query('COMMIT');
  await run.until((records) => records.some(({ key }) => key.id === 3999));
});

test('cdc-postgres 92: a task stops while segments arrive', async () => {
  const { run, abort, queued } = await fullQueue({});
  const polled = run.poll();
  abort.abort();
  await polled;
  expect(queued()).toBeGreaterThan(QUEUE_BYTES / 2);
});

/** A message shares the LSN of the row after it, so the server may send the row first, and in each run another. */
function messagesFirst(events: readonly (number | string)[]): (number | string)[] {
  const sorted = [...events];
  for (let i = 1; i < sorted.length; i++) {
    const row = sorted[i - 1];
    if (typeof row !== 'number' || sorted[i] !== `in${row - 1}`) continue;
    [sorted[i - 1], sorted[i]] = [sorted[i] as string, row];
  }
  return sorted;
}

test.each([
  ['streaming', ['on'], 1],
  ['protocol 1', ['off'], 2],
  ['streaming that is switched on and off', ['on', 'off'], 3],
  ['messages that follow their rows', ['on', 'off'], 217],
])('cdc-postgres 42, 65, 92: killed at random points, with %s', async (_, modes, seed) => {
  const random = seeded(seed).below;
  /** Rows by their id, messages by their prefix. */
  const expected: (number | string)[] = [];
  const indexes = new Map<number, number>();
  const seen: (number | string)[] = [];
  const open = new Map<Client, (number | string)[]>();
  let stored: AnyRecord['sourceOffset'] | null = null;
  /** Records of the run whose offset is stored. */
  let storedCount = 0;
  let next = 0;
  let run = await restart();
  const steps = [write, write, write, message, message, commit, single, outside, read, kill];
  for (let i = 0; i < 100; i++) await steps[random(steps.length)]?.();
  for (const client of open.keys()) await commit(client);
  await single();
  await kill();
  const last = expected.at(-1);
  await run.until((records) => records.at(-1)?.key.id === last);
  collect();
  expect(messagesFirst([...new Set(seen)])).toEqual(messagesFirst(expected));

  async function restart(): Promise<TaskRun> {
    const mode = modes[random(modes.length)] as string;
    return await start(streaming({ 'pgoutput.streaming': mode, 'max.batch.size': '16' }), stored);
  }
  function collect(): void {
    for (const { key, value, sourceOffset } of run.records) {
      seen.push(key.id ?? key.prefix);
      if (value.op === 'c') expect([key.id, sourceOffset?.tx_event_index]).toEqual([key.id, indexes.get(key.id)]);
    }
  }
  function anyClient(): Client {
    return clients[random(clients.length)] as Client;
  }
  async function begun(client: Client): Promise<(number | string)[]> {
    const events = open.get(client) ?? [];
    if (!open.has(client)) await client.query('BEGIN');
    open.set(client, events);
    return events;
  }
  /** Rows, of which some are rolled back to a savepoint. */
  async function write(): Promise<void> {
    const client = anyClient();
    const events = await begun(client);
    const count = random(2) === 0 ? 300 : 1 + random(3);
    await client.query(`SAVEPOINT s; INSERT INTO a ${rows(next, count)}`);
    if (random(3) === 0) await client.query('ROLLBACK TO s');
    else {
      let index = events.filter((event) => typeof event === 'number').length;
      for (let id = next; id < next + count; id++) {
        events.push(id);
        indexes.set(id, ++index);
      }
    }
    next += count;
  }
  async function message(): Promise<void> {
    const client = anyClient();
    (await begun(client)).push(`in${next}`);
    await client.query("SELECT pg_logical_emit_message(true, $1, repeat('m', 5000))", [`in${next++}`]);
  }
  async function commit(client = anyClient()): Promise<void> {
    const events = open.get(client);
    if (!open.delete(client)) return;
    const commits = random(5) > 0;
    await client.query(commits ? 'COMMIT' : 'ROLLBACK');
    if (commits) expected.push(...(events ?? []));
  }
  async function single(): Promise<void> {
    await database.query(`INSERT INTO a VALUES (${next})`);
    indexes.set(next, 1);
    expected.push(next++);
  }
  /** A message outside of transactions. */
  async function outside(): Promise<void> {
    expected.push(`out${next}`);
    await database.query("SELECT pg_logical_emit_message(false, $1, 'now')", [`out${next++}`]);
  }
  async function read(): Promise<void> {
    for (let i = random(4); i >= 0; i--) await run.poll();
    const { length } = run.records;
    if (length === storedCount) return;
    storedCount += 1 + random(length - storedCount);
    stored = run.commitUpTo(storedCount - 1);
  }
  async function kill(): Promise<void> {
    collect();
    await run.kill();
    storedCount = 0;
    run = await restart();
  }
});

(canMountSmallDisk ? test : test.skip)(
  'a full disk is an error, which a restart with more space survives without loss',
  async () => {
    const disk = await startSmallDisk(256);
    try {
      const full = await start(streaming({ 'pgoutput.streaming.directory': disk.folder }));
      await database.query("INSERT INTO a VALUES (9999, 'first')");
      await full.count(1);
      const stored = full.commitUpTo();
      const [one] = clients as [Client];
      await one.query(`BEGIN; INSERT INTO a ${rows(0, 5000)}`);
      await database.query("INSERT INTO b VALUES (1, 'meanwhile')");
      await expect(full.until((records) => records.length > 2)).rejects.toMatchObject({
        code: 'PG_SPILL',
        retriable: false,
        message: expect.stringContaining(`${disk.folder}: the disk is full`),
      });
      const between = full.records.length > 1 ? full.commitUpTo() : stored;
      await full.stop();
      const run = await start(streaming(), between);
      await one.query('COMMIT');
      await run.until((records) => records.at(-1)?.key.id === 4999);
      const seen = [...full.records, ...run.records].map(({ topic, key }) => `${topic.at(-1)}${key.id}`);
      expect(seen).toEqual(['a9999', 'b1', ...Array.from({ length: 5000 }, (_, id) => `a${id}`)]);
    } finally {
      await disk.stop();
    }
  },
);
