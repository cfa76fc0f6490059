import type { SourceOffset } from '@millrace/sdk';
import type { Client } from 'pg';
import { seeded } from '../../helpers/seeded';
import { TestDatabase } from '../../helpers/test-database';
import { waitFor } from '../../helpers/wait-for';
import { TODOS, TaskRun, ops, taskConfig, type AnyRecord } from './harness';

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

const ids = (records: readonly AnyRecord[]): number[] => records.map((record) => record.key.id);
const streamOnly = (): Record<string, string> => taskConfig(database, { 'snapshot.mode': 'no_data' });

/** Transactions of several rows that stay open while others commit. */
async function interleavedWriters(database: TestDatabase, rounds: number): Promise<void> {
  const clients = await Promise.all([0, 1, 2, 3].map(() => database.connect()));
  const random = seeded(7).below;
  const open = new Set<number>();
  let next = 1;
  for (let i = 0; i < rounds; i++) {
    const which = random(clients.length);
    const client = clients[which] as Client;
    if (!open.has(which)) {
      await client.query('BEGIN');
      open.add(which);
    }
    const rows = 1 + random(4);
    await client.query(`INSERT INTO t SELECT i, 0 FROM generate_series(${next}, ${next + rows - 1}) i`);
    await client.query(`UPDATE t SET v = v + 1 WHERE id = ${next}`);
    next += rows;
    if (random(3) === 0) {
      await client.query(random(10) === 0 ? 'ROLLBACK' : 'COMMIT');
      open.delete(which);
    }
  }
  for (const which of open) await (clients[which] as Client).query('COMMIT');
  await Promise.all(clients.map((client) => client.end()));
}

const DONE = 999_999;

test('cdc-postgres 65: killed at random points, resumed from the last stored offset: nothing lost, nothing out of order', async () => {
  const random = seeded(11).below;
  // The reference: one uninterrupted run with a separate slot.
  const reference = await TaskRun.start({ ...streamOnly(), 'slot.name': `${database.slot}_r` });
  let offset: SourceOffset | null = null;
  // Small batches, so that the task is abandoned many times, however far the writers are ahead.
  const config = (): Record<string, string> => ({ ...streamOnly(), 'max.batch.size': String(1 + random(80)) });
  run = await TaskRun.start(config());
  const writing = interleavedWriters(database, 400).then(() => database.query(`INSERT INTO t VALUES (${DONE}, 0)`));
  const stored: AnyRecord[] = [];
  let duplicates = 0;
  for (let round = 0; ; round++) {
    // Some records are acknowledged and stored, some only polled, then the task is abandoned without a stop.
    const want = random(80);
    await run.until((records) => records.length >= want || records.some((record) => record.key.id === DONE));
    const keep = run.records.length === 0 ? 0 : random(run.records.length + 1);
    const finished = run.records.some((record) => record.key.id === DONE);
    const kept = finished ? run.records.length : keep;
    if (kept > 0) {
      stored.push(...run.records.slice(0, kept));
      // Sometimes the crash comes between storing the offset and confirming it to the server.
      offset = random(2) === 0 ? (run.records[kept - 1]?.sourceOffset ?? null) : run.commitUpTo(kept - 1);
    }
    duplicates += run.records.length - kept;
    await run.stop();
    if (finished) break;
    run = await TaskRun.start(config(), offset);
  }
  run = null;
  await writing;
  expect(duplicates).toBeGreaterThan(0);
  const all = await reference.until((records) => records.some((record) => record.key.id === DONE));
  const line = (record: AnyRecord): string =>
    `${record.value.source.txId} ${record.value.op} ${record.key.id} ${record.value.after.v}`;
  // The records stored before each crash, concatenated, equal those of the reference.
  expect(stored.map(line)).toEqual(all.map(line));
  await reference.stop();
});

