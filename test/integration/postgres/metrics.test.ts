/** What a task reports in `GET /metrics`, and its warnings about the slot. */
import { MemoryConnection } from '@millrace/sdk/testing';
import { Reachability } from '../../../connectors/postgres/src/database/reachability';
import { SlotWatch } from '../../../connectors/postgres/src/metrics/slot-watch';
import { startPostgres } from '../../../dev/services/postgres';
import { onServer, TestDatabase } from '../../helpers/test-database';
import { waitFor } from '../../helpers/wait-for';
import { TaskRun, taskConfig, TODOS } from './harness';

const STREAMING = { context: 'streaming', plugin: 'postgres', name: 'fulfillment' };

let database: TestDatabase;
let run: TaskRun | null = null;
beforeEach(async () => {
  database = await TestDatabase.create(`${TODOS}; CREATE TABLE other (id int)`);
});
afterEach(async () => {
  await run?.stop();
  run = null;
  await database.drop();
});

const streaming = (name: string, labels: Record<string, string> = {}): number | undefined =>
  run?.metrics.value(`debezium_metrics_${name}`, { ...STREAMING, ...labels });
const own = (name: string, labels: Record<string, string> = {}): number | undefined =>
  run?.metrics.value(`millrace_postgres_${name}`, { name: 'fulfillment', slot: database.slot, ...labels });

async function start(overrides: Record<string, string> = {}): Promise<TaskRun> {
  const config = { 'snapshot.mode': 'no_data', 'table.include.list': 'public.todos', ...overrides };
  run = await TaskRun.start(taskConfig(database, config));
  return run;
}

test('cdc-postgres 112: events, transactions, lag and position of a stream', async () => {
  await database.query('ALTER TABLE todos REPLICA IDENTITY FULL');
  const task = await start({
    'skipped.operations': 'none',
    'skip.messages.without.change': 'true',
    'publication.autocreate.mode': 'all_tables',
  });
  await task.nothingMore();
  expect(streaming('Connected')).toBe(1);
  expect(streaming('MilliSecondsBehindSource')).toBe(-1);
  expect(streaming('MilliSecondsSinceLastEvent')).toBe(-1);
  expect(streaming('LastTransactionId')).toBeUndefined();
  await database.query(`INSERT INTO todos VALUES (1, 'a', 'x'), (2, 'b', 'y')`);
  await database.query(`UPDATE todos SET description = 'c' WHERE id = 1`);
  await database.query(`UPDATE todos SET description = 'c' WHERE id = 1`);
  await database.query('INSERT INTO other VALUES (1)');
  await database.query('DELETE FROM todos WHERE id = 2');
  await database.query('TRUNCATE todos');
  await task.until((records) => records.some(({ value }) => value?.op === 't'));
  const counts = ['TotalNumberOfEventsSeen', 'TotalNumberOfCreateEventsSeen', 'TotalNumberOfUpdateEventsSeen'];
  expect([...counts, 'TotalNumberOfDeleteEventsSeen'].map((name) => streaming(name))).toEqual([5, 2, 1, 1]);
  const table = { table: 'public.todos' };
  const operations = ['Create', 'Update', 'Delete', 'Truncate'].map((name) => `NumberOf${name}EventsSeen`);
  expect(operations.map((name) => streaming(name, table))).toEqual([2, 1, 1, 1]);
  expect(streaming('NumberOfCreateEventsSeen', { table: 'public.other' })).toBeUndefined();
  expect(streaming('NumberOfEventsFiltered')).toBe(1);
  expect(streaming('NumberOfCommittedTransactions')).toBe(4);
  expect(streaming('LastTransactionId')).toBe(task.lastOffset.txId);
  expect(streaming('SourceEventPosition', { key: 'lsn' })).toBeGreaterThanOrEqual(Number(task.lastOffset.lsn));
  for (const name of ['', 'MinValue', 'MaxValue', 'AverageValue', 'P50', 'P95', 'P99'])
    expect([name, streaming(`MilliSecondsBehindSource${name}`)]).toEqual([name, expect.any(Number)]);
  expect(streaming('MilliSecondsBehindSourceP99')).toBeGreaterThanOrEqual(
    streaming('MilliSecondsBehindSourceP50') ?? NaN,
  );
  expect([streaming('QueueTotalCapacity'), streaming('QueueRemainingCapacity')]).toEqual([8192, 8192]);
  expect([streaming('MaxQueueSizeInBytes'), streaming('CurrentQueueSizeInBytes')]).toEqual([67108864, 0]);
});

