/** Another session holds the lock of one table, as a long ALTER TABLE does: the other tables do not wait for it. */
import type { Client } from 'pg';
import { TestDatabase } from '../../helpers/test-database';
import { TaskRun, taskConfig, type AnyRecord } from './harness';

const TABLES = `CREATE TABLE b (id int PRIMARY KEY, v int DEFAULT 7, g int GENERATED ALWAYS AS (id) STORED);
  CREATE TABLE z (id int PRIMARY KEY, v text NOT NULL DEFAULT 'x', w timestamp NOT NULL DEFAULT now());
  CREATE TABLE beat (id serial); CREATE TABLE signals (id text PRIMARY KEY, type text, data text);
  INSERT INTO z VALUES (1), (2), (3);`;

let database: TestDatabase;
let run: TaskRun | null = null;
let holder: Client | null = null;
afterEach(async () => {
  await holder?.end();
  holder = null;
  await run?.stop();
  run = null;
  await database.drop();
});

const hasEvent = (table: string, records: readonly AnyRecord[]): boolean =>
  records.some(({ topic, value }) => topic === `fulfillment.public.${table}` && value.op === 'c');
const tables = (names: string, more: Record<string, string> = {}): Record<string, string> =>
  taskConfig(database, { 'snapshot.mode': 'no_data', 'table.include.list': names, ...more });

/** Until `release`. */
async function hold(table: string): Promise<void> {
  holder = await database.connect();
  await holder.query(`BEGIN; ALTER TABLE ${table} ADD COLUMN added int`);
}

async function release(): Promise<void> {
  await holder?.query('COMMIT');
}

test('events of all tables arrive while an ALTER TABLE of one of them runs, also after a restart', async () => {
  database = await TestDatabase.create(TABLES);
  const config = tables('public.b,public.z');
  run = await TaskRun.start(config);
  await database.query('INSERT INTO z VALUES (4)');
  await hold('z');
  await database.query('INSERT INTO b VALUES (1)');
  await run.until((records) => hasEvent('b', records));
  expect(run.records.map(({ value }) => [value.source.table, value.after.id])).toEqual([
    ['z', 4],
    ['b', 1],
  ]);
  const fields = run.records[0]?.valueSchema?.fields?.find(({ name }) => name === 'after')?.schema.fields ?? [];
  expect(fields.map(({ name, schema }) => [name, schema.default])).toEqual([
    ['id', undefined],
    ['v', 'x'],
    ['w', 0],
  ]);
  const stored = run.commitUpTo();
  await run.stop();
  run = await TaskRun.start(config, stored);
  await database.query('INSERT INTO b VALUES (2)');
  await run.until((records) => hasEvent('b', records));
});

test('a heartbeat action query that waits for a lock does not stop the stream, and is canceled', async () => {
  database = await TestDatabase.create(TABLES);
  run = await TaskRun.start(
    tables('public.b', {
      ...{ 'heartbeat.interval.ms': '50', 'heartbeat.action.query': 'INSERT INTO beat DEFAULT VALUES' },
      'database.query.timeout.ms': '1000',
    }),
  );
  const beats = async (): Promise<number> => (await database.query('SELECT FROM beat')).length;
  await run.until((records) => records.length > 1);
  await hold('beat');
  await database.query('INSERT INTO b VALUES (1)');
  await run.until((records) => hasEvent('b', records));
  const { log } = run;
  await run.until(() => log.some(({ message }) => /heartbeat action query .*57014/.test(message)));
  await release();
  const before = await beats();
  let after = before;
  await run.until(() => {
    void beats().then((count) => (after = count));
    return after > before;
  });
});

