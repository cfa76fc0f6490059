/** Generated columns: which of them changes hold, beside those that they do not hold, and in keys. */
import { TestDatabase } from '../../helpers/test-database';
import { TaskRun, taskConfig, type AnyRecord } from './harness';

let database: TestDatabase;
const runs: TaskRun[] = [];
beforeEach(async () => {
  database = await TestDatabase.create();
});
afterEach(async () => {
  for (const run of runs.splice(0)) await run.stop();
  await database.drop();
});

async function start(settings: Record<string, string> = {}): Promise<TaskRun> {
  const run = await TaskRun.start(taskConfig(database, settings));
  runs.push(run);
  return run;
}
const after = (records: readonly AnyRecord[]): unknown[] => records.map(({ value }) => value.after);

test.each([
  ['publish_generated_columns', 'FOR TABLE t WITH (publish_generated_columns = stored)'],
  ['a column list', 'FOR TABLE t (id, n, stored, note)'],
])('cdc-postgres 64: columns beside a virtual one keep their values with %s', async (_, publication) => {
  await database.query(`
    CREATE TABLE t (
      id int PRIMARY KEY, virt int GENERATED ALWAYS AS (n * 100) VIRTUAL, n int,
      stored int GENERATED ALWAYS AS (n + id) STORED, note text);
    INSERT INTO t (id, n, note) VALUES (1, 5, 'read');
    ALTER DATABASE ${database.name} SET debug_logical_replication_streaming = immediate;
    CREATE PUBLICATION p ${publication}`);
  const settings = { 'publication.name': 'p', 'publication.autocreate.mode': 'disabled' };
  const plain = await start(settings);
  await plain.count(1);
  const streamed = await start({
    ...settings,
    'snapshot.mode': 'no_data',
    'slot.name': `streamed_${database.name}`,
    'pgoutput.streaming': 'on',
  });
  await database.query(
    "INSERT INTO t (id, n, note) VALUES (2, 6, 'new'); UPDATE t SET n = 7 WHERE id = 2; DELETE FROM t WHERE id = 2",
  );
  const records = (await plain.count(5)).slice(0, 4);
  const changed = [
    { id: 2, virt: null, n: 6, stored: 8, note: 'new' },
    { id: 2, virt: null, n: 7, stored: 9, note: 'new' },
  ];
  expect(after(records)).toEqual([{ id: 1, virt: 500, n: 5, stored: 6, note: 'read' }, ...changed, null]);
  expect(new Set(records.map(({ valueSchema }) => valueSchema)).size).toBe(1);
  expect(after((await streamed.count(4)).slice(0, 3))).toEqual([...changed, null]);
  const { rows } = await database.client.query(
    `SELECT stream_txns > 0 AS streamed FROM pg_stat_replication_slots WHERE slot_name = 'streamed_${database.name}'`,
  );
  expect(rows).toEqual([{ streamed: true }]);
});

/** `g` is sent with changes in none of them unless the publication says so. */
const WITH_KEYS = `
  CREATE TABLE alone (id int, v text, g int GENERATED ALWAYS AS (id * 10) STORED PRIMARY KEY);
  CREATE TABLE composite (id int, v text, g int GENERATED ALWAYS AS (id * 10) STORED, PRIMARY KEY (id, g));
  CREATE TABLE uniquely (id int, v text, g int GENERATED ALWAYS AS (id * 10) STORED NOT NULL, UNIQUE (g, id));
  CREATE TABLE configured (id int PRIMARY KEY, v text, g int GENERATED ALWAYS AS (id * 10) STORED)`;
const NAMES = ['alone', 'composite', 'uniquely', 'configured'];
const insert = (id: number): string => NAMES.map((table) => `INSERT INTO ${table} (id) VALUES (${id})`).join(';');
const CONFIGURED = { 'message.key.columns': 'public.configured:g' };
/** Keys of all tables, of the snapshot and of the stream. */
const keys = async (run: TaskRun): Promise<unknown[][]> => {
  const records = await run.count(2 * NAMES.length);
  return NAMES.map((table) =>
    records.filter(({ topic, value }) => topic.endsWith(table) && value !== null).map(({ key }) => key),
  );
};

test('cdc-postgres 64: a generated key column that is not sent fails the task before its first record', async () => {
  await database.query(`${WITH_KEYS}; ${insert(1)}`);
  for (const table of NAMES) {
    const settings = {
      ...CONFIGURED,
      'table.include.list': `public.${table}`,
      'publication.autocreate.mode': 'filtered',
    };
    const failed = (async () => {
      const run = await start({ ...settings, 'slot.name': `${table}_${database.name}`, 'publication.name': table });
      await run.count(1);
    })();
    await expect(failed).rejects.toMatchObject({
      code: 'PG_INCOMPLETE_KEY',
      place: { table: `public.${table}`, column: 'g' },
    });
  }
});

test('cdc-postgres 64: event.incomplete.key.handling=warn leaves an unsent key column out of snapshot and stream', async () => {
  await database.query(`${WITH_KEYS}; ${insert(1)}`);
  const run = await start({ ...CONFIGURED, 'event.incomplete.key.handling': 'warn' });
  await run.count(NAMES.length);
  await database.query(`${insert(2)}; ${NAMES.map((table) => `ALTER TABLE ${table} DROP v`).join(';')}`);
  expect(await keys(run)).toEqual([
    [null, null],
    [{ id: 1 }, { id: 2 }],
    [{ id: 1 }, { id: 2 }],
    [null, null],
  ]);
  const warnings = run.log.filter(({ message }) => message.includes('contains the generated column g'));
  expect(new Set(warnings.map(({ message }) => message)).size).toBe(NAMES.length);
});

test('cdc-postgres 64: a generated key column that the publication sends stays in snapshot and stream', async () => {
  await database.query(`${WITH_KEYS}; ${insert(1)}`);
  await database.query('CREATE PUBLICATION p FOR ALL TABLES WITH (publish_generated_columns = stored)');
  const run = await start({ ...CONFIGURED, 'publication.name': 'p', 'publication.autocreate.mode': 'disabled' });
  await run.count(NAMES.length);
  await database.query(`${insert(2)}; ${NAMES.map((table) => `ALTER TABLE ${table} DROP v`).join(';')}`);
  const pairs = [1, 2].map((id) => ({ id, g: id * 10 }));
  const generated = pairs.map(({ g }) => ({ g }));
  expect(await keys(run)).toEqual([generated, pairs, pairs, generated]);
});