test('cdc-postgres 112: progress and rows of a snapshot', async () => {
  await database.query(`INSERT INTO todos SELECT i, 'a', 'b' FROM generate_series(1, 30) i`);
  const task = await start({ 'snapshot.mode': 'initial', 'max.batch.size': '10' });
  const snapshot = (name: string, labels: Record<string, string> = {}): number | undefined =>
    task.metrics.value(`debezium_metrics_${name}`, { ...STREAMING, context: 'snapshot', ...labels });
  const state = () => ['SnapshotRunning', 'SnapshotCompleted', 'RemainingTableCount'].map((name) => snapshot(name));
  expect(state()).toEqual([0, 0, 0]);
  await task.count(1);
  expect(state()).toEqual([1, 0, 1]);
  await task.count(30);
  await task.nothingMore();
  expect(state()).toEqual([0, 1, 0]);
  expect([snapshot('TotalTableCount'), snapshot('TotalNumberOfEventsSeen')]).toEqual([1, 30]);
  expect([snapshot('TotalNumberOfCreateEventsSeen'), snapshot('NumberOfEventsFiltered')]).toEqual([0, 0]);
  expect([snapshot('QueueTotalCapacity'), snapshot('QueueRemainingCapacity')]).toEqual([8192, 8192]);
  const table = { table: 'public.todos' };
  expect(snapshot('RowsScanned', table)).toBe(30);
  expect(snapshot('TableChunksCompletedCounts', table)).toBe(snapshot('TableChunkCounts', table));
  const percent = task.metrics.value('millrace_postgres_snapshot_table_percent', { name: 'fulfillment', ...table });
  expect(percent).toBe(100);
  expect(snapshot('MilliSecondsSinceLastEvent')).toBeGreaterThanOrEqual(0);
  expect(streaming('TotalNumberOfEventsSeen')).toBe(0);
});

test('cdc-postgres 111: updates without a change are counted', async () => {
  await database.query(`ALTER TABLE todos REPLICA IDENTITY FULL; INSERT INTO todos VALUES (1, 'a', 'x')`);
  const task = await start({
    'skip.messages.without.change': 'true',
    'column.exclude.list': 'public.todos.todo_status',
  });
  expect(streaming('NumberOfUnchangedEventsSkipped')).toBe(0);
  await database.query(`UPDATE todos SET todo_status = 'z'; UPDATE todos SET description = 'b'`);
  await task.count(1);
  expect(streaming('NumberOfUnchangedEventsSkipped')).toBe(1);
});

test('settings: without the feature -1, without statistics no percentiles, and tags', async () => {
  await start({ 'statistics.metrics.enabled': 'false', 'custom.metric.tags': 'team=a, env=test' });
  const tags = { team: 'a', env: 'test' };
  expect(streaming('NumberOfUnchangedEventsSkipped', tags)).toBe(-1);
  expect(streaming('MilliSecondsBehindSource', tags)).toBe(-1);
  expect(streaming('MilliSecondsBehindSourceP50', tags)).toBeUndefined();
});

test('cdc-postgres 112: the lag grows until the offset is stored', async () => {
  const task = await start();
  expect([own('replay_lag_seconds'), own('oldest_unacked_seconds')]).toEqual([0, 0]);
  await database.query(`INSERT INTO todos VALUES (1, 'a', 'x')`);
  await task.count(1);
  const first = own('replay_lag_seconds') ?? NaN;
  await task.poll();
  const second = own('replay_lag_seconds') ?? NaN;
  expect(second).toBeGreaterThan(first);
  expect(own('oldest_unacked_seconds')).toBeGreaterThan(0);
  task.commitUpTo();
  expect([own('replay_lag_seconds'), own('oldest_unacked_seconds')]).toEqual([0, 0]);
  expect(own('last_flush_lsn')).toBeGreaterThan(0);
  await task.nothingMore();
  expect(own('replay_lag_bytes')).toBeGreaterThanOrEqual(0);
});

