/**
 * Tables that are rewritten after the snapshot was taken and before it reads them: to an older snapshot they are empty
 * (PostgreSQL's "Caveats" of concurrency control), and the stream does not have their rows either.
 */
import type { Client } from 'pg';
import type { Session } from '../../../connectors/postgres/src/session';
import { SnapshotStorage } from '../../../connectors/postgres/src/snapshot/rewritten-tables';
import { TestDatabase } from '../../helpers/test-database';
import { waitFor } from '../../helpers/wait-for';
import { Delivered } from './exactly-once-harness';
import { TaskRun, taskConfig, type AnyRecord } from './harness';

const LATER = 'CREATE TABLE z (id int PRIMARY KEY, v int); INSERT INTO z SELECT i, i FROM generate_series(1, 100) i';
const PARTS = `CREATE TABLE z (id int PRIMARY KEY, v int) PARTITION BY HASH (id);
  CREATE TABLE z0 PARTITION OF z FOR VALUES WITH (MODULUS 2, REMAINDER 0);
  CREATE TABLE z1 PARTITION OF z FOR VALUES WITH (MODULUS 2, REMAINDER 1);
  INSERT INTO z SELECT i, i FROM generate_series(1, 100) i`;

let database: TestDatabase;
let stop: () => Promise<void> = async () => undefined;
afterEach(async () => {
  await stop();
  await database.drop();
});

const isLast = (records: readonly AnyRecord[]): boolean => records.at(-1)?.value.source.snapshot === 'last';
const readsOf = (records: readonly AnyRecord[], table: string): string[] =>
  records.flatMap(({ topic, value }) => (topic.endsWith(`.${table}`) ? [`${table} ${value.after.id}`] : []));
const config = (): Record<string, string> =>
  taskConfig(database, {
    ...{ 'max.batch.size': '300', 'max.queue.size': '400', 'snapshot.fetch.size': '300' },
    ...{ 'publish.via.partition.root': 'true', 'table.include.list': 'public.a,public.z' },
  });

async function create(later: string): Promise<void> {
  database = await TestDatabase.create(`CREATE TABLE a (id int PRIMARY KEY, v int);
    INSERT INTO a SELECT i, 0 FROM generate_series(1, 3000) i; ${later}`);
}

test.each([
  ['ALTER TABLE z ALTER COLUMN v TYPE bigint', LATER, 100],
  ['ALTER TABLE z0 SET UNLOGGED', PARTS, 100],
  ['ALTER TABLE z0 SET UNLOGGED; ALTER TABLE z0 SET LOGGED', PARTS.replace('v int', 'v text'), 100],
  ['VACUUM FULL z', LATER, 100],
  ['TRUNCATE z', LATER, 0],
])('%s before the snapshot reaches the table: no row is missing', async (ddl, later, rows) => {
  await create(later);
  const run = await TaskRun.start(config());
  stop = () => run.stop();
  await run.until(({ length }) => length > 0);
  await database.query(ddl);
  await run.until(isLast);
  expect(new Set(readsOf(run.records, 'z')).size).toBe(rows);
  expect(new Set(readsOf(run.records, 'a')).size).toBe(3000);
  const warnings = run.log.filter(({ message }) => /was (rewritten|given other columns)/.test(message));
  expect(warnings).toHaveLength(ddl.startsWith('ALTER') ? 1 : 0);
});

/** As tools do that compact a table: the copy's file becomes the table's. */
const REPLACE = `CREATE TABLE copy AS SELECT * FROM z;
  WITH files AS (SELECT oid, relfilenode FROM pg_class WHERE oid IN ('z'::regclass, 'copy'::regclass))
  UPDATE pg_class SET relfilenode = files.relfilenode FROM files
  WHERE pg_class.oid IN ('z'::regclass, 'copy'::regclass) AND files.oid <> pg_class.oid`;
