/** Incremental snapshots beside live changes: cdc-postgres §4.9 to §4.11. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SourceOffset } from '@millrace/sdk';
import { waitFor } from '../../helpers/wait-for';
import { settled, taskConfig, type AnyRecord } from './harness';
import {
  completed,
  createDatabase,
  database,
  execute,
  notes,
  of,
  reads,
  resume,
  signal,
  start,
  T,
} from './signals-harness';

test('cdc-postgres 106: one table: rows, marks, offsets and notifications', async () => {
  const task = await start(
    'CREATE TABLE t (id int PRIMARY KEY, v int); INSERT INTO t SELECT i, i FROM generate_series(1, 25) i',
  );
  await execute(['public.t']);
  const records = await task.until(completed);
  expect(reads(records)).toEqual(Array.from({ length: 25 }, (_, i) => i + 1));
  const row = of(records, 't')[3] as AnyRecord;
  expect(row.value).toMatchObject({
    op: 'r',
    before: null,
    after: { id: 4, v: 4 },
    source: { snapshot: 'incremental', txId: null, lsn: null, xmin: null, table: 't' },
  });
  expect(row.value.source.sequence).toMatch(/^\["\d+","\d+"\]$/);
  expect(row.sourceOffset).toMatchObject({
    snapshot: 'INCREMENTAL',
    snapshot_completed: false,
    last_snapshot_record: false,
    incremental_snapshot_correlation_id: 'ad-hoc',
    incremental_snapshot_collections:
      '[{"incremental_snapshot_collections_id":"public.t","incremental_snapshot_collections_additional_condition":null,"incremental_snapshot_collections_surrogate_key":null}]',
    incremental_snapshot_primary_key: 'aced000570',
  });
  expect(notes(records)).toEqual([
    'STARTED',
    'DATA_COLLECTIONS_RESOLVED',
    'IN_PROGRESS',
    'IN_PROGRESS',
    'IN_PROGRESS',
    'TABLE_SCAN_COMPLETED public.t SUCCEEDED 25',
    'COMPLETED',
  ]);
  const progress = records.filter(({ value }) => value?.type === 'IN_PROGRESS' || value?.type?.startsWith('TABLE_'));
  expect(progress.map(({ value }) => Object.fromEntries(value.additional_data))).toEqual([
    ...[10, 20, 25].map((last, i) => ({
      ...{ connector_name: 'fulfillment', data_collections: 'public.t', current_collection_in_progress: 'public.t' },
      ...{ maximum_key: '25', last_processed_key: String(last) },
      ...{ chunk_index: String(i + 1), total_chunks: '3', total_rows: '25' },
    })),
    {
      ...{ connector_name: 'fulfillment', data_collections: 'public.t', scanned_collection: 'public.t' },
      ...{ status: 'SUCCEEDED', total_rows: '25', total_rows_scanned: '25' },
    },
  ]);
  // The signal table is captured too: the signal, and a mark before and after each chunk, the empty one included.
  const marks = of(records, 'signals').slice(1);
  const types = marks.map(({ value }) => value.after.type as string);
  expect(types.filter((type) => type === 'snapshot-window-open').length).toBe(4);
  const [open, close] = marks.map(({ value }) => (value.after.data as string).replace(/"[\d-]+T[\d:.]+Z"/g, '"time"'));
  const about = '"correlationId": "ad-hoc", "dataCollectionId": "public.t"';
  expect(open).toBe(`{"openWindowTimestamp": "time", ${about}}`);
  expect(close).toBe(`{"openWindowTimestamp": "time", "closeWindowTimestamp": "time", ${about}}`);
  await database.query('INSERT INTO t VALUES (100, 100)');
  await task.until((all) => of(all, 't').some(({ key }) => key.id === 100));
  expect(Object.keys(task.lastOffset).filter((name) => name.includes('snapshot'))).toEqual([]);
});

describe('live changes', () => {
  const apply = (records: readonly AnyRecord[]): Map<number, number> => {
    const state = new Map<number, number>();
    for (const { key, value } of of(records, 't')) {
      if (value === null || value.op === 'd') state.delete(key.id);
      else state.set(key.id, value.after.v);
    }
    return state;
  };
  const contents = async (): Promise<Map<number, number>> => {
    const rows = await database.query('SELECT id, v FROM t');
    return new Map(rows.map((row) => [row.id as number, row.v as number]));
  };
  /** Changes, deletes, inserts and moves rows; `round` makes the values differ. */
  const disturb = async (round: number, from: number): Promise<void> => {
    await database.query(`UPDATE t SET v = ${round} * 1000 + id WHERE id % 5 = ${round % 5} AND id < 100000`);
    await database.query(`DELETE FROM t WHERE id = ${from}`);
    await database.query(`INSERT INTO t VALUES (${1000 + round}, ${round})`);
    await database.query(`UPDATE t SET id = id + 500 WHERE id = ${from + 1}`);
    await database.query(`UPDATE t SET v = v + 1 WHERE id = ${from + 2}; DELETE FROM t WHERE id = ${1000 + round - 1}`);
  };

  test.each([
    ['insert_insert', {}],
    ['insert_delete', { 'incremental.snapshot.watermarking.strategy': 'insert_delete' }],
    ['read.only', { 'read.only': 'true' }],
  ])('cdc-postgres 99: changes around and within each open chunk: %s', async (_name, settings) => {
    const task = await start(
      'CREATE TABLE t (id int PRIMARY KEY, v int); INSERT INTO t SELECT i, i FROM generate_series(1, 100) i',
      settings,
    );
    await execute(['public.t']);
    let round = 0;
    // Between any two polls, so also between the marks of a chunk and before its rows are emitted.
    await task.until((records) => {
      if (completed(records)) return true;
      round++;
      return false;
    });
    expect(round).toBeGreaterThan(0);
    expect(apply(task.records)).toEqual(await contents());
    await execute(['public.t'], {}, 'second');
    for (let i = 1; notes(task.records).filter((type) => type === 'COMPLETED').length < 2; i++) {
      await disturb(i, (i * 3) % 90);
      await task.poll();
    }
    await database.query('INSERT INTO t VALUES (100000, 0)');
    await task.until((records) => of(records, 't').some(({ key }) => key.id === 100000));
    expect(apply(task.records)).toEqual(await contents());
    expect(regressions(task.records)).toEqual([]);
    expect(await database.query("SELECT FROM signals WHERE id LIKE '%-open'")).toHaveLength(
      'incremental.snapshot.watermarking.strategy' in settings || 'read.only' in settings
        ? 0
        : of(task.records, 'signals').filter(({ value }) => value?.after?.type === 'snapshot-window-open').length,
    );
  });

  /** Rows that a chunk emitted with another value than the last change before them. */
  const regressions = (records: readonly AnyRecord[]): unknown[] => {
    const last = new Map<number, number | null>();
    return of(records, 't').flatMap(({ key, value }) => {
      const id = key.id as number;
      const before = last.get(id);
      const now = value === null || value.op === 'd' ? null : (value.after.v as number);
      last.set(id, now);
      return value?.op === 'r' && before !== undefined && before !== now ? [{ id, before, now }] : [];
    });
  };
});