test('an incremental snapshot that waits for the lock of its table delays no event', async () => {
  database = await TestDatabase.create(TABLES);
  run = await TaskRun.start(tables('public.b,public.z', { 'signal.data.collection': 'public.signals' }));
  await database.query(
    `INSERT INTO signals VALUES ('s', 'execute-snapshot', '{"data-collections": ["public.z"], "type": "incremental"}')`,
  );
  await hold('z');
  await run.until((records) => hasEvent('signals', records));
  const waits = `SELECT FROM pg_locks WHERE relation = 'z'::regclass AND NOT granted`;
  let waiting = 0;
  await run.until(() => {
    void database.query(waits).then(({ length }) => (waiting = length));
    return waiting > 0;
  });
  await database.query('INSERT INTO b VALUES (1)');
  await run.until((records) => hasEvent('b', records));
  await release();
  await run.until((records) => records.filter(({ value }) => value.op === 'r').length === 3);
});

test('an incremental snapshot that waits for the lock of the signal table delays no event, and logs the wait', async () => {
  database = await TestDatabase.create(TABLES);
  const settings = { 'signal.data.collection': 'public.signals', 'snapshot.lock.timeout.ms': '3000' };
  run = await TaskRun.start(tables('public.b,public.z', settings));
  await database.query(
    `INSERT INTO signals VALUES ('s', 'execute-snapshot', '{"data-collections": ["public.z"], "type": "incremental"}')`,
  );
  await hold('signals');
  await run.until((records) => hasEvent('signals', records));
  const { log } = run;
  const says =
    (text: RegExp): (() => boolean) =>
    () =>
      log.some(({ message }) => text.test(message));
  await run.until(
    says(
      /^Marking a chunk of public\.z in the signal table waits for the lock of table public\.signals \(process \d+\)/,
    ),
  );
  await run.until(says(/^Reading a chunk of public\.z failed \(.*lock timeout.*retrying/));
  await database.query('INSERT INTO b VALUES (1)');
  await run.until((records) => hasEvent('b', records));
  await release();
  await run.until((records) => records.filter(({ value }) => value.op === 'r').length === 3);
});

test.each(['1', '2'])(
  'a snapshot with %s connection(s) reads the other tables while one is locked',
  async (threads) => {
    database = await TestDatabase.create(`${TABLES} INSERT INTO b SELECT generate_series(1, 2000);
    CREATE TABLE a AS SELECT i AS id FROM generate_series(1, 2000) i; CREATE TABLE zz AS TABLE a`);
    run = await TaskRun.start(
      tables('public.a,public.b,public.z,public.zz', {
        ...{ 'snapshot.mode': 'initial', 'snapshot.max.threads': threads, 'snapshot.delay.ms': '1' },
        ...{ 'max.batch.size': '100', 'max.queue.size': '200', 'snapshot.fetch.size': '100' },
      }),
    );
    await run.count(100);
    await hold('z');
    const read = (table: string): number =>
      (run as TaskRun).records.filter(({ topic }) => topic === `fulfillment.public.${table}`).length;
    await run.until(() => read('b') === 2000 && read('zz') >= 1999 && read('a') === 2000);
    expect(read('z')).toBe(0);
    const { log } = run;
    await run.until(() =>
      log.some(({ message }) => /^Table public\.z is locked by another session \(process \d+\)/.test(message)),
    );
    await release();
    await run.until((records) => records.at(-1)?.value.source.snapshot === 'last');
    expect(read('z')).toBe(3);
  },
);

test.each([
  ['a whole table', ''],
  ['a row filter', ' WHERE (id > 0)'],
])(
  'an exactly-once snapshot, and a restart, wait for no lock of a table that is not captured: %s in the publication',
  async (_, filter) => {
    database = await TestDatabase.create(`${TABLES} INSERT INTO b VALUES (1)`);
    await database.query(`CREATE PUBLICATION pub_${database.name} FOR TABLE b, z${filter}`);
    const config = tables('public.b', { 'snapshot.mode': 'initial', 'publication.autocreate.mode': 'disabled' });
    run = await TaskRun.start(config, null, undefined, true);
    // A slot is created when all transactions have ended.
    await hold('z');
    await run.count(1);
    await database.query('INSERT INTO b VALUES (2)');
    await run.until((records) => hasEvent('b', records));
    const stored = run.commitUpTo();
    await run.stop();
    run = await TaskRun.start(config, stored, undefined, true);
    await database.query('INSERT INTO b VALUES (3)');
    await run.until((records) => hasEvent('b', records));
  },
);