const UNDONE = 'ALTER TABLE z0 SET UNLOGGED; ALTER TABLE z0 SET LOGGED';
const GRANT = 'GRANT SELECT ON z0 TO PUBLIC';
/** By a command with a higher number than those of the rewrites. */
const CHANGED = `BEGIN; DO 'BEGIN FOR i IN 1..100 LOOP DELETE FROM z WHERE false; END LOOP; END'; UPDATE z SET v = 0; ROLLBACK`;

test.each([
  ['the file of a table is replaced', LATER, REPLACE.split(';')],
  ['the file of a table is replaced by one transaction', LATER, [REPLACE]],
  ['a table without TOAST is rewritten twice', PARTS, UNDONE.split(';')],
  ['a table is rewritten twice, and rows are inserted', PARTS, [`${UNDONE}; INSERT INTO z VALUES (-1), (-2), (-3)`]],
  ['a table is rewritten twice, its rows are changed, which is rolled back', PARTS, [UNDONE, CHANGED]],
  [
    'a table is rewritten twice, a privilege is granted, which is rolled back',
    PARTS,
    [UNDONE, `BEGIN; ${GRANT}; ROLLBACK`],
  ],
  ['a table is rewritten twice, and a privilege is granted', PARTS, [UNDONE, GRANT]],
])('%s before the snapshot reaches it: no row is missing', async (_, later, statements) => {
  await create(later);
  const run = await TaskRun.start(config());
  stop = () => run.stop();
  await run.until(({ length }) => length > 0);
  for (const statement of statements) await database.query(statement);
  await run.until(isLast);
  const read = readsOf(run.records, 'z').filter((id) => !id.includes('-'));
  expect(new Set(read).size).toBe(100);
});

test.each([
  ['TRUNCATE z', 'INSERT INTO z VALUES (1, 1), (2, 2)'],
  ['BEGIN; TRUNCATE z; INSERT INTO z VALUES (1, 1), (2, 2); COMMIT'],
  ['BEGIN; SAVEPOINT s; TRUNCATE z; INSERT INTO z VALUES (1, 1); SAVEPOINT t; INSERT INTO z VALUES (2, 2); COMMIT'],
])(
  'exactly-once, rows inserted after a TRUNCATE before the snapshot reaches the table are streamed only: %s',
  async (...statements) => {
    await create(LATER);
    const delivered = new Delivered(database, config());
    stop = () => delivered.stop();
    await delivered.start();
    await waitFor('rows', async () => (await delivered.poll()).length > 0, { everyMs: 0 });
    for (const statement of statements) await database.query(statement);
    const ofZ = (): AnyRecord[] => delivered.records.filter(({ topic }) => topic.endsWith('.z'));
    await waitFor('the insert', async () => (await delivered.poll(), ofZ().length >= 2), { everyMs: 0 });
    expect(ofZ().map(({ value }) => `${value.op} ${value.after.id}`)).toEqual(['c 1', 'c 2']);
    expect(new Set(readsOf(delivered.records, 'a')).size).toBe(3000);
  },
);

test('a statement that waits for the locks of the snapshot does not stop it', async () => {
  await create(LATER);
  const run = await TaskRun.start(config());
  stop = () => run.stop();
  await run.until(({ length }) => length > 0);
  const other = await database.connect();
  const altered = other.query('ALTER TABLE a ADD COLUMN w int').finally(() => other.end());
  const waits = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  await waitFor('the lock', async () => (await database.query(waits)).length > 0);
  await run.until(isLast);
  await altered;
  expect(new Set(readsOf(run.records, 'a')).size).toBe(3000);
});

test('exactly-once, each row is read once although a table is rewritten before the snapshot reaches it', async () => {
  await create(LATER);
  const delivered = new Delivered(database, config());
  stop = () => delivered.stop();
  await delivered.start();
  await waitFor('rows', async () => (await delivered.poll()).length > 0, { everyMs: 0 });
  await database.query('ALTER TABLE z ADD COLUMN r float DEFAULT random()');
  await waitFor('the snapshot', async () => isLast(await delivered.poll()), { everyMs: 0 });
  const ids = [...readsOf(delivered.records, 'a'), ...readsOf(delivered.records, 'z')];
  expect([ids.length, new Set(ids).size]).toEqual([3100, 3100]);
});