test('cdc-postgres 101: conditions, patterns, composite and surrogate keys, tables that cannot be read', async () => {
  const task = await start(`
    CREATE TABLE pair (a int, b text, PRIMARY KEY (a, b));
    INSERT INTO pair SELECT i / 7, 'b''' || i FROM generate_series(1, 35) i;
    CREATE TABLE keyless (v int); ALTER TABLE keyless REPLICA IDENTITY FULL;
    INSERT INTO keyless SELECT i / 15 FROM generate_series(0, 44) i;
    CREATE TABLE nothing (id int PRIMARY KEY);
    CREATE TABLE uuids (id uuid PRIMARY KEY, d date, n numeric); INSERT INTO uuids SELECT gen_random_uuid() FROM generate_series(1, 25);
    CREATE TABLE nullable (id int UNIQUE); INSERT INTO nullable VALUES (1), (NULL);
    CREATE TABLE "Odd ""name""" (id int PRIMARY KEY); INSERT INTO "Odd ""name""" VALUES (1);
    ${T}`);
  const done = async (id: string, collections: string[], more: object = {}): Promise<string[]> => {
    const from = task.records.length;
    await execute(collections, more, id);
    await task.until((records) => completed(records.slice(from)));
    return notes(task.records.slice(from)).filter((note) => note.startsWith('TABLE_SCAN'));
  };
  expect(await done('1', ['public.pair'])).toEqual(['TABLE_SCAN_COMPLETED public.pair SUCCEEDED 35']);
  expect(new Set(of(task.records, 'pair').map(({ key }) => `${key.a} ${key.b}`)).size).toBe(35);
  const conditions = [{ 'data-collection': 'PUBLIC.t', filter: 'id > 10 -- most' }];
  expect(await done('2', ['public.t'], { 'additional-conditions': conditions })).toEqual([
    'TABLE_SCAN_COMPLETED public.t SUCCEEDED 50',
  ]);
  expect(await done('3', ['public.keyless', 'public.nothing', 'public.absent', 'public.nullable'])).toEqual([
    'TABLE_SCAN_COMPLETED public.keyless NO_PRIMARY_KEY 0',
    'TABLE_SCAN_COMPLETED public.nothing EMPTY 0',
    'TABLE_SCAN_COMPLETED public.absent UNKNOWN_SCHEMA 0',
    'TABLE_SCAN_COMPLETED public.nullable NO_PRIMARY_KEY 0',
  ]);
  // 15 rows share each value, and a chunk has 10.
  expect(await done('4', ['public.keyless'], { 'surrogate-key': 'v' })).toEqual([
    'TABLE_SCAN_COMPLETED public.keyless SUCCEEDED 45',
  ]);
  expect(of(task.records, 'keyless')).toHaveLength(45);
  expect(await done('5', ['public.(uuids|Odd.*)'])).toEqual([
    'TABLE_SCAN_COMPLETED public.Odd "name" SUCCEEDED 1',
    'TABLE_SCAN_COMPLETED public.uuids SUCCEEDED 25',
  ]);
  const wrong = [{ 'data-collection': '.*', filter: 'no_such_column = 1' }];
  expect(await done('6', ['public.t', 'public.uuids'], { 'additional-conditions': wrong })).toEqual([
    'TABLE_SCAN_COMPLETED public.t SQL_EXCEPTION 0',
    'TABLE_SCAN_COMPLETED public.uuids SQL_EXCEPTION 0',
  ]);
  expect(await done('7', ['.*'])).toHaveLength(7);
  // Their names have a quote, and are not known yet.
  await database.query(`CREATE TABLE "a""b" (id int PRIMARY KEY); CREATE TABLE "c""d" (id int PRIMARY KEY)`);
  expect(await done('8', ['public.a"b', '"public"."c""d"', '"public".pair', 'PUBLIC.pair'])).toEqual([
    'TABLE_SCAN_COMPLETED public.a"b EMPTY 0',
    'TABLE_SCAN_COMPLETED public.c"d EMPTY 0',
    'TABLE_SCAN_COMPLETED public.pair SUCCEEDED 35',
    'TABLE_SCAN_COMPLETED PUBLIC.pair UNKNOWN_SCHEMA 0',
  ]);
});

