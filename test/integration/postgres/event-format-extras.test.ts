/** What Debezium 1.2 does not have, in its layout. */
import type { Schema } from '@millrace/sdk';
import { TestDatabase } from '../../helpers/test-database';
import { TaskRun, taskConfig, type AnyRecord } from './harness';

let database: TestDatabase;
let run: TaskRun | null = null;
afterEach(async () => {
  await run?.stop();
  run = null;
  await database.drop();
});

const source = ({ valueSchema }: AnyRecord): Schema | undefined =>
  valueSchema?.fields?.find(({ name }) => name === 'source')?.schema;

test('cdc-postgres 33, 42, 43: logical messages and transaction metadata in event.format=1.2, and a restart between them', async () => {
  database = await TestDatabase.create('CREATE TABLE t (id int PRIMARY KEY)');
  const config = taskConfig(database, {
    'snapshot.mode': 'no_data',
    'event.format': '1.2',
    'provide.transaction.metadata': 'true',
  });
  const shown = ({ key, value }: AnyRecord): string =>
    value.status ?? `${value.op} ${key.id ?? key.prefix} ${value.transaction?.total_order ?? '-'}`;
  run = await TaskRun.start(config);
  await run.nothingMore();
  await database.query(`BEGIN; INSERT INTO t VALUES (1); SELECT pg_logical_emit_message(true, 'in', 'x');
    INSERT INTO t VALUES (2); COMMIT; SELECT pg_logical_emit_message(false, 'out', 'y'); INSERT INTO t VALUES (3)`);
  const records = await run.count(9);
  const expected = ['BEGIN', 'c 1 1', 'm in 2', 'c 2 3', 'END', 'm out -', 'BEGIN', 'c 3 1', 'END'];
  expect(records.map(shown)).toEqual(expected);
  const [, row, message] = records as [AnyRecord, AnyRecord, AnyRecord];
  expect(source(message)).toBe(source(row));
  expect(Object.keys(message.value.source)).toEqual(Object.keys(row.value.source));
  expect(message.value.transaction.id).toBe(String(row.value.source.txId));
  await run.stop();
  for (const [i, { sourceOffset }] of records.entries()) {
    run = await TaskRun.start(config, sourceOffset);
    const rest = expected.slice(i + 1).filter((one) => one !== 'BEGIN');
    const again = await run.until((all) => all.filter(({ value }) => value.status !== 'BEGIN').length >= rest.length);
    expect([i, again.map(shown).filter((one) => one !== 'BEGIN')]).toEqual([i, rest]);
    await run.stop();
  }
});
