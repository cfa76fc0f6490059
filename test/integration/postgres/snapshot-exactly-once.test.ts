/**
 * Exactly-once delivery of a snapshot that is killed between any two polls: each poll is a transaction with the offset
 * of its last record, so a killed task is one whose successor starts at that offset.
 */
import type { Client } from 'pg';
import { seeded } from '../../helpers/seeded';
import { TestDatabase } from '../../helpers/test-database';
import { waitFor } from '../../helpers/wait-for';
import { Delivered, DONE, expectExact, NAMES, ROWS, shown, TABLES, Writer } from './exactly-once-harness';
import { taskConfig, type AnyRecord } from './harness';

const small = {
  'max.batch.size': '400',
  'max.queue.size': '500',
  'snapshot.fetch.size': '300',
  'publish.via.partition.root': 'true',
  'publication.autocreate.mode': 'filtered',
  'tombstones.on.delete': 'false',
};

let database: TestDatabase;
let started: Delivered | null = null;
const deliveredBy = (config: Record<string, string>): Delivered => (started = new Delivered(database, config));
beforeEach(async () => {
  database = await TestDatabase.create();
});
afterEach(async () => {
  await started?.stop();
  started = null;
  await database.drop();
});

test.each([
  [1, 1],
  [2, 1],
  [3, 2],
  [4, 3],
])(
  'connect-runtime 80: a snapshot killed between polls (seed %i, %i connections): each row is read once, each change streamed once',
  async (seed, threads) => {
    await database.query(TABLES);
    for (const name of NAMES)
      await database.query(`INSERT INTO ${name} SELECT i, 0 FROM generate_series(0, ${ROWS - 1}) i`);
    const random = seeded(seed).below;
    const clients = [await database.connect(), await database.connect()] as const;
    const delivered = deliveredBy(
      taskConfig(database, {
        ...small,
        'table.include.list': NAMES.map((name) => `public.${name}`).join(','),
        'snapshot.max.threads': String(threads),
      }),
    );
    await delivered.start();
    const committed: string[] = [];
    const short = new Writer(clients[0], random, 0);
    // Its transactions last for several polls and attempts.
    const long = new Writer(clients[1], random, 1);
    let open: string[] | null = null;
    while (!delivered.snapshotCompleted) {
      await delivered.poll();
      for (let i = random(4); i > 0; i--) {
        await short.begin();
        const changes = await short.statements();
        await short.commit();
        committed.push(...changes);
      }
      if (open === null) {
        open = [];
        await long.begin();
      }
      open.push(...(await long.statements()));
      if (random(4) === 0) {
        await long.commit();
        committed.push(...open);
        open = null;
      }
      if (random(3) === 0) await delivered.kill();
    }
    if (open !== null) await long.commit();
    committed.push(...(open ?? []));
    expect(delivered.kills).toBeGreaterThan(5);
    await database.query(`INSERT INTO plain VALUES (${DONE}, 0)`);
    const isDone = async (): Promise<boolean> => {
      const batch = await delivered.poll();
      if (random(10) === 0) await delivered.kill();
      return batch.some(({ value }) => value.after?.id === DONE);
    };
    await waitFor('the last change', isDone, { everyMs: 0, detail: () => String(delivered.records.length) });
    for (const client of clients) await client.end();
    await expectExact(
      database,
      delivered.records.filter(({ value }) => value.after?.id !== DONE),
      committed,
    );
  },
);

/** Rows that are read in several polls. */
const WIDE = `CREATE TABLE t (id int PRIMARY KEY, v int, w text, f float8[] NOT NULL DEFAULT '{}', n numeric NOT NULL DEFAULT 0,
    p path) WITH (fillfactor = 10);
  ALTER TABLE t ALTER COLUMN w SET STORAGE EXTERNAL, ALTER COLUMN f SET STORAGE EXTERNAL,
    ALTER COLUMN n SET STORAGE EXTERNAL, ALTER COLUMN p SET STORAGE EXTERNAL;
  INSERT INTO t SELECT i, 0 FROM generate_series(0, 2999) i`;
const isLast = (records: readonly AnyRecord[]): boolean =>
  records[records.length - 1]?.value.source.snapshot === 'last';

async function until(delivered: Delivered, test: (record: AnyRecord) => boolean): Promise<void> {
  await waitFor('a record', async () => (await delivered.poll()).some(test), { everyMs: 0 });
}

async function streamed(delivered: Delivered): Promise<AnyRecord[]> {
  await database.query(`INSERT INTO t VALUES (${DONE}, 0)`);
  await until(delivered, ({ value }) => value?.after?.id === DONE);
  return delivered.records;
}