test('cdc-postgres 101: a signal for more tables than an offset can hold is refused', async () => {
  const task = await start(T);
  const collections = Array.from({ length: 5500 }, (_, i) => `public.table_${i}`);
  const data = { 'data-collections': collections };
  const refused = expect(task.task.onSignal({ id: 'all', type: 'execute-snapshot', data })).rejects.toThrow(
    'The signal all asks for 5500 tables',
  );
  await task.until((records) => notes(records).includes('ABORTED'));
  await refused;
  expect(task.log.map(({ message }) => message).filter((message) => message.startsWith('PG_'))).toEqual([
    expect.stringMatching(/^PG_SIGNAL: the signal all asks for 5500 tables: their list takes \d+ bytes of each offset/),
  ]);
  await execute(['public.t']);
  await task.until(completed);
});

test('cdc-postgres 106: a snapshot that has read everything is complete although its last mark cannot be written', async () => {
  const task = await start(`CREATE TABLE t (id int PRIMARY KEY, v int);
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'disk full'; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON signals FOR EACH ROW WHEN (NEW.type = 'snapshot-window-close')
      EXECUTE FUNCTION refuse()`);
  await execute(['public.t']);
  await task.until(() => task.log.some(({ message }) => /^The closing mark .*disk full/.test(message)));
  await database.query('DROP TRIGGER refuse ON signals; INSERT INTO t VALUES (1, 1)');
  await execute(['public.t'], {}, 'next');
  const records = await task.until((all) => reads(all).length === 1);
  expect(notes(records).slice(0, 4)).toEqual([
    'STARTED',
    'DATA_COLLECTIONS_RESOLVED',
    'TABLE_SCAN_COMPLETED public.t EMPTY 0',
    'COMPLETED',
  ]);
});