test('the search_path of a connection does not matter', async () => {
  await create(`${LATER}; CREATE SCHEMA other; CREATE TABLE other.z AS SELECT 1`);
  const run = await TaskRun.start({ ...config(), 'snapshot.delay.ms': '200' });
  stop = () => run.stop();
  await database.query(`ALTER DATABASE ${database.name} SET search_path = other`);
  await run.until(({ length }) => length > 0);
  await database.query('ALTER TABLE public.z ALTER COLUMN v TYPE bigint');
  await run.until(isLast);
  expect(new Set(readsOf(run.records, 'z')).size).toBe(100);
});

const LOCK_WAIT = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
const readBySnapshot = (table: string): string =>
  `SELECT FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE relation = '${table}'::regclass AND application_name = 'Millrace Snapshot'`;

test('several connections: a statement that waits for a table that only one of them has begun does not stop them', async () => {
  await create(
    'CREATE TABLE z (id int PRIMARY KEY, v int); INSERT INTO z SELECT i, i FROM generate_series(1, 30000) i',
  );
  const run = await TaskRun.start({ ...config(), 'snapshot.max.threads': '2' });
  stop = () => run.stop();
  await run.until(({ length }) => length > 0);
  await waitFor('a connection in z', async () => (await database.query(readBySnapshot('z'))).length > 0);
  const other = await database.connect();
  const altered = other.query('ALTER TABLE z ADD COLUMN w int').finally(() => other.end());
  await waitFor('the lock', async () => (await database.query(LOCK_WAIT)).length > 0);
  await run.until(isLast);
  await altered;
  expect(new Set(readsOf(run.records, 'z')).size).toBe(30000);
});

test('several connections: rewritten tables are checked while a statement waits for one of them', async () => {
  await create(`CREATE TABLE b (id int PRIMARY KEY, v int); INSERT INTO b SELECT i, i FROM generate_series(1, 600) i;
    CREATE TABLE z (id int PRIMARY KEY, v int); INSERT INTO z SELECT i, i FROM generate_series(1, 3000) i`);
  const tables = { 'table.include.list': 'public.a,public.b,public.z' };
  const run = await TaskRun.start({ ...config(), ...tables, 'snapshot.max.threads': '2' });
  stop = () => run.stop();
  await run.until(({ length }) => length > 0);
  await database.query('VACUUM FULL z');
  await run.until((records) => readsOf(records, 'z').length > 0);
  const other = await database.connect();
  const altered = other.query('ALTER TABLE z ADD COLUMN w int').finally(() => other.end());
  await waitFor('the lock', async () => (await database.query(LOCK_WAIT)).length > 0);
  await run.until(isLast);
  await altered;
  expect(new Set(readsOf(run.records, 'z')).size).toBe(3000);
});

test('a table is dropped while it is looked at: the snapshot is taken again', async () => {
  await create(LATER);
  const [reader, other] = [await database.connect(), await database.connect()];
  stop = async () => void (await Promise.all([reader.end(), other.end()]));
  // The check reads the catalog first.
  const query = async (text: string, values: unknown[]): Promise<unknown> => {
    const result = await other.query(text, values);
    await other.query('DROP TABLE z');
    return result;
  };
  await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  const { rows } = await reader.query<{ oid: number }>("SELECT 'z'::regclass::oid AS oid");
  const oids = rows.map(({ oid }) => oid);
  const storage = await SnapshotStorage.read({} as Session, reader, oids);
  await other.query('TRUNCATE z');
  const check = storage.check(reader, { query } as unknown as Client, oids);
  await expect(check).rejects.toMatchObject({ code: 'PG_SNAPSHOT_REWRITTEN', retriable: true });
});
