/** Values without a Connect form, by snapshot and by stream. Source: cdc-postgres §3.2, §3.4, Appendix R.5, R.11. */
import { TestDatabase } from '../../helpers/test-database';
import { TaskRun, taskConfig, type AnyRecord } from './harness';

let database: TestDatabase;
let run: TaskRun | null = null;
beforeEach(async () => {
  database = await TestDatabase.create();
});
afterEach(async () => {
  await run?.stop();
  run = null;
  await database.drop();
});

const warnings = (of: TaskRun): string[] =>
  of.log.flatMap(({ level, message }) => (level === 'warn' && message.includes(' holds ') ? [message] : []));

/** What the task fails with on a row that its snapshot reads, and on one that its stream brings. */
async function failures(definition: string, values: string): Promise<string[]> {
  await database.query(`DROP TABLE IF EXISTS v; CREATE TABLE v (id int PRIMARY KEY, ${definition})`);
  const said: string[] = [];
  const failed = async (next: () => Promise<unknown>): Promise<void> => {
    await next().then(
      () => said.push('no failure'),
      (error: Error) => said.push(error.message),
    );
  };
  const streaming = await TaskRun.start(taskConfig(database, { 'snapshot.mode': 'no_data' }));
  await database.query(`INSERT INTO v VALUES (1, ${values})`);
  await failed(async () => await streaming.count(1));
  await streaming.stop();
  const reading = await TaskRun.start(taskConfig(database, { 'snapshot.mode': 'initial_only' }));
  await failed(async () => await reading.count(1));
  await reading.stop();
  return said;
}

test('NaN in a required column fails with its name although another column of the row contains NaN, too', async () => {
  const said = await failures('a numeric(5,2) NOT NULL, b numeric, c numeric(5,2)', "'NaN', 'NaN', 'NaN'");
  const sentence =
    'Invalid value: null used for required field: "a" of table public.v: it holds NaN or infinity, which decimal.handling.mode=precise cannot express. Set decimal.handling.mode to string or double.';
  expect(said).toEqual([sentence, sentence]);
});

test('NaN in old and new row: both are null, one warning per column', async () => {
  await database.query(
    "CREATE TABLE v (id int PRIMARY KEY, a numeric(5,2), b numeric, c numeric(5,2) NOT NULL DEFAULT 7.5, d numeric[]); INSERT INTO v VALUES (1, 'NaN', 'Infinity', 'NaN', '{1,NaN}')",
  );
  await database.query('ALTER TABLE v REPLICA IDENTITY FULL');
  run = await TaskRun.start(taskConfig(database));
  const [read] = (await run.count(1)) as [AnyRecord];
  await database.query("UPDATE v SET d = '{NaN}'");
  const [, updated] = (await run.count(2)) as [AnyRecord, AnyRecord];
  const row = { id: 1, a: null, b: null, c: { unscaled: 750n, scale: 2 }, d: null };
  expect([read.value.after, updated.value.before, updated.value.after]).toEqual([row, row, row]);
  const nan = 'holds NaN or infinity, which decimal.handling.mode=precise cannot express: such values are published as';
  expect(warnings(run)).toEqual([
    `Column public.v.a ${nan} null.`,
    `Column public.v.b ${nan} null.`,
    `Column public.v.c ${nan} the column's default.`,
    `Column public.v.d ${nan} null.`,
  ]);
});

const VOIDED = [
  ['int[]', "'{{1,2},{3,4}}'", 'an array of more than one dimension, which an array of one item schema cannot express'],
  ['mood[]', "'{ok,NULL}'", 'an array with a NULL among its elements, which arrays of its type cannot have in events'],
  ['ltree[]', "'{a,NULL}'", 'an array with a NULL among its elements, which arrays of its type cannot have in events'],
  ['isbn[]', "'{NULL}'", 'an array with a NULL among its elements, which arrays of its type cannot have in events'],
] as const;

describe('cdc-postgres 59: an array without a Connect form', () => {
  beforeEach(async () => {
    await database.query("CREATE EXTENSION ltree; CREATE EXTENSION isn; CREATE TYPE mood AS ENUM ('sad', 'ok')");
  });

  test('is null, with one warning per column that gives the reason', async () => {
    const columns = VOIDED.map(([type], i) => `c${i} ${type}`).join(', ');
    const values = VOIDED.map(([, value]) => value).join(', ');
    await database.query(`CREATE TABLE v (${columns}); INSERT INTO v VALUES (${values}), (${values})`);
    run = await TaskRun.start(taskConfig(database));
    await run.count(2);
    await database.query(`INSERT INTO v VALUES (${values})`);
    const records = await run.count(3);
    const nulls = Object.fromEntries(VOIDED.map((_, i) => [`c${i}`, null]));
    expect(records.map((record) => record.value.after)).toEqual([nulls, nulls, nulls]);
    expect(warnings(run)).toEqual(
      VOIDED.map(([, , what], i) => `Column public.v.c${i} holds ${what}: such values are published as null.`),
    );
  });

  test.each(VOIDED)(
    '%s NOT NULL: the task fails with advice, and runs once the advice is followed',
    async (type, value, what) => {
      const sentence = `Invalid value: null used for required field: "a" of table public.v: it holds ${what}. Make the column nullable, or leave it out with column.exclude.list.`;
      expect(await failures(`a ${type} NOT NULL`, value)).toEqual([sentence, sentence]);
      const without = await TaskRun.start(taskConfig(database, { 'column.exclude.list': 'public.v.a' }));
      expect((await without.count(1))[0]?.value.after).toEqual({ id: 1 });
      await without.stop();
      await database.query('ALTER TABLE v ALTER a DROP NOT NULL');
      run = await TaskRun.start(taskConfig(database, { 'slot.name': `${database.slot}_2` }));
      expect((await run.count(1))[0]?.value.after).toEqual({ id: 1, a: null });
    },
  );

  test('as a key: the advice suggests another key', async () => {
    await database.query("CREATE TABLE v (id int[] PRIMARY KEY); INSERT INTO v VALUES ('{{1},{2}}')");
    run = await TaskRun.start(taskConfig(database));
    await expect(run.count(1)).rejects.toThrow(
      'Name other columns for the key with message.key.columns, and leave this one out with column.exclude.list.',
    );
  });
});