test('cdc-postgres 66: stopped in the middle of a transaction, it resumes there', async () => {
  run = await TaskRun.start({ ...streamOnly(), 'max.batch.size': '2', 'max.queue.size': '3' });
  await database.query('BEGIN; INSERT INTO t VALUES (1), (2), (3); COMMIT; INSERT INTO t VALUES (4)');
  await run.count(2);
  const offset = run.commitUpTo(1);
  await run.stop();
  run = await TaskRun.start(streamOnly(), offset);
  expect(ids(await run.count(2))).toEqual([3, 4]);
});

/** Offset of the record whose transaction ends exactly where the next record starts. */
const beforeAdjacent = (records: readonly AnyRecord[]): number =>
  records.findIndex((_, i) => {
    const next = records[i + 1]?.sourceOffset;
    return next != null && next.lsn_commit === next.lsn;
  });

test('cdc-postgres 67: an offset at a commit that ends where the next transaction begins', async () => {
  run = await TaskRun.start(streamOnly());
  // Another database of the same server may write between any two transactions, so repeat until it does not.
  for (let next = 1; beforeAdjacent(run.records) === -1; next += 20) {
    await database.query(
      `DO $$ BEGIN FOR i IN ${next}..${next + 19} LOOP INSERT INTO t VALUES (i); COMMIT; END LOOP; END $$`,
    );
    await run.count(next + 19);
  }
  await database.query('INSERT INTO t VALUES (0)');
  const records = await run.until((all) => all.some((record) => record.key.id === 0));
  const at = beforeAdjacent(records);
  for (const index of [at, at + 1]) {
    const offset = records[index]?.sourceOffset ?? null;
    await run.stop();
    run = await TaskRun.start(streamOnly(), offset);
    const rest = ids(records.slice(index + 1));
    expect(ids(await run.count(rest.length))).toEqual(rest);
  }
});

test('cdc-postgres 68: stopped inside rows of one multi-insert record', async () => {
  run = await TaskRun.start(streamOnly());
  // INSERT … SELECT into a table writes one WAL record for many rows, as COPY does.
  await database.query("COPY t FROM PROGRAM 'seq -f ''%.0f\t1'' 10000'");
  const records = await run.count(10_000);
  const lsns = new Set(records.map((record) => record.value.source.lsn));
  expect(lsns.size).toBeLessThan(10_000);
  for (const at of [0, 777, 5001]) {
    await run.stop();
    run = await TaskRun.start(streamOnly(), records[at]?.sourceOffset ?? null);
    expect(ids(await run.count(9_999 - at))).toEqual(ids(records.slice(at + 1)));
  }
});