const readIds = (records: readonly AnyRecord[]): number[] =>
  records.filter(({ value }) => value?.op === 'r').map(({ value }) => value.after.id as number);

test('a row that changed between two attempts is streamed with its unchanged TOASTed value, also under another key', async () => {
  await database.query(WIDE);
  await database.query(`UPDATE t SET w = repeat('w' || id, 2000), f = array_fill(id::float8, ARRAY[2000]),
    n = repeat('1', 9000)::numeric + id, p = ('(' || repeat('1,1,', 500) || id || ',0)')::path WHERE id > 2990`);
  const delivered = deliveredBy(taskConfig(database, small));
  await delivered.start();
  await delivered.poll();
  await database.query('UPDATE t SET v = 1 WHERE id > 2990');
  await database.query('DELETE FROM t WHERE id = 2991');
  await delivered.kill();
  await waitFor('the snapshot', async () => isLast(await delivered.poll()), { everyMs: 0 });
  // The first change finds no row of its key any more, and the last one does not hold the value either.
  await database.query('UPDATE t SET id = 4000 WHERE id = 2992');
  await delivered.kill();
  const records = await streamed(delivered);
  const value = new Map(records.map(({ value }) => [value.after?.id, value.after?.w]));
  for (let id = 2993; id < 3000; id++) expect(value.get(id)).toBe(`w${id}`.repeat(2000));
  const rows = new Map(records.map((record) => [record.value.after?.id, record]));
  for (const id of [2993, 2999, 4000]) {
    const { value, headers } = rows.get(id) as AnyRecord;
    const { f, n, p } = value.after;
    expect(f).toEqual(Array(2000).fill(id === 4000 ? 2992 : id));
    expect(String(n.value.unscaled ?? BigInt(`0x${n.value.toString('hex')}`))).toMatch(/^1{8000}/);
    expect(p.wkb).toHaveLength(9 + 501 * 16);
    expect(headers?.map(({ key }) => key)).not.toContain('__debezium.unavailable.columns');
  }
  expect(value.get(4000)).toBe('w2992'.repeat(2000));
  expect(readIds(records).filter((id) => id > 2990)).toEqual([]);
  // The position has passed what was not read.
  await database.query(`UPDATE t SET v = 1 WHERE id = ${DONE}`);
  await database.query(`UPDATE t SET v = 2 WHERE id = ${DONE}`);
  await until(delivered, ({ value }) => value?.after?.v === 2);
  expect(delivered.stored).not.toHaveProperty('snapshot_unread_until');
});

test('transactions and subtransactions that ran when the snapshot was taken are streamed and not read', async () => {
  await database.query(WIDE);
  const [first, second, third] = [await database.connect(), await database.connect(), await database.connect()];
  const begin = async (client: Client, id: number): Promise<void> => {
    await client.query(`BEGIN; SAVEPOINT s; UPDATE t SET v = 1 WHERE id = ${id}; RELEASE SAVEPOINT s`);
  };
  /** The slot waits for those that run. */
  const slotWaits = (transactions: number): Promise<unknown> =>
    waitFor('the slot', async () => {
      const [row] = await database.query(
        `SELECT count(*)::int AS n FROM pg_locks l JOIN pg_stat_activity a USING (pid)
         WHERE l.locktype = 'transactionid' AND NOT l.granted AND a.datname = current_database()
           AND l.transactionid::text = ANY ($1)`,
        [waitedFor.slice(0, transactions)],
      );
      return row?.n === 1;
    });
  const waitedFor: string[] = [];
  const xidOf = async (client: Client): Promise<string> =>
    String(((await client.query('SELECT txid_current() AS xid')).rows[0] as { xid: string }).xid);
  await begin(first, 2997);
  waitedFor.push(await xidOf(first));
  const delivered = deliveredBy(taskConfig(database, small));
  const starting = delivered.start();
  await slotWaits(1);
  await begin(second, 2998);
  waitedFor.splice(0, 1, await xidOf(second));
  await first.query('COMMIT');
  await slotWaits(1);
  await begin(third, 2999);
  // Otherwise the snapshot ends before the third one.
  await database.query('UPDATE t SET v = 1 WHERE id = 2996');
  await second.query('COMMIT');
  await starting;
  await delivered.poll();
  const xids = /^2 \d+:\d+:(\S+)/.exec(String(delivered.stored?.snapshot_progress))?.[1]?.split(',') ?? [];
  // With its subtransaction.
  expect(xids.length).toBeGreaterThanOrEqual(2);
  await third.query('COMMIT');
  await delivered.kill();
  const records = await streamed(delivered);
  const events = records.filter(({ value }) => value.after.id >= 2996 && value.after.id < 3000).map(shown);
  expect(events.sort()).toEqual(['t r 2996 1', 't r 2997 1', 't r 2998 1', 't u 2999 1']);
  for (const client of [first, second, third]) await client.end();
});

