/**
 * A database with a signal table, and a task that reads it. Both are removed after each test of the file that imports
 * this one.
 */
import type { SourceOffset } from '@millrace/sdk';
import { TestDatabase } from '../../helpers/test-database';
import { TaskRun, taskConfig, type AnyRecord } from './harness';

const SIGNALS =
  'CREATE TABLE signals (id varchar(42) PRIMARY KEY, type varchar(32) NOT NULL, data varchar(2048) NULL);';
const NOTIFIED = { 'notification.enabled.channels': 'sink', 'notification.sink.topic.name': 'notes' };

export let database: TestDatabase;
let run: TaskRun | null = null;
afterEach(async () => {
  await run?.stop();
  run = null;
  await database.drop();
});

export async function start(
  sql: string,
  overrides: Record<string, string> = {},
  stored: SourceOffset | null = null,
): Promise<TaskRun> {
  await createDatabase(sql);
  return await resume(overrides, stored);
}

/** For a test that needs the database before its task. */
export async function createDatabase(sql: string): Promise<void> {
  database = await TestDatabase.create(`${SIGNALS} ${sql}`);
}

export async function resume(overrides: Record<string, string>, stored: SourceOffset | null): Promise<TaskRun> {
  const config = taskConfig(database, {
    'snapshot.mode': 'no_data',
    'signal.data.collection': 'public.signals',
    'incremental.snapshot.chunk.size': '10',
    ...NOTIFIED,
    ...overrides,
  });
  run = await TaskRun.start(config, stored);
  return run;
}

export const signal = async (type: string, data: unknown, id = 'ad-hoc'): Promise<void> =>
  void (await database.query('INSERT INTO signals VALUES ($1, $2, $3)', [id, type, JSON.stringify(data)]));
export const execute = async (collections: string[], more: object = {}, id = 'ad-hoc'): Promise<void> =>
  await signal('execute-snapshot', { 'data-collections': collections, type: 'incremental', ...more }, id);

export const notes = (records: readonly AnyRecord[]): string[] =>
  records
    .filter(({ topic, value }) => topic === 'notes' && value.aggregate_type === 'Incremental Snapshot')
    .map(({ value }) => {
      const data = value.additional_data as Map<string, string>;
      return [value.type, data.get('scanned_collection'), data.get('status'), data.get('total_rows_scanned')]
        .filter((part) => part !== undefined)
        .join(' ');
    });
export const completed = (records: readonly AnyRecord[]): boolean => notes(records).includes('COMPLETED');
export const of = (records: readonly AnyRecord[], table: string): AnyRecord[] =>
  records.filter(({ topic }) => topic === `fulfillment.public.${table}`);
export const reads = (records: readonly AnyRecord[], table = 't'): number[] =>
  of(records, table).flatMap(({ value, key }) => (value?.op === 'r' ? [key.id as number] : []));

export const T = 'CREATE TABLE t (id int PRIMARY KEY, v int); INSERT INTO t SELECT i, i FROM generate_series(1, 60) i';