describe('cdc-postgres 69: offsets written by Debezium', () => {
  async function twoTransactions(): Promise<AnyRecord[]> {
    run = await TaskRun.start(streamOnly());
    await database.query('INSERT INTO t VALUES (1)');
    await database.query('BEGIN; INSERT INTO t VALUES (2); INSERT INTO t VALUES (3); INSERT INTO t VALUES (4); COMMIT');
    await database.query('INSERT INTO t VALUES (5)');
    const records = [...(await run.count(5))];
    await run.stop();
    return records;
  }
  const NOT_IN_3_6 = ['tx_event_index', 'lsn_events_processed'];
  const without = (offset: SourceOffset | null | undefined, ...names: string[]): SourceOffset =>
    Object.fromEntries(Object.entries(offset ?? {}).filter(([name]) => !names.includes(name)));

  test('3.x streaming, inside a transaction', async () => {
    const records = await twoTransactions();
    run = await TaskRun.start(streamOnly(), without(records[2]?.sourceOffset, ...NOT_IN_3_6));
    expect(ids(await run.count(2))).toEqual([4, 5]);
  });

  test('3.x streaming without a commit yet', async () => {
    const records = await twoTransactions();
    const offset = without(records[0]?.sourceOffset, ...NOT_IN_3_6);
    expect(offset).not.toHaveProperty('lsn_commit');
    run = await TaskRun.start(streamOnly(), offset);
    expect(ids(await run.count(4))).toEqual([2, 3, 4, 5]);
  });

  test('3.x transaction end', async () => {
    const records = await twoTransactions();
    const commit = records[4]?.sourceOffset?.lsn_commit ?? null;
    const offset = { lsn: commit, lsn_proc: commit, lsn_commit: commit, messageType: 'COMMIT', txId: 1, ts_usec: 0 };
    run = await TaskRun.start(streamOnly(), offset);
    expect(ids(await run.count(1))).toEqual([5]);
  });

  test('3.x transaction begin', async () => {
    const records = await twoTransactions();
    const { lsn, lsn_commit, txId } = records[1]?.sourceOffset as Record<string, number>;
    const offset = { lsn, lsn_proc: lsn_commit, lsn_commit, messageType: 'BEGIN', txId, transaction_id: String(txId) };
    run = await TaskRun.start(streamOnly(), offset as SourceOffset);
    expect(ids(await run.count(4))).toEqual([2, 3, 4, 5]);
  });

  test('1.2 streaming', async () => {
    const records = await twoTransactions();
    const offset = {
      ...without(records[3]?.sourceOffset, ...NOT_IN_3_6, 'messageType', 'lsn_commit'),
      transaction_id: null,
    };
    run = await TaskRun.start(streamOnly(), offset);
    // Without lsn_commit only the LSN is known: repeated rows are allowed, missing rows are not.
    const records2 = await run.until((all) => all.some((record) => record.key.id === 5));
    expect(ids(records2).slice(-1)).toEqual([5]);
  });

  test('snapshot finished, 3.x and 1.2 (boolean)', async () => {
    await database.query('INSERT INTO t VALUES (100)');
    run = await TaskRun.start(taskConfig(database));
    const [snapshot] = await run.count(1);
    await run.stop();
    await database.query('INSERT INTO t VALUES (1); INSERT INTO t VALUES (2)');
    const offset = snapshot?.sourceOffset ?? null;
    for (const stored of [offset, { ...without(offset, 'snapshot_completed'), snapshot: true }]) {
      run = await TaskRun.start(taskConfig(database), stored);
      expect(ids(await run.count(2))).toEqual([1, 2]);
      await run.stop();
    }
  });

  test('an incremental snapshot is not an unfinished initial one', async () => {
    const records = await twoTransactions();
    const offset = {
      ...without(records[2]?.sourceOffset, ...NOT_IN_3_6),
      snapshot: 'INCREMENTAL',
      snapshot_completed: false,
      last_snapshot_record: false,
      incremental_snapshot_collections: '[]',
      'transaction_data_collection_order_public.t': 2,
    };
    run = await TaskRun.start(taskConfig(database), offset);
    expect(ids(await run.count(2))).toEqual([4, 5]);
  });

  test('rows that share a position: with 3.7 exactly, with 3.6 all of them again', async () => {
    run = await TaskRun.start(streamOnly());
    await database.query("COPY t FROM PROGRAM 'seq -f ''%.0f\t1'' 50'");
    const records = [...(await run.count(50))];
    await run.stop();
    const { lsn } = records[0]?.value.source as { lsn: number };
    const group = records.filter((record) => record.value.source.lsn === lsn).length;
    expect(group).toBeGreaterThan(3);
    const offset = without(records[2]?.sourceOffset, ...NOT_IN_3_6);
    const of37 = without(records[2]?.sourceOffset, 'tx_event_index');
    expect(of37).toEqual({ ...offset, lsn_events_processed: 3 });
    run = await TaskRun.start(streamOnly(), of37);
    expect(ids(await run.count(47))).toEqual(ids(records.slice(3)));
    await run.stop();
    run = await TaskRun.start(streamOnly(), offset);
    expect(ids(await run.count(50))).toEqual(ids(records));
  });
});

