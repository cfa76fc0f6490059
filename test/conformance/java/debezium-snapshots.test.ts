/**
 * Debezium's task resumes in the middle of Millrace's snapshots, and Millrace's in the middle of Debezium's. Source:
 * cdc-postgres §4.1, §4.10, §6.4.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SourceOffset } from '@millrace/sdk';
import { JavaTask } from '../../../dev/debezium/java-task';
import { TestDatabase } from '../../helpers/test-database';
import { waitFor } from '../../helpers/wait-for';
import { describe as text, TaskRun, taskConfig } from '../../integration/postgres/harness';
import { describeWithJava } from './fixtures';

type Side = 'Debezium' | 'Millrace';
type Test = (changes: Change[]) => boolean;
/** A record, as far as these tests compare it: `n` numbers the rows of each table. */
interface Change {
  readonly table: string;
  readonly op: string;
  readonly n: number;
  readonly v: number | null;
  readonly type: string | undefined;
  readonly offset: SourceOffset;
}
interface Row {
  readonly n: number;
  readonly v: number;
}
interface Event {
  readonly op?: string;
  readonly type?: string;
  readonly before?: Row;
  readonly after?: Row;
}

function change(topic: string, event: Event | null, offset: unknown): Change {
  const row = event?.after ?? event?.before;
  return {
    table: topic.split('.').at(-1) as string,
    op: event?.op ?? '',
    n: Number(row?.n),
    v: event?.after?.v ?? null,
    type: event?.type,
    offset: offset as SourceOffset,
  };
}

const TABLES = `
  CREATE TABLE signals (id varchar(42) PRIMARY KEY, type varchar(32) NOT NULL, data varchar(2048) NULL);
  CREATE TYPE mood AS ENUM ('low', 'high');
  CREATE DOMAIN amount AS numeric(10, 2);
  CREATE TABLE keys (code uuid, id bigint, name text, n int, v int DEFAULT 0, PRIMARY KEY (name, id, code));
  CREATE TABLE days (ip inet, mood mood, paid amount, day date, n int, v int DEFAULT 0, PRIMARY KEY (day, paid, ip, mood));
  CREATE TABLE moments (at timestamptz PRIMARY KEY, n int, v int DEFAULT 0);
  ALTER TABLE keys REPLICA IDENTITY FULL;
  ALTER TABLE days REPLICA IDENTITY FULL;
  INSERT INTO keys SELECT md5(i::text)::uuid, i, 'name ' || i / 100, i FROM generate_series(1, 60) i;
  INSERT INTO days SELECT ('10.0.0.' || i)::inet, 'high', i / 8.0, date '2020-01-01' + i / 10, i FROM generate_series(1, 60) i;
  INSERT INTO moments SELECT timestamptz '2020-01-01' + i * interval '1 hour', i FROM generate_series(1, 60) i`;

const SIGNAL = JSON.stringify({
  id: 'ad-hoc',
  type: 'execute-snapshot',
  data: {
    'data-collections': ['public.keys', 'public.days'],
    type: 'incremental',
    'additional-conditions': [{ 'data-collection': 'public.days', filter: 'n <> 55' }],
  },
});
const INSERT = "INSERT INTO signals SELECT s->>'id', s->>'type', s->>'data' FROM CAST($1 AS json) s";
const LAST = "INSERT INTO keys VALUES (gen_random_uuid(), 1, 'last', 5000, 0)";
const UPDATES = 'SET v = 1 WHERE n IN (3, 36, 50)';
const DELETES = 'WHERE n IN (4, 51)';
/** Also of keys, from the part that is read to the one that is not, and back. */
const CHANGES = `
  UPDATE keys ${UPDATES}; DELETE FROM keys ${DELETES}; UPDATE days ${UPDATES}; DELETE FROM days ${DELETES};
  INSERT INTO days VALUES ('10.0.1.1', 'low', 0, '2020-01-01', 61), ('::1', 'low', 9, '2020-01-06', 62);
  UPDATE days SET day = '2020-01-06' WHERE n = 1; UPDATE days SET day = '2020-01-01' WHERE n = 52`;
const CHANGES_AT_START = `UPDATE days SET v = 2 WHERE n IN (2, 40, 58); DELETE FROM days WHERE n = 59; ${LAST}`;

