/** Notifications about initial snapshots. */
import { TestDatabase } from '../../helpers/test-database';
import { settled, TaskRun, taskConfig, type AnyRecord } from './harness';

const sink = { 'notification.enabled.channels': 'sink', 'notification.sink.topic.name': 'notes' };

let database: TestDatabase;
let run: TaskRun | null = null;
beforeEach(async () => {
  database = await TestDatabase.create(
    'CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (id int PRIMARY KEY); INSERT INTO a VALUES (1), (2)',
  );
});
afterEach(async () => {
  await run?.stop();
  run = null;
  await database.drop();
});

const notes = (records: readonly AnyRecord[]): unknown[] =>
  records
    .filter(({ topic }) => topic === 'notes')
    .map(({ value }) => [value.aggregate_type, value.type, Object.fromEntries(value.additional_data)]);
const noted = (type: string) => (records: AnyRecord[]) =>
  records.some(({ topic, value }) => topic === 'notes' && value.type === type);

test('cdc-postgres 106: a snapshot reports its start, its tables and its end; a start without one that it is skipped', async () => {
  run = await TaskRun.start(taskConfig(database, sink));
  const tables = { connector_name: 'fulfillment', data_collections: 'public.a,public.b' };
  const about = (type: string, data: Record<string, string>): unknown => ['Initial Snapshot', type, data];
  expect(notes(await run.until(noted('COMPLETED')))).toEqual([
    about('STARTED', { connector_name: 'fulfillment' }),
    about('DATA_COLLECTIONS_RESOLVED', tables),
    about('IN_PROGRESS', { ...tables, current_collection_in_progress: 'public.a' }),
    about('TABLE_SCAN_COMPLETED', {
      ...tables,
      ...{ scanned_collection: 'public.a', total_rows_scanned: '2', status: 'SUCCEEDED' },
    }),
    about('IN_PROGRESS', { ...tables, current_collection_in_progress: 'public.b' }),
    about('TABLE_SCAN_COMPLETED', {
      ...tables,
      ...{ scanned_collection: 'public.b', total_rows_scanned: '0', status: 'SUCCEEDED' },
    }),
    about('COMPLETED', { connector_name: 'fulfillment' }),
  ]);
  await run.nothingMore();
  const { stored } = run;
  await run.stop();
  run = await TaskRun.start(taskConfig(database, sink), stored);
  expect(notes(await run.until(noted('SKIPPED')))).toEqual([about('SKIPPED', { connector_name: 'fulfillment' })]);
});

test('cdc-postgres 106: a failed snapshot is reported as aborted', async () => {
  const statement = 'snapshot.select.statement.overrides';
  run = await TaskRun.start(
    taskConfig(database, {
      'notification.enabled.channels': 'log',
      [statement]: 'public.a',
      [`${statement}.public.a`]: 'SELECT 1 / (id - 1) AS id FROM public.a',
    }),
  );
  await expect(run.count(1)).rejects.toThrow(/Snapshotting of table public\.a failed.*division by zero/);
  expect(run.log.filter(({ message }) => /"type":"ABORTED"/.test(message)).length).toBe(1);
});

test('cdc-postgres 105, 106: a blocking snapshot is reported as an initial one, and its rows have a transaction id', async () => {
  run = await TaskRun.start(taskConfig(database, { ...sink, 'snapshot.mode': 'no_data' }));
  const task = run.task;
  const about = (type: string, data: Record<string, string>): unknown => [
    'Initial Snapshot',
    type,
    { connector_name: 'fulfillment', signal_id: 'again', ...data },
  ];
  const tables = { data_collections: 'public.a,public.b' };
  const data = { type: 'blocking', 'data-collections': ['public.*'] };
  const accepted = task.onSignal({ id: 'again', type: 'execute-snapshot', data });
  const records = await run.until(noted('COMPLETED'));
  await settled(run, accepted);
  expect(notes(records).slice(1)).toEqual([
    about('STARTED', {}),
    about('DATA_COLLECTIONS_RESOLVED', tables),
    about('IN_PROGRESS', { ...tables, current_collection_in_progress: 'public.a' }),
    about('TABLE_SCAN_COMPLETED', {
      ...tables,
      ...{ scanned_collection: 'public.a', total_rows_scanned: '2', status: 'SUCCEEDED' },
    }),
    about('IN_PROGRESS', { ...tables, current_collection_in_progress: 'public.b' }),
    about('TABLE_SCAN_COMPLETED', {
      ...tables,
      ...{ scanned_collection: 'public.b', total_rows_scanned: '0', status: 'SUCCEEDED' },
    }),
    about('COMPLETED', {}),
  ]);
  const rows = records.filter(({ topic }) => topic.endsWith('.a'));
  expect(rows.map(({ value }) => value.source.txId > 0)).toEqual([true, true]);
  // Like Debezium's, once something was streamed: the transaction before the rows.
  await database.query('INSERT INTO b VALUES (1)');
  const [streamed] = (await run.until((all) => all.some(({ topic }) => topic.endsWith('.b')))).slice(-1);
  const from = run.records.length;
  const wrong = { ...data, 'additional-conditions': [{ 'data-collection': 'public.b', filter: 'SELECT nothing' }] };
  const refused = expect(task.onSignal({ id: 'wrong', type: 'execute-snapshot', data: wrong })).rejects.toThrow();
  const failed = (await run.until((all) => noted('ABORTED')(all))).slice(from);
  await refused;
  expect(notes(failed).slice(-2)).toEqual([
    [
      'Initial Snapshot',
      'TABLE_SCAN_COMPLETED',
      {
        ...{ connector_name: 'fulfillment', signal_id: 'wrong' },
        ...{ scanned_collection: 'public.b', status: 'SQL_EXCEPTION' },
      },
    ],
    ['Initial Snapshot', 'ABORTED', { connector_name: 'fulfillment', signal_id: 'wrong' }],
  ]);
  // All rows of a table that was reported as read.
  const again = failed.filter(({ topic }) => topic.endsWith('.a')).map(({ value }) => value.source.txId as number);
  const { txId } = (streamed as AnyRecord).value.source;
  expect(again).toEqual([txId, txId]);
});
