/** A server that is stopped for real: what the task reports, and that its figures are unknown instead of 0. */
import { startPostgres, type OwnPostgres } from '../../../dev/services/postgres';
import { TestDatabase } from '../../helpers/test-database';
import { waitFor } from '../../helpers/wait-for';
import { freeze } from './frozen-server';
import { TaskRun, taskConfig } from './harness';

let server: OwnPostgres;
let database: TestDatabase;
let run: TaskRun;
beforeEach(async () => {
  server = await startPostgres();
  database = await TestDatabase.create('CREATE TABLE t (id int PRIMARY KEY)', { server: server.url });
});
afterEach(async () => {
  await run.stop();
  await server.stop();
});

const config = (overrides: Record<string, string> = {}): Record<string, string> =>
  taskConfig(database, { 'table.include.list': 'public.t', 'snapshot.mode': 'no_data', ...overrides });
const ids = (): unknown[] => run.records.map(({ value }) => value.after.id);

/** Of the server, undefined while they are unknown. */
function figures(): Record<string, number | undefined> {
  const name = 'fulfillment';
  const ofSlot = (metric: string): number | undefined =>
    run.metrics.value(`millrace_postgres_${metric}`, { name, slot: database.slot });
  const streaming = { context: 'streaming', plugin: 'postgres', name };
  return {
    ...Object.fromEntries(
      [
        ...['slot_active', 'slot_retained_wal_bytes', 'slot_confirmed_lag_bytes', 'replay_lag_bytes'],
        ...['wal_lag_seconds', 'replay_lag_seconds'],
      ].map((metric) => [metric, ofSlot(metric)]),
    ),
    connected: ofSlot('connected'),
    Connected: run.metrics.value('debezium_metrics_Connected', streaming),
  };
}
const UNKNOWN = { connected: 0, Connected: 0 };
const known = (): boolean => Object.values(figures()).every((value) => value !== undefined);

async function streaming(overrides: Record<string, string> = {}): Promise<void> {
  run = await TaskRun.start(config(overrides));
  // Nothing of the server was measured.
  expect(figures()).toMatchObject({ slot_active: undefined, replay_lag_bytes: undefined, wal_lag_seconds: undefined });
  await database.query('INSERT INTO t VALUES (1)');
  await run.count(1);
  run.commitUpTo();
  const isRead = async (): Promise<boolean> => (await run.poll(), known() && figures().slot_active === 1);
  await waitFor('the figures', isRead, { detail: () => JSON.stringify(figures()) });
  expect(figures()).toMatchObject({ connected: 1, Connected: 1 });
  expect([run.connection.isUp, run.connection.problems]).toEqual([true, []]);
}

/** @param polls whether the worker polls, which it does not while the task is paused */
async function disconnected(polls = true): Promise<void> {
  await waitFor('the task to notice', async () => (polls && (await run.poll()), run.connection.isUp === false));
  await waitFor('its figures to be unknown', async () => figures().slot_active === undefined);
  expect(JSON.parse(JSON.stringify(figures()))).toEqual(UNKNOWN);
}

async function again(expected: readonly number[]): Promise<void> {
  await run.until(() => ids().includes(expected.at(-1)));
  expect([...new Set(ids())]).toEqual(expected);
  run.commitUpTo();
  const isUp = async (): Promise<boolean> => (await run.poll(), run.connection.isUp === true && known());
  await waitFor('the figures', isUp, { detail: () => JSON.stringify(figures()) });
  expect(figures()).toMatchObject({ connected: 1, Connected: 1 });
  await waitFor('the slot to be in use', async () => (await run.poll(), figures().slot_active === 1));
}

test('a server that is stopped and started again', async () => {
  await streaming();
  await server.end();
  await disconnected();
  await waitFor('a refused connection', async () => {
    await run.poll();
    return run.connection.problems.some(({ reason }) => reason.includes('ECONNREFUSED'));
  });
  const { problems } = run.connection;
  const last = problems.filter(({ nextTryAt }) => nextTryAt !== undefined).at(-1);
  expect(last).toMatchObject({ reason: expect.stringContaining('127.0.0.1'), code: 'PG_CONNECTION' });
  expect(last?.nextTryAt).toBeGreaterThan(Date.now() - 60_000);
  expect(JSON.stringify(problems)).not.toContain((config()['database.password'] as string) + '@');
  await server.start();
  database = await database.reopened();
  await database.query('INSERT INTO t VALUES (2)');
  await again([1, 2]);
});

test('while the task is paused: it notices, and connects when it is resumed', async () => {
  await streaming();
  await server.end();
  await disconnected(false);
  await server.start();
  database = await database.reopened();
  await database.query('INSERT INTO t VALUES (2)');
  expect(run.connection.isUp).toBe(false);
  await again([1, 2]);
});

test('a server that accepts connections and never answers', async () => {
  await streaming();
  const thaw = await freeze(database);
  try {
    await disconnected();
    expect(run.connection.problems.at(-1)).toMatchObject({
      reason: expect.stringContaining('no answer within 10000 ms'),
      code: 'PG_CONNECTION',
    });
  } finally {
    thaw();
  }
  await database.query('INSERT INTO t VALUES (2)');
  await again([1, 2]);
});

test('a slot that another program reads, and a query that only waits', async () => {
  await streaming();
  const reader = run;
  await reader.stop();
  run = await TaskRun.start(config(), reader.lastOffset);
  const other = await TaskRun.start(config(), reader.lastOffset);
  try {
    await database.query('INSERT INTO t VALUES (2)');
    await run.count(1);
    await waitFor('the other one to be refused', async () => (await other.poll(), other.connection.isUp === false));
    expect(other.connection.problems.at(-1)).toMatchObject({
      reason: expect.stringMatching(/^Another process reads the replication slot: .* is active for PID/),
      code: 'PG_SLOT_ACTIVE',
    });
    expect(run.connection.isUp).toBe(true);
  } finally {
    await other.stop();
  }
});

test('during the snapshot: why it was interrupted, and when it resumes', async () => {
  await database.query('INSERT INTO t SELECT generate_series(1, 20000)');
  run = await TaskRun.start(config({ 'snapshot.mode': 'initial', 'max.batch.size': '100', 'max.queue.size': '200' }));
  await run.count(100);
  await server.end();
  await disconnected();
  expect(run.connection.problems.map(({ reason }) => reason).join()).toContain('The snapshot was interrupted');
  await server.start();
  database = await database.reopened();
  await database.query('INSERT INTO t VALUES (20001)');
  await run.until(() => ids().includes(20001));
  expect(new Set(ids()).size).toBe(20001);
  await waitFor('the connection', async () => (await run.poll(), run.connection.isUp === true));
});

test('a snapshot without a slot, whose server never answers', async () => {
  await database.query('INSERT INTO t SELECT generate_series(1, 20000)');
  const overrides = { 'snapshot.mode': 'initial_only', 'max.batch.size': '100', 'max.queue.size': '200' };
  run = await TaskRun.start(config(overrides));
  await run.count(100);
  expect(run.connection.isUp).toBe(true);
  const thaw = await freeze(database);
  try {
    await waitFor('the task to notice', async () => (await run.poll(), run.connection.isUp === false));
    expect(run.connection.problems.at(-1)?.reason).toBe('A query failed: no answer within 10000 ms');
  } finally {
    thaw();
  }
  await run.count(20000);
  expect(new Set(ids()).size).toBe(20000);
  expect(run.connection.isUp).toBe(true);
});