describeWithJava('unfinished snapshots of Millrace and of Debezium', () => {
  let java: JavaTask;
  let database: TestDatabase;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-signals-'));
    // As far from UTC as possible, because Java's dates depend on it.
    java = await JavaTask.create('Pacific/Auckland');
  });
  beforeEach(async () => {
    database = await TestDatabase.create(TABLES);
  });
  afterEach(async () => {
    await java.stop();
    await database.drop();
  });
  afterAll(async () => {
    await java?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs a task until its records pass the test. */
  async function run(
    side: Side,
    config: Record<string, string>,
    offset: SourceOffset | null,
    isDone: Test,
    { when = () => true, then }: { readonly when?: Test; readonly then?: () => Promise<unknown> } = {},
  ): Promise<Change[]> {
    if (side === 'Debezium') {
      await java.start(config, offset);
      const changes = (): Change[] =>
        java.records.map(({ topic, value, sourceOffset }) =>
          change(topic, JSON.parse(value[1] ?? 'null') as Event, sourceOffset),
        );
      const detail = (): string => `${text(changes().slice(-5))}\n${java.failure}\n${java.logged()}`;
      if (then !== undefined) {
        const streams = async (): Promise<boolean> => when(changes()) && (await database.streams()) > 0;
        await waitFor('Debezium to stream', streams, { detail });
        await then();
      }
      await waitFor('records of Debezium', () => isDone(changes()), { detail });
      await java.stop();
      return changes();
    }
    const task = await TaskRun.start(config, offset);
    // The second side resumes at an offset before those that the task stores later.
    task.acknowledges = false;
    const changes = (): Change[] =>
      task.records.map(({ topic, value, sourceOffset }) => change(topic, value as Event, sourceOffset));
    try {
      await task.until(() => when(changes()));
      await then?.();
      await task.until(() => isDone(changes()));
    } finally {
      await task.stop();
    }
    return changes();
  }

  const settings = (overrides: Record<string, string>): Record<string, string> =>
    taskConfig(database, {
      'snapshot.mode': 'no_data',
      'signal.data.collection': 'public.signals',
      'signal.poll.interval.ms': '100',
      'heartbeat.interval.ms': '100',
      'incremental.snapshot.chunk.size': '7',
      'poll.interval.ms': '10',
      'tombstones.on.delete': 'false',
      'notification.enabled.channels': 'sink',
      'notification.sink.topic.name': 'notes',
      ...overrides,
    });
  const completed: Test = (changes) => changes.some(({ type }) => type === 'COMPLETED');
  const other = (side: Side): Side => (side === 'Debezium' ? 'Millrace' : 'Debezium');
  const reads = (changes: readonly Change[], table: string): number[] =>
    changes.filter((one) => one.table === table && one.op === 'r').map(({ n }) => n);

  /** What a consumer of the topic has in the end. */
  function state(changes: readonly Change[], table: string): unknown[] {
    const rows = new Map<number, number | null>();
    for (const one of changes) {
      if (one.table !== table) continue;
      if (one.op === 'd') rows.delete(one.n);
      else rows.set(one.n, one.v);
    }
    return [...rows].map(([n, v]) => ({ n, v })).sort((a, b) => a.n - b.n);
  }
  const stored = async (table: string): Promise<unknown[]> =>
    await database.query(`SELECT n, v FROM ${table} ORDER BY n`);

  test.each<Side>(['Millrace', 'Debezium'])(
    'cdc-postgres 24, 70: an initial snapshot that %s has begun',
    async (side) => {
      await database.query("INSERT INTO keys SELECT md5(i::text)::uuid, i, 'x', i FROM generate_series(61, 3000) i");
      const small = { 'max.batch.size': '10', 'max.queue.size': '11', 'snapshot.fetch.size': '10' };
      const include = { 'snapshot.mode': 'initial', 'table.include.list': 'public.(keys|days)' };
      // Millrace reads the smaller table first, so its progress is in the offset.
      const first = await run(side, settings({ ...small, ...include }), null, (changes) => changes.length >= 100);
      const rows = first.filter(({ op }) => op === 'r').slice(0, 90);
      const { offset } = rows.at(-1) as Change;
      expect(offset).toMatchObject({ snapshot: 'INITIAL', snapshot_completed: false });
      if (side === 'Millrace') expect(offset).toHaveProperty('snapshot_progress');
      await database.query('UPDATE keys SET v = 1 WHERE n IN (5, 2000); DELETE FROM keys WHERE n IN (6, 2001)');
      await database.query('UPDATE days SET v = 1 WHERE n = 5; DELETE FROM days WHERE n = 6');
      const ended: Test = (changes) => changes.some(({ n }) => n === 5000);
      const second = await run(other(side), settings(include), offset, ended, {
        when: (changes) => reads(changes, 'keys').length === 2998 && reads(changes, 'days').length === 59,
        then: async () => await database.query(LAST),
      });
      for (const table of ['keys', 'days']) {
        const all = [...rows, ...second];
        // Debezium does not report what was deleted before its second snapshot.
        const seen = side === 'Debezium' ? state(all, table) : state(second, table);
        expect(seen).toEqual(await stored(table));
      }
    },
  );

  test.each<[Side, 'signals' | 'keys' | 'days', 'by signal table' | 'read.only']>([
    ['Millrace', 'signals', 'by signal table'],
    ['Millrace', 'keys', 'by signal table'],
    ['Millrace', 'days', 'by signal table'],
    ['Millrace', 'days', 'read.only'],
    ['Debezium', 'signals', 'by signal table'],
    ['Debezium', 'keys', 'by signal table'],
    ['Debezium', 'days', 'by signal table'],
    ['Debezium', 'days', 'read.only'],
  ])('cdc-postgres 70, 100: an incremental snapshot of %s, stopped at a row of %s, %s', async (side, table, how) => {
    const file = join(folder, 'signals');
    const readOnly = { 'read.only': 'true', 'signal.enabled.channels': 'file', 'signal.file': file };
    const config = settings(how === 'read.only' ? readOnly : {});
    const before = await run(side, config, null, completed, {
      then: async () => await (how === 'read.only' ? writeFile(file, `${SIGNAL}\n`) : database.query(INSERT, [SIGNAL])),
    });
    const isLast = (one: Change): boolean =>
      table === 'signals'
        ? one.offset.incremental_snapshot_collections !== undefined
        : one.table === table && one.op === 'r' && one.n === 33;
    const first = before.slice(0, before.findIndex(isLast) + 1);
    const { offset } = first.at(-1) as Change;
    expect(offset).toMatchObject({ incremental_snapshot_correlation_id: 'ad-hoc' });
    await database.query(CHANGES);
    const ended: Test = (changes) => completed(changes) && changes.some(({ n }) => n === 5000);
    const second = await run(other(side), config, offset, ended, {
      then: async () => await database.query(CHANGES_AT_START),
    });
    for (const one of ['keys', 'days']) {
      const rows = (await stored(one)) as Row[];
      // The condition leaves it out.
      const expected = one === 'days' ? rows.filter(({ n }) => n !== 55) : rows;
      expect([one, state([...first, ...second], one)]).toEqual([one, expected]);
    }
    // It did not start over: at most the day before is read again. Row 1 has moved.
    if (table !== 'signals') expect(Math.min(...reads(second, table).filter((n) => n > 1))).toBeGreaterThan(19);
    if (table === 'days') expect(reads(second, 'keys')).toEqual([]);
  });

  test('cdc-postgres 70, 100: Debezium cannot continue by timestamps, and Millrace can after its attempt', async () => {
    const config = settings({});
    const signal = SIGNAL.replace('public.days', 'public.moments');
    const before = await run('Millrace', config, null, completed, {
      then: async () => await database.query(INSERT, [signal]),
    });
    const first = before.slice(0, before.findIndex(({ table, n }) => table === 'moments' && n === 33) + 1);
    const { offset } = first.at(-1) as Change;
    await java.start(config, offset);
    // It logs PostgreSQL's error and skips the table; the task fails later, with an error of its own.
    const refused = (): boolean => /timestamp with time zone > character varying/.test(java.logged());
    const detail = (): string => `failure: ${java.failure}\n${java.logged()}`;
    await waitFor('Debezium to fail', () => java.failure !== null && refused(), { detail });
    await java.stop();
    const second = await run('Millrace', config, offset, completed);
    expect(state([...first, ...second], 'moments')).toEqual(await stored('moments'));
    expect(Math.min(...reads(second, 'moments'))).toBeGreaterThan(19);
  });
});