test.each([
  ['is rewritten', 'ALTER TABLE t ALTER COLUMN v TYPE bigint', 3000],
  ['is truncated and filled', 'TRUNCATE t; INSERT INTO t SELECT i, 7 FROM generate_series(1, 2000) i', 2000],
  ['moves its rows', 'CLUSTER t USING t_pkey', 3000],
])('nothing is lost if the table %s between two attempts', async (_, ddl, rows) => {
  await database.query(WIDE);
  const delivered = deliveredBy(taskConfig(database, { ...small, 'skipped.operations': 'none' }));
  await delivered.start();
  await delivered.poll();
  await delivered.kill(ddl);
  await waitFor('the snapshot', async () => isLast(await delivered.poll()), { everyMs: 0 });
  const state = new Map<number, number>();
  for (const { value } of await streamed(delivered)) {
    if (value.op === 't') state.clear();
    else state.set(value.after.id, Number(value.after.v));
  }
  state.delete(DONE);
  expect(state.size).toBe(rows);
  expect([...state.values()].every((v) => v === (rows === 2000 ? 7 : 0))).toBe(true);
});

test.each([
  ['a column is added', 'ALTER TABLE t ADD COLUMN x int'],
  ['an index is created', 'CREATE INDEX ON t (v)'],
])('no row is read twice if %s between two attempts', async (_, ddl) => {
  await database.query(WIDE);
  const delivered = deliveredBy(taskConfig(database, small));
  await delivered.start();
  await delivered.poll();
  await delivered.kill(ddl);
  const ids = readIds(await streamed(delivered));
  expect([ids.length, new Set(ids).size]).toEqual([3000, 3000]);
});

test('rows of an inheritance child that changed between two attempts are not lost', async () => {
  await database.query(`${WIDE}; CREATE TABLE child (PRIMARY KEY (id)) INHERITS (t);
    INSERT INTO child SELECT i, 0 FROM generate_series(3000, 5999) i`);
  const delivered = deliveredBy(taskConfig(database, { ...small, 'table.include.list': 'public.t' }));
  await delivered.start();
  await delivered.poll();
  await delivered.kill('UPDATE child SET v = 1 WHERE id > 5990');
  const ids = new Set((await streamed(delivered)).map(({ value }) => value.after.id as number));
  expect(ids.size).toBe(6001);
});

test('changes of an origin that the stream leaves out are read', async () => {
  await database.query(WIDE);
  const delivered = deliveredBy(taskConfig(database, { ...small, 'slot.stream.params': 'origin=none' }));
  await delivered.start();
  await delivered.poll();
  const origin = `o_${database.name}`;
  await database.query('SELECT pg_replication_origin_create($1)', [origin]);
  try {
    await database.query('SELECT pg_replication_origin_session_setup($1)', [origin]);
    await delivered.kill('UPDATE t SET v = 1 WHERE id > 2990');
    await database.query('SELECT pg_replication_origin_session_reset()');
  } finally {
    await database.query('SELECT pg_replication_origin_drop($1)', [origin]);
  }
  const ids = new Set((await streamed(delivered)).map(({ value }) => value.after.id as number));
  expect(ids.size).toBe(3001);
});

test('a finished table with a custom SELECT is not read again', async () => {
  await database.query(`${WIDE}; CREATE TABLE a (id int PRIMARY KEY, v int); INSERT INTO a VALUES (1, 1), (2, 2)`);
  const config = taskConfig(database, {
    ...small,
    'snapshot.select.statement.overrides': 'public.a',
    'snapshot.select.statement.overrides.public.a': 'SELECT * FROM a WHERE id = 2',
  });
  const delivered = deliveredBy(config);
  await delivered.start();
  await until(delivered, ({ topic }) => topic.endsWith('.t'));
  await delivered.kill();
  const records = await streamed(delivered);
  expect(records.filter(({ topic }) => topic.endsWith('.a')).map(shown)).toEqual(['a r 2 2']);
});

