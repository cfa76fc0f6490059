/** Columns that are read again (`post.processors`), on a real server. */
import { startPostgres } from '../../../dev/services/postgres';
import { TestDatabase } from '../../helpers/test-database';
import { waitFor } from '../../helpers/wait-for';
import { taskConfig, TaskRun, type AnyRecord } from './harness';

const RESELECT = {
  'post.processors': 'reselector',
  'reselector.type': 'io.debezium.processors.reselect.ReselectColumnsPostProcessor',
};
const PLACEHOLDER = '__debezium_unavailable_value';
const LARGE = 'x'.repeat(20_000);

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

const updates = (records: readonly AnyRecord[]): AnyRecord[] => records.filter(({ value }) => value?.op === 'u');
const started = async (more: Record<string, string> = {}): Promise<TaskRun> => {
  run = await TaskRun.start(taskConfig(database, { 'snapshot.mode': 'no_data', ...RESELECT, ...more }));
  return run;
};
const warnings = (): string[] => run!.log.filter(({ level }) => level === 'warn').map(({ message }) => message);

test('cdc-postgres 41: a change that is streamed before queries see it, as with synchronous replication', async () => {
  const server = await startPostgres({
    settings: { synchronous_standby_names: 'absent', synchronous_commit: 'local' },
  });
  try {
    await database.drop();
    const table = 'CREATE TABLE t (id int PRIMARY KEY, body text); ALTER TABLE t ALTER body SET STORAGE EXTERNAL';
    database = await TestDatabase.create(table, { server: server.url });
    const task = await started();
    await database.query(`INSERT INTO t VALUES (1, '${LARGE}')`);
    await task.count(1);
    const other = await database.connect();
    await other.query('SET synchronous_commit = on');
    const { rows } = await other.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const committed = other.query('UPDATE t SET id = 2');
    const read = task.until((all) => all.some(({ value }) => value?.after?.id === 2));
    const asks = "SELECT FROM pg_stat_activity WHERE query LIKE 'SELECT txid_current_snapshot%'";
    await waitFor('the task to wait for the change', async () => (await database.query(asks)).length > 0);
    await database.query('SELECT pg_cancel_backend($1)', [rows[0]?.pid]);
    await committed;
    await other.end();
    expect((await read).at(-1)?.value.after).toEqual({ id: 2, body: LARGE });
    expect(warnings()).toEqual([]);
  } finally {
    await run?.stop();
    run = null;
    await database.drop();
    database = await TestDatabase.create();
    await server.stop();
  }
});

