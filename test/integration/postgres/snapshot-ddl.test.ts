/** Tables that are altered, renamed, moved or replaced after an initial snapshot has begun and before it reads them. */
import { TestDatabase } from '../../helpers/test-database';
import { waitFor } from '../../helpers/wait-for';
import { Delivered } from './exactly-once-harness';
import { TaskRun, taskConfig, type AnyRecord } from './harness';

const LATER = 'CREATE TABLE z (id int PRIMARY KEY, v int); INSERT INTO z SELECT i, i FROM generate_series(1, 100) i';
const MANY = `CREATE SCHEMA s; CREATE TABLE s.z (id int PRIMARY KEY, v int);
  INSERT INTO s.z SELECT i, i FROM generate_series(1, 40000) i; ANALYZE s.z`;

let database: TestDatabase;
let stop: () => Promise<void> = async () => undefined;
afterEach(async () => {
  await stop();
  await database.drop();
});

const isLast = (records: readonly AnyRecord[]): boolean => records.at(-1)?.value.source.snapshot === 'last';
/** `schema.table row` */
const rowsOf = (records: readonly AnyRecord[], table: string): string[] => [
  ...new Set(
    records.flatMap(({ topic, value }) =>
      topic === `fulfillment.${table}` && value.op === 'r' ? [JSON.stringify(value.after)] : [],
    ),
  ),
];
const config = (more: Record<string, string> = {}): Record<string, string> =>
  taskConfig(database, {
    ...{ 'max.batch.size': '300', 'max.queue.size': '400', 'snapshot.fetch.size': '300' },
    ...{ 'table.include.list': 'public.a,public.z,public.moved,s.*', ...more },
  });

async function create(later: string): Promise<void> {
  database = await TestDatabase.create(`CREATE TABLE a (id int PRIMARY KEY, v int);
    INSERT INTO a SELECT i, 0 FROM generate_series(1, 3000) i; ${later}`);
}

const first = (rows: readonly string[]): unknown => (rows[0] === undefined ? null : (JSON.parse(rows[0]) as unknown));

test.each([
  ['renamed', 'ALTER TABLE z RENAME TO moved', 'public.moved', { id: 1, v: 1 }],
  ['moved to another schema', 'CREATE SCHEMA s; ALTER TABLE z SET SCHEMA s', 's.z', { id: 1, v: 1 }],
  [
    'swapped',
    'CREATE TABLE n AS SELECT id, v + 1 AS v FROM z; ALTER TABLE z RENAME TO o; ALTER TABLE n RENAME TO z',
    'public.z',
    { id: 1, v: 2 },
  ],
  ['dropped and created again', `DROP TABLE z; ${LATER}`, 'public.z', { id: 1, v: 1 }],
  ['given another column name', 'ALTER TABLE z RENAME COLUMN v TO w', 'public.z', { id: 1, w: 1 }],
  ['deprived of a column', 'ALTER TABLE z DROP COLUMN v', 'public.z', { id: 1 }],
  [
    'given a column of the same name',
    "ALTER TABLE z DROP COLUMN v; ALTER TABLE z ADD COLUMN v text DEFAULT 'x'",
    'public.z',
    { id: 1, v: 'x' },
  ],
])(
  'cdc-postgres 31: a table is %s before the initial snapshot reads it: all its rows arrive',
  async (_, ddl, table, row) => {
    await create(LATER);
    const run = await TaskRun.start(config());
    stop = () => run.stop();
    await run.until(({ length }) => length > 0);
    for (const statement of ddl.split('; ')) await database.query(statement);
    await run.until(isLast);
    const rows = rowsOf(run.records, table);
    expect([rows.length, first(rows), rowsOf(run.records, 'public.a').length]).toEqual([100, row, 3000]);
    expect(run.log.filter(({ level, message }) => level === 'warn' && message.includes('public.z'))).toHaveLength(1);
  },
);

test('cdc-postgres 31: a schema is renamed between two chunks of a table: all its rows arrive under the new name', async () => {
  await create(MANY);
  const run = await TaskRun.start(config({ 'table.include.list': 's.z,t.z' }));
  stop = () => run.stop();
  await run.until(({ length }) => length > 0);
  await database.query('ALTER SCHEMA s RENAME TO t');
  await run.until(isLast);
  expect(rowsOf(run.records, 't.z')).toHaveLength(40_000);
});

test('cdc-postgres 31: a table is renamed to a name that is not captured: a warning names it', async () => {
  await create(LATER);
  const run = await TaskRun.start(config());
  stop = () => run.stop();
  await run.until(({ length }) => length > 0);
  await database.query('ALTER TABLE z RENAME TO other');
  await run.until((records) => rowsOf(records, 'public.a').length === 3000 || isLast(records));
  await waitFor('the end', async () => (await run.poll(), isLast(run.records)), { everyMs: 0 });
  const warnings = run.log.filter(({ message }) => message.includes('public.z') && message.includes('public.other'));
  expect(warnings.map(({ level }) => level)).toEqual(['warn']);
});

test('exactly-once, a table is renamed and one is altered before they are read: each row is read once', async () => {
  await create(`${LATER}; CREATE TABLE s1 (id int)`);
  const delivered = new Delivered(database, config());
  stop = () => delivered.stop();
  await delivered.start();
  await waitFor('rows', async () => (await delivered.poll()).length > 0, { everyMs: 0 });
  await database.query('ALTER TABLE z RENAME COLUMN v TO w');
  await database.query('ALTER TABLE z RENAME TO moved');
  await waitFor('the snapshot', async () => isLast(await delivered.poll()), { everyMs: 0 });
  const reads = delivered.records.filter(({ value }) => value.op === 'r');
  expect([reads.length, rowsOf(reads, 'public.moved').length]).toEqual([3100, 100]);
  expect(first(rowsOf(reads, 'public.moved'))).toEqual({ id: 1, w: 1 });
});