test('cdc-postgres 102: stop, pause and resume', async () => {
  const task = await start(`${T}; CREATE TABLE u (id int PRIMARY KEY); INSERT INTO u VALUES (1)`);
  await execute(['public.t', 'public.u'], {}, 'both');
  await signal('pause-snapshot', {}, 'p');
  await task.until((records) => notes(records).includes('PAUSED'));
  await task.nothingMore().catch(() => undefined);
  const pausedMetric = (): number | undefined =>
    task.metrics.value('debezium_metrics_SnapshotPaused', {
      context: 'snapshot',
      plugin: 'postgres',
      name: 'fulfillment',
    });
  expect(pausedMetric()).toBe(1);
  const paused = reads(task.records).length;
  expect(paused).toBeLessThan(60);
  await signal('stop-snapshot', { 'data-collections': ['public.u'] }, 's');
  await task.until((records) => notes(records).includes('ABORTED'));
  expect(reads(task.records).length).toBe(paused);
  await signal('resume-snapshot', {}, 'r');
  await task.until(completed);
  expect(reads(task.records)).toHaveLength(60);
  expect(of(task.records, 'u')).toEqual([]);
  const from = task.records.length;
  await execute(['public.t', 'public.u'], {}, 'again');
  await task.until((records) => reads(records).length > 60);
  await signal('stop-snapshot', {}, 's2');
  await task.until((records) => notes(records.slice(from)).includes('ABORTED'));
  await database.query('INSERT INTO u VALUES (2)');
  await task.until((records) => of(records, 'u').length > 0);
  expect(Object.keys(task.lastOffset).filter((name) => name.startsWith('incremental'))).toEqual([]);
  expect(pausedMetric()).toBe(0);
});

test('cdc-postgres 102: a snapshot that waits for the lock of its table is stopped', async () => {
  const task = await start(`${T}; CREATE TABLE u (id int PRIMARY KEY); INSERT INTO u VALUES (1)`, {
    'snapshot.lock.timeout.ms': '200',
  });
  const other = await database.connect();
  try {
    await other.query('BEGIN; LOCK TABLE t');
    await execute(['public.t', 'public.u']);
    const waits = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    await waitFor('the lock', async () => (await task.poll(), (await database.query(waits)).length > 0));
    await signal('stop-snapshot', { 'data-collections': ['public.t'] }, 's');
    const records = await task.until(completed);
    expect(notes(records).slice(2)).toEqual([
      'ABORTED',
      'IN_PROGRESS',
      'TABLE_SCAN_COMPLETED public.u SUCCEEDED 1',
      'COMPLETED',
    ]);
  } finally {
    await other.end();
  }
  expect(reads(task.records)).toEqual([]);
});

/** Inserts a row into the signal table in the transaction of the n-th open mark, as if it had arrived meanwhile. */
const atOpenMark = (n: number, type: string, data: object): string => `
  CREATE FUNCTION hook() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF (SELECT count(*) FROM signals WHERE type = NEW.type) = ${n} THEN
      INSERT INTO signals VALUES ('hook', '${type}', '${JSON.stringify(data)}');
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER hook AFTER INSERT ON signals FOR EACH ROW WHEN (NEW.type = 'snapshot-window-open')
    EXECUTE FUNCTION hook()`;

