/** Incremental snapshots of rows that share what orders them: cdc-postgres §4.10. */
import { type TaskRun } from './harness';
import { completed, database, execute, of, start } from './signals-harness';

describe('rows that share what orders them', () => {
  const ROWS = 'SELECT i, i / 10, 0 FROM generate_series(0, 49) i';
  /** Changes rows after each chunk was read, and before its end is in the stream. */
  const changing = (sql: string): string => `
    CREATE FUNCTION change() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN IF NEW.type = 'snapshot-window-close' THEN ${sql} END IF; RETURN NEW; END $$;
    CREATE TRIGGER change BEFORE INSERT ON signals FOR EACH ROW EXECUTE FUNCTION change();`;
  const text = (row: unknown): string => JSON.stringify(row);
  /** The rows that the records of a snapshot leave. */
  const rowsAfter = async (task: TaskRun, more: object): Promise<string[]> => {
    await execute(['public.t'], more);
    await task.until(completed);
    // Another chunk may have been begun, so rows may have changed once more.
    await database.query('INSERT INTO t VALUES (1000, 0, 0)');
    await task.until((records) => of(records, 't').some(({ value }) => value?.after?.i === 1000));
    const rows = new Map<number, string>();
    for (const { value } of of(task.records, 't')) {
      const { op, before, after } = (value ?? {}) as { op?: string; before?: { i: number }; after?: { i: number } };
      if (op === 'd') rows.delete((before as { i: number }).i);
      else if (after) rows.set(after.i, text(after));
    }
    return [...rows.values()].sort();
  };
  const contents = async (): Promise<string[]> => (await database.query('SELECT * FROM t')).map(text).sort();

  test('cdc-postgres 101: by message.key.columns, changed and moved', async () => {
    const task = await start(
      `CREATE TABLE t (i int PRIMARY KEY, g int NOT NULL, v int); INSERT INTO t ${ROWS};
       ${changing('UPDATE t SET v = v + 1 WHERE i % 10 = 1; UPDATE t SET g = g + 1 WHERE i % 10 = 2;')}`,
      { 'message.key.columns': 'public.t:g' },
    );
    expect(await rowsAfter(task, {})).toEqual(await contents());
  });

  test('cdc-postgres 101: by a surrogate key of a table without key', async () => {
    const task = await start(
      `CREATE TABLE t (i int, g int NOT NULL, v int); ALTER TABLE t REPLICA IDENTITY FULL; INSERT INTO t ${ROWS};
       ${changing('UPDATE t SET v = v + 1 WHERE i % 10 = 1; DELETE FROM t WHERE i % 10 = 2;')}`,
    );
    expect(await rowsAfter(task, { 'surrogate-key': 'g' })).toEqual(await contents());
  });

  test.each([
    ['a primary key', 'PRIMARY KEY', 'DEFAULT', { 'message.key.columns': 'public.t:g' }, {}],
    ['all columns', 'NOT NULL', 'FULL', {}, { 'surrogate-key': 'g' }],
  ])(
    'cdc-postgres 101: rows with equal masked keys are distinguished by %s',
    async (_, constraint, identity, settings, more) => {
      const task = await start(
        `CREATE TABLE t (i text ${constraint}, g int NOT NULL, v int); ALTER TABLE t REPLICA IDENTITY ${identity};
       INSERT INTO t ${ROWS};
       ${changing("IF (SELECT count(*) FROM signals) < 40 THEN UPDATE t SET v = v + 1 WHERE i LIKE '%1'; END IF;")}`,
        { ...settings, 'column.mask.with.3.chars': String.raw`public\.t\.i` },
      );
      await execute(['public.t'], more);
      await task.until(completed);
      const rows = of(task.records, 't').filter(({ value }) => value.op === 'r');
      expect(new Set(rows.map(({ value }) => value.after.i))).toEqual(new Set(['***']));
      // One row of each chunk changes while it is read, and no chunk is read twice.
      expect(rows).toHaveLength(45);
      const [opened] = await database.query(
        "SELECT count(*)::int AS n FROM signals WHERE type = 'snapshot-window-open'",
      );
      expect(opened?.n).toBeLessThanOrEqual(6);
    },
  );
});