describe('cdc-postgres 41: unchanged large values are read again', () => {
  beforeEach(async () => {
    await database.query(`
      CREATE TABLE docs (id bigint, region text, n int, body text, raw bytea, doc jsonb, tags text[], more text,
        PRIMARY KEY (id, region));
      ALTER TABLE docs ALTER body SET STORAGE EXTERNAL, ALTER raw SET STORAGE EXTERNAL, ALTER doc SET STORAGE EXTERNAL,
        ALTER tags SET STORAGE EXTERNAL;`);
  });
  const insert = `INSERT INTO docs SELECT i, 'eu', 0, repeat('x', 20000), decode(repeat('ab', 9000), 'hex'),
    jsonb_build_object('a', repeat('y', 9000)), ARRAY[repeat('z', 9000)] FROM generate_series(1, 150) i`;

  test('by primary key, many rows at once; values have the form that a changed one has', async () => {
    const task = await started();
    await database.query(insert);
    await database.query(`UPDATE docs SET n = id`);
    const records = await task.until((all) => updates(all).length === 150);
    const inserted = records.filter(({ value }) => value?.op === 'c').map(({ value }) => value.after);
    expect(updates(records).map(({ value }) => value.after)).toEqual(
      inserted.map((row: object, i) => ({ ...row, n: i + 1 })),
    );
    expect(warnings()).toEqual([]);
  });

  test('only the columns of the lists; nulls on request', async () => {
    const task = await started({
      'reselector.reselect.columns.include.list': 'public.docs:(body|more)',
      'reselector.reselect.null.values': 'true',
    });
    await database.query(`INSERT INTO docs VALUES (1, 'eu', 0, '${LARGE}', NULL, jsonb_build_object('a', '${LARGE}'))`);
    await database.query(`UPDATE docs SET n = 1; UPDATE docs SET more = 'later'`);
    const [first] = updates(await task.until((all) => updates(all).length === 2));
    expect(first!.value.after).toMatchObject({ n: 1, body: LARGE, raw: null, doc: PLACEHOLDER, more: 'later' });
  });

  test('a table that another session locks: a warning names the process, and the value follows when that has ended', async () => {
    const task = await started();
    await database.query(`INSERT INTO docs (id, region, n, body) VALUES (1, 'eu', 0, '${LARGE}')`);
    await task.count(1);
    await database.query('UPDATE docs SET n = 1');
    const other = await database.connect();
    await other.query('BEGIN; LOCK TABLE docs');
    const { rows } = await other.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const read = task.count(2);
    const text = `Reading columns of table public.docs again waits for the lock of table public.docs (process ${rows[0]?.pid}). It continues when that has ended.`;
    await waitFor('the warning', () => warnings().includes(text), { detail: () => warnings().join('\n') });
    await other.end();
    expect(updates(await read)[0]?.value.after).toMatchObject({ n: 1, body: LARGE });
  });

  test('a row that is gone keeps its placeholder, with a warning', async () => {
    const task = await started();
    await database.query(`INSERT INTO docs (id, region, n, body) VALUES (1, 'eu', 0, '${LARGE}')`);
    await database.query(`BEGIN; UPDATE docs SET n = 1; DELETE FROM docs; COMMIT`);
    const [first] = updates(await task.until((all) => all.some(({ value }) => value?.op === 'd')));
    expect(first!.value.after.body).toBe(PLACEHOLDER);
    // The update and the deletion are read in one batch or in two.
    expect(warnings()[0]).toMatch(
      /^Columns of table public\.docs could not be read again: (1 of 1|2 of 2) rows do not exist any more\. The events keep the values that they have\.$/,
    );
  });

  test('of types without a placeholder, also in NOT NULL columns; a row that is gone has them named in a header', async () => {
    await database.query(`CREATE TABLE bare (id int PRIMARY KEY, n int, f float8[] NOT NULL, b numeric NOT NULL, p path);
      ALTER TABLE bare ALTER f SET STORAGE EXTERNAL, ALTER b SET STORAGE EXTERNAL, ALTER p SET STORAGE EXTERNAL`);
    const task = await started({ 'decimal.handling.mode': 'string', 'reselector.reselect.null.values': 'false' });
    await database.query(`INSERT INTO bare SELECT i, 0, array_fill(1.5::float8, ARRAY[2000]), repeat('7', 9000)::numeric,
      ('(' || repeat('1,1,', 500) || '2,2)')::path FROM generate_series(1, 2) i`);
    await task.until((all) => all.length === 2);
    await database.query('UPDATE bare SET n = 1');
    await database.query('BEGIN; UPDATE bare SET n = 2 WHERE id = 2; DELETE FROM bare WHERE id = 2; COMMIT');
    // The definition has changed by the time that the row is read.
    await database.query(
      'BEGIN; UPDATE bare SET n = 3 WHERE id = 1; ALTER TABLE bare ADD more int; UPDATE bare SET n = 4; COMMIT',
    );
    const records = await task.until((all) => all.at(-1)?.value?.after?.n === 4);
    const created = records.find(({ value }) => value?.op === 'c')!.value.after;
    const header = (record: AnyRecord): unknown =>
      record.headers?.find(({ key }) => key === '__debezium.unavailable.columns')?.value;
    const shown = updates(records).map((record) => [record.value.after, header(record)]);
    const unknown = { id: 2, f: [], b: '0', p: null };
    // The first update of the second row may be read before or after its deletion.
    expect(shown.filter(([row]) => row.id === 2).at(-1)).toEqual([{ ...unknown, n: 2 }, 'f,b,p']);
    expect(shown.filter(([row]) => row.id === 1)).toEqual([
      [{ ...created, n: 1 }, undefined],
      [{ ...created, n: 3 }, undefined],
      [{ ...created, n: 4, more: null }, undefined],
    ]);
    expect(warnings().filter((line) => line.startsWith('PG_UNSENT_VALUE'))).toHaveLength(3);
  });

  test('a row that is gone fails the task on request', async () => {
    const task = await started({ 'reselector.reselect.error.handling.mode': 'fail' });
    await database.query(`INSERT INTO docs (id, region, n, body, raw, doc, tags, more)
      VALUES (1, 'eu', 0, '${LARGE}', '', '1', '{}', '')`);
    await task.until((all) => all.length === 1);
    await database.query(`BEGIN; UPDATE docs SET n = 1; DELETE FROM docs; COMMIT`);
    await expect(task.until((all) => all.length === 4)).rejects.toThrow(
      'Columns of table public.docs could not be read again: 1 of 1 rows do not exist any more',
    );
  });

  test('a lost connection is opened again', async () => {
    const task = await started();
    const large = `INSERT INTO docs (id, region, n, body) VALUES (1, 'eu', 0, '${LARGE}')`;
    await database.query(large);
    await database.query('UPDATE docs SET n = 1');
    await task.until((all) => updates(all).length === 1);
    await database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'Millrace Reselect'`,
    );
    await database.query('UPDATE docs SET n = 2');
    const [, second] = updates(await task.until((all) => updates(all).length === 2));
    expect(second!.value.after).toMatchObject({ n: 2, body: LARGE });
    expect(warnings()).toEqual([]);
  });
});

test('cdc-postgres 41: by the key of the record, of every type that can be searched for', async () => {
  await database.query(`
    CREATE TABLE keys (a smallint, b numeric(9, 2), c uuid, d date, e timestamp(6), f timestamptz, g boolean, h bytea,
      n int, "Body" text, PRIMARY KEY (a, b, c, d, e, f, g, h));
    ALTER TABLE keys ALTER "Body" SET STORAGE EXTERNAL`);
  const task = await started({ 'reselector.reselect.use.event.key': 'true' });
  await database.query(`INSERT INTO keys VALUES (-1, 12.50, '4d47e190-0402-4048-bc2c-89dd54343cdc', '1999-12-31',
    '1969-12-31 23:59:59.000001', '2024-02-29 12:00:00.5+02', true, '\\x00ff', 0, '${LARGE}')`);
  await database.query('UPDATE keys SET n = 1');
  const [first] = updates(await task.until((all) => updates(all).length === 1));
  expect(first!.value.after).toMatchObject({ n: 1, Body: LARGE });
});

test('cdc-postgres 41: a key that cannot be searched for is named', async () => {
  await database.query(`
    CREATE TABLE spans (a interval PRIMARY KEY, n int, body text);
    ALTER TABLE spans ALTER body SET STORAGE EXTERNAL`);
  const task = await started();
  await database.query(`INSERT INTO spans VALUES ('1 day', 0, '${LARGE}'); UPDATE spans SET n = 1`);
  const [first] = updates(await task.until((all) => updates(all).length === 1));
  expect(first!.value.after.body).toBe(PLACEHOLDER);
  expect(warnings()).toContain(
    'Columns of table public.spans could not be read again: its key column "a" has a value that cannot be searched ' +
      'for. The events keep the values that they have.',
  );
});