test.each([
  ['all tables', {}, ['COMPLETED', 'ABORTED public.t,public.u'], 0],
  ['the current table', { 'data-collections': ['public.t'] }, ['ABORTED public.t', 'IN_PROGRESS'], 1],
  ['another table', { 'data-collections': ['public.u'] }, ['ABORTED public.u', 'IN_PROGRESS'], 0],
  ['a table that is not in it', { 'data-collections': ['public.none'] }, ['ABORTED ', 'IN_PROGRESS'], 1],
])(
  'cdc-postgres 102: stop-snapshot of %s while a chunk is open: its rows, then the notifications',
  async (_what, data, expected, others) => {
    const task = await start(
      `${T}; CREATE TABLE u (id int PRIMARY KEY); INSERT INTO u VALUES (1); ${atOpenMark(2, 'stop-snapshot', data)}`,
    );
    await execute(['public.t', 'public.u']);
    const types = (records: readonly AnyRecord[]): string[] =>
      records
        .filter(({ topic, value }) => topic === 'notes' && value.aggregate_type === 'Incremental Snapshot')
        .map(({ value }) =>
          value.type === 'ABORTED' ? `ABORTED ${value.additional_data.get('data_collections')}` : value.type,
        );
    const records = await task.until(
      (all) => types(all).filter((type) => /^(?:COMPLETED|ABORTED)/.test(type)).length === 2,
    );
    expect(types(records).slice(0, 6)).toEqual([
      ...['STARTED', 'DATA_COLLECTIONS_RESOLVED', 'IN_PROGRESS', 'IN_PROGRESS'],
      ...expected,
    ]);
    expect(reads(records).slice(0, 20)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
    expect(reads(records).length).toBe(expected[1] === 'IN_PROGRESS' && expected[0] !== 'ABORTED public.t' ? 60 : 20);
    expect(of(records, 'u')).toHaveLength(others);
    await database.query('INSERT INTO u VALUES (2)');
    await task.until((all) => of(all, 'u').length > others);
    expect(Object.keys(task.lastOffset).filter((name) => name.startsWith('incremental'))).toEqual([]);
  },
);

test('cdc-postgres 102: a snapshot that was stopped while it was paused does not pause the next one', async () => {
  const task = await start(T);
  await execute(['public.t'], {}, 'first');
  await signal('pause-snapshot', {}, 'p');
  await task.until((records) => notes(records).includes('PAUSED'));
  await signal('stop-snapshot', {}, 's');
  await task.until((records) => notes(records).includes('ABORTED'));
  await execute(['public.t'], {}, 'second');
  await task.until(completed);
});

test('cdc-postgres 99: a column is added, and the table is truncated, while a chunk is read', async () => {
  const task = await start(T);
  await execute(['public.t']);
  await task.until((records) => reads(records).length >= 10);
  await database.query('ALTER TABLE t ADD COLUMN w int DEFAULT 7; UPDATE t SET v = v WHERE id > 50');
  await task.until(completed);
  for (const { value } of of(task.records, 't')) {
    const names = (value.after === null ? [] : Object.keys(value.after)).join();
    expect(['id,v', 'id,v,w']).toContain(names);
  }
  const last = of(task.records, 't').at(-1) as AnyRecord;
  expect(last.value.after).toMatchObject({ w: 7 });
  const from = task.records.length;
  await execute(['public.t'], {}, 'second');
  await task.until((records) => reads(records.slice(from)).length >= 10);
  await database.query('TRUNCATE t');
  const truncated = task.records.length;
  await database.query('INSERT INTO t VALUES (1000, 1)');
  // An empty chunk has no marks, so that the notification does not wait for the stream.
  const isInserted = (records: AnyRecord[]): boolean => of(records, 't').some(({ value }) => value.op === 'c');
  await task.until((records) => completed(records.slice(from)) && isInserted(records.slice(truncated)));
  const live = of(task.records.slice(truncated), 't').findIndex(({ value }) => value.op === 'c');
  expect(reads(of(task.records.slice(truncated), 't').slice(live))).toEqual([]);
});

test('cdc-postgres 103: signals by Kafka, file and REST', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'signals-'));
  const file = join(folder, 'signals.jsonl');
  const task = await start(T, {
    'signal.enabled.channels': 'source,kafka,file',
    'signal.kafka.bootstrap.servers': 'localhost:9092',
    'signal.consumer.client.id': 'mine',
    'signal.file': file,
    'signal.poll.interval.ms': '10',
  });
  const note = (message: string): string => JSON.stringify({ id: 'l', type: 'log', data: { message } });
  const logs = (): string[] => task.log.map(({ message }) => message);
  task.consumers.add('other', note('for another connector'));
  task.consumers.add('fulfillment', '{"id":');
  task.consumers.add('fulfillment', note('by Kafka at {}'));
  writeFileSync(file, `${note('by file')}\nno signal\n`);
  const rest = task.task.onSignal({ id: 'rest', type: 'log', data: { message: 'by REST' } });
  await task.until(() => logs().includes('by file') && task.consumers.committed === 3);
  await rest;
  expect(logs()).toContain('by REST');
  expect(logs().find((message) => message.startsWith('by Kafka'))).toMatch(/^by Kafka at \{"lsn":/);
  expect(logs()).not.toContain('for another connector');
  expect(task.consumers.created[0]).toEqual([
    {
      'auto.offset.reset': 'earliest',
      'bootstrap.servers': 'localhost:9092',
      'client.id': 'mine',
      'group.id': 'kafka-signal',
    },
    { topic: 'fulfillment-signal', partition: 0 },
  ]);
  await task.until(() => readFileSync(file, 'utf8') === '');
  const sent = task.task.onSignal({ id: 'r', type: 'execute-snapshot', data: { 'data-collections': ['public.t'] } });
  await task.until(completed);
  await sent;
  expect(reads(task.records)).toHaveLength(60);
  const refused = task.task.onSignal({ id: 'x', type: 'unknown', data: {} });
  const rejected = expect(refused).rejects.toThrow('The signal x has the unknown type "unknown"; the types are ');
  await task.poll();
  await rejected;
  rmSync(folder, { recursive: true });
});