/** Resolves when the server has read a status message that the task writes after this call. */
async function nextStatus(): Promise<void> {
  const since = Date.now();
  await waitFor('a status message', async () => {
    const { length } = await database.query(
      `SELECT FROM pg_stat_replication r JOIN pg_replication_slots s ON s.active_pid = r.pid
       WHERE s.slot_name = $1 AND extract(epoch FROM r.reply_time) * 1000 > $2`,
      [database.slot, since],
    );
    return length > 0;
  });
}

async function flushed(): Promise<bigint> {
  const [row] = await database.query(
    "SELECT (confirmed_flush_lsn - '0/0')::text AS lsn FROM pg_replication_slots WHERE slot_name = $1",
    [database.slot],
  );
  return BigInt(row?.lsn as string);
}

test('cdc-postgres 71: only stored positions are confirmed to the server', async () => {
  run = await TaskRun.start({ ...streamOnly(), 'status.update.interval.ms': '50' });
  const start = await flushed();
  for (let i = 1; i <= 30; i++) await database.query(`INSERT INTO t VALUES (${i})`);
  const records = await run.count(30);
  await run.nothingMore();
  await nextStatus();
  expect(await flushed()).toBe(start);
  const offset = run.commitUpTo(20);
  const expected = BigInt(offset.lsn_commit as number);
  expect(offset).toBe(records[20]?.sourceOffset);
  await waitFor('the position to be confirmed', async () => (await flushed()) === expected);
  await nextStatus();
  expect(await flushed()).toBe(expected);
  await run.stop();
  // The server has read the last status message by then.
  await database.slotsLetGo();
  expect(await flushed()).toBe(expected);
});

test('cdc-postgres 73: lsn.flush.mode=manual confirms nothing', async () => {
  run = await TaskRun.start({ ...streamOnly(), 'lsn.flush.mode': 'manual', 'status.update.interval.ms': '50' });
  const start = await flushed();
  await database.query('INSERT INTO t VALUES (1); INSERT INTO t VALUES (2)');
  await run.count(2);
  run.commitUpTo();
  await nextStatus();
  expect(await flushed()).toBe(start);
});

test('cdc-postgres 72: heartbeats let the slot of an idle table advance', async () => {
  run = await TaskRun.start({ ...streamOnly(), 'heartbeat.interval.ms': '50', 'table.include.list': 'public.t' });
  const start = await flushed();
  await database.query('CREATE TABLE busy (id int)');
  for (let i = 0; i < 20; i++) await database.query('INSERT INTO busy SELECT generate_series(1, 100)');
  const current = run;
  await waitFor('the slot to advance', async () => {
    await current.poll();
    if (current.records.length > 0) current.commitUpTo();
    return (await flushed()) > start;
  });
  const offset = run.lastOffset;
  await run.stop();
  run = await TaskRun.start({ ...streamOnly(), 'table.include.list': 'public.t' }, offset);
  await database.query('INSERT INTO t VALUES (7)');
  expect(ids(await run.count(1))).toEqual([7]);
});

test('cdc-postgres 74: the heartbeat query is run; a missing table is an error with its SQLSTATE', async () => {
  await database.query('CREATE TABLE beat (n int)');
  const config = { ...streamOnly(), 'heartbeat.interval.ms': '20', 'table.include.list': 'public.t' };
  run = await TaskRun.start({ ...config, 'heartbeat.action.query': 'INSERT INTO beat VALUES (1)' });
  const beating = run;
  const beats = async (): Promise<number> => (await database.query('SELECT FROM beat')).length;
  await waitFor('two heartbeats', async () => (await beating.poll(), (await beats()) >= 2), { everyMs: 0 });
  await run.stop();
  run = await TaskRun.start({ ...config, 'heartbeat.action.query': 'INSERT INTO gone VALUES (1)' });
  await expect(run.until(() => false)).rejects.toThrow('Could not execute heartbeat action query (Error: 42P01)');
});