test('cdc-postgres 112: millrace_postgres_wal_lag_seconds grows while changes are not read', async () => {
  const task = await start();
  await database.query(`INSERT INTO todos VALUES (1, 'a', 'x')`);
  await task.count(1);
  task.commitUpTo();
  await waitFor('the task to have caught up', async () => (await task.poll(), own('wal_lag_seconds') === 0));
  await database.query(`INSERT INTO todos VALUES (2, 'b', 'y')`);
  // Not polled: the change stays in the queue, and its commit time is not known.
  await waitFor('the lag to begin', async () => (own('wal_lag_seconds') ?? 0) > 0);
  expect([own('replay_lag_seconds'), own('oldest_unacked_seconds')]).toEqual([0, 0]);
  const first = own('wal_lag_seconds') ?? NaN;
  expect(own('replay_lag_bytes')).toBeGreaterThan(0);
  await waitFor('the lag to grow', async () => (own('wal_lag_seconds') ?? 0) > first);
  await task.count(2);
  task.commitUpTo();
  await waitFor('the task to have caught up again', async () => (await task.poll(), own('wal_lag_seconds') === 0));
});

function watch(warnBytes: number | null, server: TestDatabase, log: string[]): SlotWatch {
  const line = (level: string) => (message: string) => void log.push(`${level} ${message}`);
  const logger = {
    error: line('error'),
    warn: line('warn'),
    info: line('info'),
    debug: line('debug'),
    trace: line('trace'),
  };
  const general = { get: async () => server.client };
  const reach = new Reachability(new MemoryConnection());
  const askStream = (): void => undefined;
  return new SlotWatch({ slot: server.slot, general, reach, askStream, serverVersion: 150000, warnBytes, logger });
}

test('the slot: read while the task runs', async () => {
  const task = await start();
  await task.nothingMore();
  const log: string[] = [];
  const slots = watch(null, database, log);
  await slots.read();
  expect(slots.health).toMatchObject({ active: true, walStatus: 'reserved', invalidation: null });
  // The server is on this machine.
  expect(slots.clockAheadMs).toBe(0);
  expect(slots.health?.retainedBytes).toBeGreaterThanOrEqual(slots.health?.confirmedLagBytes ?? Infinity);
  expect(log).toEqual([]);
});

test('a warning when the slot retains more than allowed, once, and when it has recovered', async () => {
  await database.query(`SELECT pg_create_logical_replication_slot('${database.slot}', 'pgoutput')`);
  const log: string[] = [];
  // Other tests write WAL on the same server, and a slot begins before the oldest transaction that runs.
  const slots = watch(8 * 1024 * 1024, database, log);
  await slots.read();
  expect(log).toEqual([]);
  await database.query(`INSERT INTO other SELECT generate_series(1, 200000)`);
  await slots.read();
  await slots.read();
  expect(log).toEqual([expect.stringMatching(/^warn Replication slot "slot_\w+" retains \d+\.\d MB of WAL/)]);
  await database.query(`SELECT pg_drop_replication_slot('${database.slot}')`);
  await slots.read();
  expect(log[1]).toMatch(/^warn .* does not exist/);
  await database.query(`SELECT pg_create_logical_replication_slot('${database.slot}', 'pgoutput')`);
  await waitFor('the slot to have recovered', async () => {
    await database.query(`SELECT pg_replication_slot_advance('${database.slot}', pg_current_wal_lsn())`);
    await slots.read();
    return /^info .* has recovered/.test(log.at(-1) ?? '');
  });
  expect(log.filter((line) => line.startsWith('info'))).toHaveLength(1);
});

test('cdc-postgres 80: the warning comes before the server drops the slot', async () => {
  const postgres = await startPostgres({ settings: { max_slot_wal_keep_size: '32MB', max_wal_size: '64MB' } });
  try {
    const small = await TestDatabase.create('CREATE TABLE t (v text)', { server: postgres.url });
    await small.query(`SELECT pg_create_logical_replication_slot('${small.slot}', 'pgoutput')`);
    const log: string[] = [];
    const slots = watch(null, small, log);
    for (let round = 0; round < 20 && slots.health?.walStatus !== 'lost'; round++) {
      await small.query(`INSERT INTO t SELECT repeat(md5(i::text), 50) FROM generate_series(1, 3000) i`);
      await onServer('CHECKPOINT', [], postgres.url);
      await slots.read();
    }
    expect(log[0]).toMatch(/^warn .* retains .* the server drops it beyond 32\.0 MB/);
    expect(log.at(-1)).toMatch(/^warn .* is lost \(wal_removed\)/);
    expect(slots.health).toMatchObject({ walStatus: 'lost', invalidation: 'wal_removed' });
    await small.drop();
  } finally {
    await postgres.stop();
  }
});