test('cdc-postgres 103: a signal is accepted once the offset that holds it is stored', async () => {
  const task = await start(T, { 'signal.data.collection': '' });
  const data = { 'data-collections': ['public.t'] };
  await settled(task, task.task.onSignal({ id: 'r', type: 'execute-snapshot', data }));
  const { stored } = task;
  expect(stored).toMatchObject({ incremental_snapshot_correlation_id: 'r' });
  await task.stop();
  const second = await resume({ 'signal.data.collection': '' }, stored);
  await second.until(completed);
  expect(reads(second.records)).toHaveLength(60);
});

test('cdc-postgres 104: read.only on an idle server, with a role that may not write', async () => {
  await createDatabase(T);
  await database.query(`CREATE PUBLICATION ${taskConfig(database)['publication.name']} FOR TABLE t`);
  const readOnly = { 'database.initial.statements': 'SET default_transaction_read_only = on' };
  const task = await resume({ 'read.only': 'true', 'publication.autocreate.mode': 'disabled', ...readOnly }, null);
  const sent = task.task.onSignal({ id: 'r', type: 'execute-snapshot', data: { 'data-collections': ['public.t'] } });
  await task.until(completed);
  await sent;
  expect(reads(task.records)).toHaveLength(60);
  expect(await database.query('SELECT FROM signals')).toEqual([]);
});