test('a connection lost in the middle: each row is read once', async () => {
  await database.query(WIDE);
  const delivered = deliveredBy(taskConfig(database, small));
  await delivered.start();
  await delivered.poll();
  await database.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND application_name = 'Millrace Snapshot'",
    [database.name],
  );
  const ids = readIds(await streamed(delivered));
  expect([ids.length, new Set(ids).size]).toEqual([3000, 3000]);
});

test('connect-runtime 80: killed after every poll of the stream, no record of a change is repeated', async () => {
  await database.query('CREATE TABLE t (id int PRIMARY KEY, v int)');
  const config = taskConfig(database, {
    'max.batch.size': '1',
    'max.queue.size': '2',
    'provide.transaction.metadata': 'true',
  });
  const delivered = deliveredBy(config);
  await delivered.start();
  await waitFor('the snapshot', async () => (await delivered.poll(), delivered.snapshotCompleted), { everyMs: 0 });
  await database.query('INSERT INTO t VALUES (1, 1), (2, 2); UPDATE t SET id = 3 WHERE id = 1; DELETE FROM t');
  await database.query(`INSERT INTO t VALUES (${DONE}, 0)`);
  const isDone = async (): Promise<boolean> => {
    const batch = await delivered.poll();
    if (batch.length > 0) await delivered.kill();
    return batch.some(({ value }) => value?.after?.id === DONE);
  };
  await waitFor('the last change', isDone, { everyMs: 0 });
  const events = delivered.records
    .filter(({ value }) => value?.after?.id !== DONE)
    .map(({ topic, key, value }) =>
      topic.endsWith('transaction') ? (value.status as string) : `${value?.op ?? 'tombstone'} ${key.id}`,
    );
  const changes = ['c 1', 'c 2', 'd 1', 'tombstone 1', 'c 3', 'd 2', 'tombstone 2', 'd 3', 'tombstone 3'];
  expect(events.slice(0, 11)).toEqual(['BEGIN', ...changes, 'END']);
  expect(delivered.kills).toBeGreaterThan(6);
});

test('connect-runtime 80: an incremental snapshot killed after every poll reads each row once', async () => {
  await database.query(`CREATE TABLE t (id int PRIMARY KEY, v int);
    CREATE TABLE signals (id varchar(42) PRIMARY KEY, type varchar(32) NOT NULL, data varchar(2048) NULL);
    INSERT INTO t SELECT i, 0 FROM generate_series(0, 999) i`);
  const config = taskConfig(database, {
    'snapshot.mode': 'no_data',
    'signal.data.collection': 'public.signals',
    'incremental.snapshot.chunk.size': '100',
  });
  const delivered = deliveredBy(config);
  await delivered.start();
  await database.query(
    `INSERT INTO signals VALUES ('s', 'execute-snapshot', '{"type": "incremental", "data-collections": ["public.t"]}')`,
  );
  const isRead = async (): Promise<boolean> => {
    const batch = await delivered.poll();
    if (batch.some(({ value }) => value?.op === 'r')) await delivered.kill();
    return readIds(delivered.records).length >= 1000;
  };
  await waitFor('the rows', isRead, { everyMs: 0 });
  const ids = readIds(await streamed(delivered));
  expect([ids.length, new Set(ids).size]).toEqual([1000, 1000]);
  expect(delivered.kills).toBeGreaterThan(5);
});

test('the records of a change stay together where its columns are read again', async () => {
  await database.query(`CREATE TABLE t (id int PRIMARY KEY, v int, w text);
    ALTER TABLE t ALTER COLUMN w SET STORAGE EXTERNAL;
    INSERT INTO t SELECT i, 0, repeat('w', 200000) FROM generate_series(0, 149) i`);
  const config = taskConfig(database, {
    'snapshot.mode': 'no_data',
    'post.processors': 'again',
    'again.type': 'io.debezium.processors.reselect.ReselectColumnsPostProcessor',
  });
  const delivered = deliveredBy(config);
  await delivered.start();
  await database.query('UPDATE t SET id = id + 1000');
  await database.query(`INSERT INTO t VALUES (${DONE}, 0)`);
  const isDone = async (): Promise<boolean> => {
    const batch = await delivered.poll();
    if (batch.length > 0) await delivered.kill();
    return batch.some(({ value }) => value?.after?.id === DONE);
  };
  await waitFor('the last change', isDone, { everyMs: 0 });
  const events = delivered.records.map(({ key, value }) => `${value?.op ?? 'tombstone'} ${key.id}`);
  expect([events.length, new Set(events).size]).toEqual([451, 451]);
  expect(delivered.kills).toBeGreaterThan(1);
  expect(delivered.records.filter(({ value }) => value?.after?.w?.length === 200_000)).toHaveLength(150);
});
