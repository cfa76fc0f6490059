/**
 * The slot retains changes for the connector: it stays while they are needed and advances when they are not.
 */
import type { SourceOffset } from '@millrace/sdk';
import { TestDatabase } from '../../helpers/test-database';
import { waitFor } from '../../helpers/wait-for';
import { TaskRun, taskConfig } from './harness';

let database: TestDatabase;
let run: TaskRun | null = null;
beforeEach(async () => {
  database = await TestDatabase.create('CREATE TABLE t (id int PRIMARY KEY, v int)');
});
afterEach(async () => {
  await run?.stop();
  run = null;
  await database.drop();
});

const ids = (): number[] => (run as TaskRun).records.map((record) => record.key.id);

test.each(['no_data', 'initial'])(
  '%s: a stream that fails before its first offset is stored keeps the slot, and the next start reads from the failure on',
  async (mode) => {
    const config = taskConfig(database, { 'snapshot.mode': mode, 'table.include.list': 'public.t' });
    run = await TaskRun.start({
      ...config,
      'heartbeat.interval.ms': '20',
      'heartbeat.action.query': 'INSERT INTO gone VALUES (1)',
    });
    await database.query('INSERT INTO t VALUES (1)');
    await expect(run.until(() => false)).rejects.toMatchObject({ code: 'PG_HEARTBEAT' });
    await run.stop();
    await database.query('INSERT INTO t VALUES (2)');
    run = await TaskRun.start({ ...config, 'snapshot.mode': 'no_data' });
    await run.until(() => ids().includes(2));
    expect(ids()).toEqual([1, 2]);
  },
);

async function flushed(): Promise<bigint> {
  const [row] = await database.query(
    "SELECT (confirmed_flush_lsn - '0/0')::text AS lsn FROM pg_replication_slots WHERE slot_name = $1",
    [database.slot],
  );
  return BigInt(row?.lsn as string);
}

/** Changes in tables that are not captured; the slot must advance past them by heartbeats alone. */
async function slotPasses(current: TaskRun): Promise<void> {
  for (let i = 0; i < 5; i++) await database.query('INSERT INTO busy SELECT generate_series(1, 100)');
  const [row] = await database.query("SELECT (pg_current_wal_lsn() - '0/0')::text AS lsn");
  const written = BigInt(row?.lsn as string);
  await waitFor('the slot to pass what others wrote', async () => {
    await current.poll();
    if (current.records.length > 0) current.commitUpTo();
    return (await flushed()) >= written;
  });
}

describe('cdc-postgres 72: heartbeats let the slot of an idle table advance', () => {
  const config = (): Record<string, string> =>
    taskConfig(database, {
      'snapshot.mode': 'no_data',
      'heartbeat.interval.ms': '50',
      'table.include.list': 'public.t',
    });

  /** Stored by a heartbeat: the end of a transaction. */
  async function betweenTransactions(): Promise<SourceOffset> {
    await database.query('CREATE TABLE busy (id int)');
    run = await TaskRun.start(config());
    await slotPasses(run);
    expect(run.lastOffset).toMatchObject({ messageType: 'COMMIT' });
    return run.lastOffset;
  }

  test('after a restart, too', async () => {
    const offset = await betweenTransactions();
    await (run as TaskRun).stop();
    run = await TaskRun.start(config(), offset);
    await slotPasses(run);
    await database.query('INSERT INTO t VALUES (7)');
    await run.until((records) => records.some((record) => record.key.id === 7));
  });

  test('after a lost connection, too', async () => {
    await betweenTransactions();
    await database.cutStream();
    await slotPasses(run as TaskRun);
  });
});