test('cdc-postgres 76: the connection stays open during a long gap between polls', async () => {
  // Long enough for a machine that pauses for seconds; the interval of status messages follows from the timeout.
  await database.query(`ALTER DATABASE ${database.name} SET wal_sender_timeout = '12s'`);
  run = await TaskRun.start({ ...streamOnly(), 'status.update.interval.ms': '600000' });
  await run.nothingMore();
  // More than the queue holds, so that the socket is paused.
  await database.query('INSERT INTO t SELECT i, i FROM generate_series(1, 50000) i');
  const pid = (await database.slots())[0]?.active_pid;
  expect(pid).toEqual(expect.any(Number));
  const repliedAt = async (): Promise<number> => {
    const senders = await database.query(
      'SELECT extract(epoch FROM reply_time)::float8 AS at FROM pg_stat_replication WHERE pid = $1',
      [pid],
    );
    // None if the server has closed the connection.
    expect(senders).toHaveLength(1);
    return Number(senders[0]?.at);
  };
  const before = await waitFor('a first status message', repliedAt);
  await waitFor('the time-out to pass', async () => (await repliedAt()) > before + 15);
  await run.count(50_000);
  expect(run.log.filter((line) => line.level === 'warn')).toEqual([]);
});

test('cdc-postgres 77: a terminated walsender is replaced, nothing is lost or duplicated', async () => {
  run = await TaskRun.start({ ...streamOnly(), 'max.batch.size': '10', 'max.queue.size': '11' });
  await run.nothingMore();
  const records = run.records;
  for (let round = 0; round < 4; round++) {
    await database.query(`INSERT INTO t SELECT i, 0 FROM generate_series(${round * 1000}, ${round * 1000 + 999}) i`);
    await run.count(round * 1000 + 500);
    await database.cutStream();
  }
  await run.count(4000);
  expect(ids(records)).toEqual(Array.from({ length: 4000 }, (_, i) => i));
  expect(run.log.some((line) => /retrying/.test(line.message))).toBe(true);
});