test('cdc-postgres 105: a blocking snapshot: the stream pauses, and continues without loss', async () => {
  const task = await start(
    `${T}; CREATE TABLE u (id int PRIMARY KEY, v int); INSERT INTO u SELECT i, 0 FROM generate_series(1, 9) i`,
  );
  const filter = 'SELECT * FROM t WHERE id > 50 ORDER BY id;';
  const data = {
    type: 'blocking',
    'data-collections': ['public.t', 'public.u', 'public.signals'],
    'additional-conditions': [{ 'data-collection': 'public.t', filter }],
  };
  await database.query('INSERT INTO t VALUES (101, 1)');
  await signal('execute-snapshot', data, 'blocking');
  await task.until((records) => of(records, 'signals').length === 1);
  await database.query('INSERT INTO t VALUES (102, 1); DELETE FROM u WHERE id = 1');
  await task.until((records) => of(records, 'u').some(({ value }) => value?.op === 'd'));
  const rows = [...of(task.records, 't'), ...of(task.records, 'u')].filter(({ value }) => value?.op === 'r');
  expect(rows.filter(({ topic }) => topic.endsWith('.t')).map(({ key }) => key.id as number)).toEqual([
    ...[51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 101],
    ...(rows.some(({ key }) => key.id === 102) ? [102] : []),
  ]);
  const marks = rows.map(({ value }) => value.source.snapshot as string);
  expect(of(task.records, 'signals').map(({ value }) => value.op as string)).toEqual(['c']);
  expect([marks[0], marks.at(-1)]).toEqual(['first', 'last']);
  expect(rows[0]?.sourceOffset).toMatchObject({ snapshot: 'BLOCKING', snapshot_completed: false });
  expect(rows.at(-1)?.sourceOffset).toMatchObject({ snapshot: 'BLOCKING', snapshot_completed: true });
  expect(of(task.records, 't').map(({ key, value }) => `${value.op}${key.id}`)).toEqual(
    expect.arrayContaining(['c101', 'c102']),
  );
  // A restart from its offsets continues the stream.
  const stored = rows.at(-1)?.sourceOffset as SourceOffset;
  await task.stop();
  const second = await resume({}, stored);
  await second.until((records) => of(records, 't').some(({ key, value }) => key.id === 102 && value.op === 'c'));
  expect(of(second.records, 't').filter(({ value }) => value.op === 'r')).toEqual([]);
  const wrong = [{ 'data-collection': '.*', filter: 'SELECT nothing' }];
  const request = { ...data, 'additional-conditions': wrong };
  const refused = expect(
    second.task.onSignal({ id: 'wrong', type: 'execute-snapshot', data: request }),
  ).rejects.toThrow('nothing');
  await second.until(() => second.log.some(({ message }) => message.includes('blocking snapshot wrong failed')));
  await refused;
  const accepted = second.task.onSignal({ id: 'r', type: 'execute-snapshot', data });
  await second.until((records) => of(records, 'u').filter(({ value }) => value?.op === 'r').length === 8);
  await settled(second, accepted);
  const none = { type: 'blocking', 'data-collections': ['public.tt'] };
  const empty = second.task.onSignal({ id: 'none', type: 'execute-snapshot', data: none });
  await second.until(() => second.log.some(({ message }) => message.includes('blocking snapshot none reads nothing')));
  await settled(second, empty);
});

test('cdc-postgres 105: a blocking snapshot does not wait for the locks of an incremental one', async () => {
  const task = await start(`${T}; CREATE TABLE u (id int PRIMARY KEY, v int); INSERT INTO u VALUES (1, 1)`);
  const other = await database.connect();
  try {
    await other.query('BEGIN; LOCK TABLE t');
    await execute(['public.t']);
    const waits = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    await task.until(() => notes(task.records).includes('STARTED'));
    await waitFor('the lock', async () => (await task.poll(), (await database.query(waits)).length > 0));
    await signal('execute-snapshot', { type: 'blocking', 'data-collections': ['public.u'] }, 'blocking');
    await task.until((records) => reads(records, 'u').length === 1);
  } finally {
    await other.end();
  }
  await task.until(completed);
  expect(reads(task.records)).toHaveLength(60);
});

test('cdc-postgres 99: rows wait for a transaction that was streamed and is not visible yet', async () => {
  const task = await start(T, { 'read.only': 'true' });
  const client = await database.connect();
  await client.query('BEGIN; UPDATE t SET v = -7 WHERE id = 5');
  const { rows } = await client.query('SELECT pg_current_xact_id()::text AS xid');
  const xid = Number(BigInt((rows[0] as { xid: string }).xid) & 0xffffffffn);
  // As if a commit with synchronous replication had been streamed, and its standby did not answer.
  const { phase } = task.task as unknown as {
    phase: { stream: { decoder: { recent: { add(xid: number): void } } } };
  };
  phase.stream.decoder.recent.add(xid);
  const sent = task.task.onSignal({ id: 'r', type: 'execute-snapshot', data: { 'data-collections': ['public.t'] } });
  const again = (): number => task.log.filter(({ message }) => message.includes('is not visible yet')).length;
  await task.until(() => again() >= 2);
  await sent;
  expect(reads(task.records)).toEqual([]);
  await client.query('COMMIT');
  await client.end();
  await task.until(completed);
  const row = of(task.records, 't').filter(({ key }) => key.id === 5);
  expect(row.at(-1)?.value.after.v).toBe(-7);
  expect(reads(task.records).length).toBeGreaterThanOrEqual(59);
});
