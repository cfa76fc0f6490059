/** Filters of signals that are wrong, or mean more than a condition: cdc-postgres §4.9. */
import { completed, database, execute, notes, of, reads, start, T } from './signals-harness';

const filtered = (filter: string): object => ({ 'additional-conditions': [{ 'data-collection': '.*', filter }] });
const ODD = 'CREATE TABLE victim (id int PRIMARY KEY);';

test('cdc-postgres 101: a filter that ends its parenthesis or its statement skips the table', async () => {
  const task = await start(`${ODD} ${T}`);
  const scan = async (id: string, filter: string): Promise<string[]> => {
    const from = task.records.length;
    await execute(['public.t'], filtered(filter), id);
    await task.until((records) => completed(records.slice(from)));
    return notes(task.records.slice(from)).filter((note) => note.startsWith('TABLE_SCAN'));
  };
  // In parentheses, this is valid and would read the first chunk again and again.
  expect(await scan('1', 'v = 1) OR (1 = 1')).toEqual(['TABLE_SCAN_COMPLETED public.t SQL_EXCEPTION 0']);
  expect(await scan('2', '1 = 1) LIMIT 1; DROP TABLE victim; SELECT (1')).toEqual([
    'TABLE_SCAN_COMPLETED public.t SQL_EXCEPTION 0',
  ]);
  expect(await scan('3', '1 = 1; DROP TABLE victim; --')).toEqual(['TABLE_SCAN_COMPLETED public.t SQL_EXCEPTION 0']);
  expect(await database.query('SELECT FROM victim')).toEqual([]);
  expect(await scan('4', "v = 1 OR v = 2 -- ')'")).toEqual(['TABLE_SCAN_COMPLETED public.t SUCCEEDED 2']);
  expect(reads(task.records)).toEqual([1, 2]);
  const errors = task.log.filter(({ level }) => level === 'error').map(({ message }) => message);
  expect(errors[0]).toBe(
    'PG_INCREMENTAL_SNAPSHOT: the incremental snapshot of public.t failed, skipping the table: the filter of the signal is not a condition: syntax error at or near ")"',
  );
});

test('cdc-postgres 105: a filter of a blocking snapshot is one SELECT; its errors name the table', async () => {
  const task = await start(`${ODD} ${T}`);
  const rejection = async (id: string, filter: string): Promise<unknown> => {
    const data = { type: 'blocking', 'data-collections': ['public.t'], ...filtered(filter) };
    const sent = task.task
      .onSignal({ id, type: 'execute-snapshot', data: data as never })
      .catch((error: unknown) => error);
    await task.until(() => task.log.some(({ message }) => message.includes(`blocking snapshot ${id} failed`)));
    return await sent;
  };
  expect(await rejection('a', 'SELECT * FROM t) x; COMMIT; DROP TABLE victim; SELECT * FROM (SELECT 1')).toMatchObject({
    message:
      'Snapshotting of table public.t failed (check the filter of the signal: the result must have all captured columns): cannot insert multiple commands into a prepared statement (SQLSTATE 42601)',
    code: 'PG_ERROR',
  });
  expect(await rejection('b', 'SELECT id FROM t')).toMatchObject({
    message:
      'Snapshotting of table public.t failed (check the filter of the signal: the result must have all captured columns): column "v" does not exist (SQLSTATE 42703)',
  });
  expect(await database.query('SELECT FROM victim')).toEqual([]);
  // The stream continues.
  await database.query('INSERT INTO t VALUES (100, 1)');
  await task.until((records) => of(records, 't').some(({ key }) => key.id === 100));
});