test('cdc-postgres 78: a second reader of the slot retries, then reports what to do; when the first stops, it resumes', async () => {
  run = await TaskRun.start(streamOnly());
  await database.query('INSERT INTO t VALUES (1)');
  await run.count(1);
  const config = { ...streamOnly(), 'slot.max.retries': '2', 'slot.retry.delay.ms': '50' };
  const second = await TaskRun.start(config, run.lastOffset);
  await expect(second.count(1)).rejects.toMatchObject({
    code: 'PG_SLOT_ACTIVE',
    message: expect.stringMatching(
      /when setting up multiple connectors for the same database host, please make sure to use a distinct replication slot name for each\..*held by process \d+ \(Millrace Streaming/,
    ),
  });
  await second.stop();
  const third = await TaskRun.start({ ...config, 'slot.max.retries': '10000' }, run.lastOffset);
  expect(await third.poll()).toEqual([]);
  expect(third.log.some((line) => /retrying \(1 of 10000\)/.test(line.message))).toBe(true);
  await run.stop();
  await database.query('INSERT INTO t VALUES (2)');
  expect(ids(await third.count(1))).toEqual([2]);
  await third.stop();
});

test('cdc-postgres 79: a slot dropped while stopped: initial fails, when_needed takes a new snapshot; a slot created later is detected, too', async () => {
  await database.query('INSERT INTO t VALUES (1, 1)');
  run = await TaskRun.start(taskConfig(database));
  await run.count(1);
  await database.query('INSERT INTO t VALUES (2, 2)');
  await run.count(2);
  const offset = run.commitUpTo();
  await run.stop();
  await database.dropSlots();
  await database.query('INSERT INTO t VALUES (3, 3)');
  const text =
    /The connector is trying to read change stream starting at [0-9A-F]+\/[0-9A-F]+, but this is no longer available on the server\. Reconfigure the connector to use a snapshot mode when needed\./;
  await expect(TaskRun.start(taskConfig(database), offset)).rejects.toThrow(text);
  expect(await database.slots()).toEqual([]);
  await database.query('SELECT pg_create_logical_replication_slot($1, $2)', [database.slot, 'pgoutput']);
  await expect(TaskRun.start(taskConfig(database), offset)).rejects.toThrow(text);
  run = await TaskRun.start(taskConfig(database, { 'snapshot.mode': 'when_needed' }), offset);
  expect(run.log).toContainEqual({
    level: 'warn',
    message: expect.stringMatching(
      /^PG_POSITION_LOST: .* A new snapshot reads the rows that exist; changes and deletes made before it may be missing\.$/,
    ) as string,
  });
  expect(ops(await run.count(3))).toEqual(['r', 'r', 'r']);
});

test('cdc-postgres 79: a slot beyond the stored position: the start reports it, and trust_greater_lsn resumes', async () => {
  run = await TaskRun.start(streamOnly());
  await database.query('INSERT INTO t VALUES (1)');
  await run.count(1);
  const old = run.commitUpTo();
  await run.stop();
  await database.slotsLetGo();
  await database.query('INSERT INTO t VALUES (2)');
  await database.query('CHECKPOINT');
  await database.query('SELECT pg_replication_slot_advance($1, pg_current_wal_lsn())', [database.slot]);
  run = await TaskRun.start({ ...streamOnly(), 'offset.mismatch.strategy': 'trust_greater_lsn' }, old);
  expect(run.log.some(({ message }) => /was confirmed up to [0-9A-F]+\/[0-9A-F]+/.test(message))).toBe(true);
  await database.query('INSERT INTO t VALUES (3)');
  expect(ids(await run.count(1))).toEqual([3]);
});

test('cdc-postgres 81: a slot of another output plugin', async () => {
  await database.query('SELECT pg_create_logical_replication_slot($1, $2)', [database.slot, 'test_decoding']);
  await expect(TaskRun.start(taskConfig(database))).rejects.toMatchObject({
    code: 'PG_SLOT_MISMATCH',
    message: expect.stringContaining('already exists for plugin "test_decoding"'),
  });
  expect(await database.query('SELECT pubname FROM pg_publication')).toEqual([]);
});

test.each([
  ['true', 0],
  ['false', 1],
])('cdc-postgres 82: slot.drop.on.stop=%s', async (drop, left) => {
  run = await TaskRun.start(taskConfig(database, { 'slot.drop.on.stop': drop }));
  await database.query('INSERT INTO t VALUES (1)');
  await run.count(1);
  await run.stop();
  expect(await database.slots()).toHaveLength(left);
});

test('cdc-postgres 90: a large transaction passes through a small queue; savepoints and aborted transactions emit nothing', async () => {
  await database.query(`${TODOS}`);
  run = await TaskRun.start({ ...streamOnly(), 'max.queue.size': '3000', 'max.queue.size.in.bytes': '200000' });
  await run.nothingMore();
  await database.query(
    'BEGIN; INSERT INTO t SELECT i, i FROM generate_series(1, 60000) i; SAVEPOINT s; INSERT INTO t VALUES (70000); ROLLBACK TO s; COMMIT',
  );
  await database.query('BEGIN; INSERT INTO t SELECT i, i FROM generate_series(100000, 101000) i; ROLLBACK');
  await database.query('INSERT INTO t VALUES (80000)');
  const records = await run.count(60_001);
  expect(ids(records.slice(-2))).toEqual([60_000, 80_000]);
  await run.nothingMore();
});

test('the stream is identified by its application name', async () => {
  run = await TaskRun.start(streamOnly());
  await run.nothingMore();
  const [sender] = await database.query(
    'SELECT application_name FROM pg_stat_replication r JOIN pg_replication_slots s ON s.active_pid = r.pid WHERE s.database = $1',
    [database.name],
  );
  expect(sender?.application_name).toBe('Millrace Streaming');
});
