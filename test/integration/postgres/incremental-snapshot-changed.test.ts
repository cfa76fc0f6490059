/** Rows that change at the marks of a chunk, some without their large values: cdc-postgres §4.10. */
import type { TaskRun } from './harness';
import { completed, database, execute, of, reads, start } from './signals-harness';

const UNSENT = '__debezium_unavailable_value';

interface Row {
  readonly id: number;
  readonly v: number;
  readonly big: string;
}

/** Values of `big` are stored out of line. */
const tableChanging = (when: 'BEFORE' | 'AFTER', mark: 'open' | 'close', sql: string): string => `
  CREATE TABLE t (id int PRIMARY KEY, v int, big text); ALTER TABLE t ALTER COLUMN big SET STORAGE EXTERNAL;
  INSERT INTO t SELECT i, 0, repeat(i::text, 3000) FROM generate_series(1, 60) i;
  CREATE FUNCTION change() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN IF NEW.type = 'snapshot-window-${mark}' THEN ${sql} END IF; RETURN NEW; END $$;
  CREATE TRIGGER change ${when} INSERT ON signals FOR EACH ROW EXECUTE FUNCTION change();`;

/** What a consumer has that keeps the value it knows when an event has the placeholder. */
const kept = (task: TaskRun): Row[] => {
  const rows = new Map<number, Row>();
  for (const { key, value } of of(task.records, 't')) {
    const id = key.id as number;
    const after = value?.after as Row | null | undefined;
    if (after == null) rows.delete(id);
    else rows.set(id, after.big === UNSENT ? { ...after, big: rows.get(id)?.big ?? UNSENT } : after);
  }
  return [...rows.values()].sort((a, b) => a.id - b.id);
};

const readAll = async (sql: string): Promise<TaskRun> => {
  const task = await start(sql);
  await execute(['public.t']);
  await task.until(completed);
  await database.query("DROP TRIGGER change ON signals; INSERT INTO t VALUES (100000, 0, '')");
  await task.until((records) => of(records, 't').some(({ key }) => key.id === 100_000));
  expect(kept(task)).toEqual(await database.query('SELECT * FROM t ORDER BY id'));
  return task;
};

const SOME = 'UPDATE t SET v = v + 1 WHERE id % 10 = 1';

test.each([
  // Debezium drops these rows.
  ['after the opening mark', tableChanging('AFTER', 'open', `${SOME};`), 60],
  ['before the opening mark', tableChanging('BEFORE', 'open', `${SOME};`), 60],
  ['before the closing mark', tableChanging('BEFORE', 'close', `${SOME};`), 60],
  [
    'twice, the second time with it',
    tableChanging('BEFORE', 'close', `${SOME}; ${SOME.replace('SET', 'SET big = v::text || big,')};`),
    54,
  ],
  [
    'twice, the first time with it',
    tableChanging('BEFORE', 'close', `${SOME.replace('SET', 'SET big = v::text || big,')}; ${SOME};`),
    54,
  ],
])('cdc-postgres 99: a row whose event lacks its large value is read: changed %s', async (_name, sql, count) => {
  const task = await readAll(sql);
  expect(new Set(reads(task.records)).size).toBe(count);
});

test('cdc-postgres 99: a row whose event lacks its large value is read: its key changes before the closing mark', async () => {
  const task = await readAll(tableChanging('BEFORE', 'close', 'UPDATE t SET id = 1001, v = 7 WHERE id = 1;'));
  expect(reads(task.records)).toContain(1001);
});

test('cdc-postgres 99: a row that changes before the opening mark of its chunk is read', async () => {
  const task = await readAll(tableChanging('BEFORE', 'open', `UPDATE t SET big = 'x' || big WHERE id % 10 = 1;`));
  expect(new Set(reads(task.records)).size).toBe(60);
});

test('cdc-postgres 99: a row whose event lacks its large value is read: its key moves to where the chunks were', async () => {
  // From a chunk after the first one, and from the end, so that the last chunk has no rows.
  const after = (chunks: number): string => `(SELECT count(*) FROM signals WHERE type = NEW.type) >= ${chunks}`;
  const first = `UPDATE t SET id = -id, v = 7 WHERE id = 41 AND ${after(1)};`;
  const last = `UPDATE t SET id = -id, v = 7 WHERE id > 50 AND ${after(5)};`;
  const task = await readAll(tableChanging('BEFORE', 'open', first + last));
  const moved = of(task.records, 't').filter(({ value }) => value?.op === 'c' && value.after.v === 7);
  expect(moved.map(({ key }) => key.id)).toEqual([-41, ...Array.from({ length: 10 }, (_, i) => -51 - i)]);
});
