/** The tables of one database split over several slots, each read by a task (`slot.count`). */
import type { SourceRecord } from '@millrace/sdk';
import { MemoryOffsets, runSourceTask, type SourceRun } from '@millrace/sdk/testing';
import { postgresConnector } from '../../../connectors/postgres/src';
import { slotOf } from '../../../connectors/postgres/src/config/slot-part';
import { TestDatabase } from '../../helpers/test-database';
import { taskConfig, type AnyRecord } from './harness';

const TABLES = Array.from({ length: 8 }, (_, i) => `t${i}`);
const PARALLEL = { count: 2, assigned: [], layout: '2' };
const ownedBy = (task: number): string[] => TABLES.filter((name) => slotOf(`public.${name}`, PARALLEL) === task);

let database: TestDatabase;
beforeEach(async () => {
  database = await TestDatabase.create(
    TABLES.map((name) => `CREATE TABLE ${name} (id int PRIMARY KEY); INSERT INTO ${name} VALUES (1), (2);`).join(''),
  );
});
afterEach(async () => {
  await database.drop();
});

const config = (overrides: Record<string, string> = {}): Record<string, string> =>
  taskConfig(database, {
    'slot.count': '2',
    'tasks.max': '2',
    'publication.autocreate.mode': 'filtered',
    ...overrides,
  });

/** Runs one task until it has delivered `count` records. */
const run = (task: number, offsets: MemoryOffsets, count: number, overrides: Record<string, string> = {}) =>
  runSourceTask(postgresConnector, config(overrides), { task, offsets, until: count, timeoutMs: 30_000 });

const both = async (
  offsets: MemoryOffsets,
  perTable: number,
  overrides?: Record<string, string>,
): Promise<SourceRun[]> =>
  await Promise.all([0, 1].map((task) => run(task, offsets, ownedBy(task).length * perTable, overrides)));

const seen = (records: readonly SourceRecord[]): string[] =>
  (records as readonly AnyRecord[]).map(({ value }) => `${value.op} ${value.source.table} ${value.after.id}`).sort();

const expected = (task: number, op: string, ids: readonly number[]): string[] =>
  ownedBy(task)
    .flatMap((table) => ids.map((id) => `${op} ${table} ${id}`))
    .sort();

async function insert(id: number): Promise<void> {
  await database.query(`BEGIN; ${TABLES.map((name) => `INSERT INTO ${name} VALUES (${id})`).join(';')}; COMMIT`);
}

test.each(['filtered', 'all_tables'])(
  'each task takes the snapshot of its tables and streams their changes, with publications %s',
  async (mode) => {
    expect(ownedBy(0).length).toBeGreaterThan(0);
    expect(ownedBy(1).length).toBeGreaterThan(0);
    const offsets = new MemoryOffsets();
    const how = { 'publication.autocreate.mode': mode };
    const snapshots = await both(offsets, 2, how);
    await insert(3);
    const changes = await both(offsets, 1, how);
    for (const task of [0, 1]) {
      expect(seen(snapshots[task]?.records ?? [])).toEqual(expected(task, 'r', [1, 2]));
      expect(seen(changes[task]?.records ?? [])).toEqual(expected(task, 'c', [3]));
    }
    const slots = (await database.slots()).map((slot) => slot.slot_name);
    expect(slots.sort()).toEqual([`${database.slot}_0`, `${database.slot}_1`]);
  },
);

test('each task has a publication of its own tables, and partition and offsets of its own', async () => {
  const offsets = new MemoryOffsets();
  await both(offsets, 2);
  const published = await database.query('SELECT pubname, tablename FROM pg_publication_tables ORDER BY 1, 2');
  const names = [0, 1].flatMap((task) =>
    ownedBy(task).map((tablename) => ({ pubname: `${config()['publication.name']}_${task}`, tablename })),
  );
  expect(published).toEqual(names);
  for (const slot of ['0/2', '1/2']) expect(offsets.get({ server: 'fulfillment', slot })).toHaveProperty('lsn');
  expect(offsets.get({ server: 'fulfillment', slot: 'layout' })).toEqual({ layout: '2' });
  expect(offsets.get({ server: 'fulfillment' }) ?? null).toBeNull();
});

test('stored offsets of another layout are refused, because changes would be lost', async () => {
  const offsets = new MemoryOffsets();
  await both(offsets, 2);
  const refused = { code: 'PG_SLOT_LAYOUT' };
  const more = { 'slot.count': '3', 'tasks.max': '3' };
  await expect(run(0, offsets, 1, more)).rejects.toMatchObject(refused);
  await expect(run(0, offsets, 1, { 'slot.count': '1' })).rejects.toMatchObject(refused);
  await expect(run(0, offsets, 1, { 'slot.tables': '0:public\\.t.*' })).rejects.toThrow('with another slot.tables');
  // With the offsets deleted, a new snapshot of all tables is taken.
  const again = await run(0, new MemoryOffsets(), 16, { 'slot.tables': '0:public\\.t.*' });
  expect(again.records).toHaveLength(16);
});

test('offsets of a single slot are refused by several, and those stay as they are', async () => {
  const offsets = new MemoryOffsets();
  await run(0, offsets, 16, { 'slot.count': '1' });
  const { lsn } = offsets.get({ server: 'fulfillment' }) as { lsn: number };
  const failure = run(1, offsets, 1);
  await expect(failure).rejects.toThrow(
    /slot\.count=1, but slot\.count is 2 now.*drop the old slots \("slot_[a-z0-9_]+"\)/,
  );
  expect(offsets.get({ server: 'fulfillment' })).toMatchObject({ lsn });
});

test('a task without tables has an empty publication, and a table created later is in it after a restart', async () => {
  const offsets = new MemoryOffsets();
  const all = { 'slot.tables': '0:public\\.t.;1:public\\.later', 'heartbeat.interval.ms': '1' };
  const idle = await run(1, offsets, 1, all);
  expect(idle.records.map(({ topic }) => topic)).toEqual(['__debezium-heartbeat.fulfillment']);
  await database.query('CREATE TABLE later (id int PRIMARY KEY)');
  await run(1, offsets, 1, all);
  await database.query('INSERT INTO later VALUES (1)');
  const later = await runSourceTask(postgresConnector, config(all), {
    ...{ task: 1, offsets, timeoutMs: 30_000 },
    until: (records) => records.some(({ topic }) => topic === 'fulfillment.public.later'),
  });
  expect(seen(later.records.filter(({ topic }) => topic === 'fulfillment.public.later'))).toEqual(['c later 1']);
});

test('another number of slots: a slot that has no table any more leaves the tables of the others alone', async () => {
  await both(new MemoryOffsets(), 2);
  await database.query(
    `SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE database = '${database.name}'`,
  );
  const offsets = new MemoryOffsets();
  // All tables belong to slot 0 now.
  const how = { 'slot.tables': '0:.*', 'heartbeat.interval.ms': '50' };
  await Promise.all([run(0, offsets, 16, how), run(1, offsets, 1, how)]);
  await insert(3);
  const ofTables = (records: readonly SourceRecord[]): number =>
    records.filter(({ topic }) => !topic.startsWith('__')).length;
  const allTables = runSourceTask(postgresConnector, config(how), {
    ...{ task: 0, offsets, timeoutMs: 30_000 },
    until: (records) => ofTables(records) >= 8,
  });
  const [changes] = await Promise.all([allTables, run(1, offsets, 1, how)]);
  expect(ofTables(changes.records)).toBe(8);
  const left = `SELECT FROM pg_publication_tables WHERE pubname = 'pub_${database.name}_1'`;
  expect(await database.query(left)).toEqual([]);
});

test('cdc-postgres 42: a logical message is published once, by task 0', async () => {
  const offsets = new MemoryOffsets();
  const settings = { 'snapshot.mode': 'no_data', 'heartbeat.interval.ms': '1' };
  // Creates the slots.
  await Promise.all([0, 1].map((task) => run(task, offsets, 1, settings)));
  await database.query("SELECT pg_logical_emit_message(false, 'p', 'x'), pg_logical_emit_message(true, 'q', 'x')");
  await insert(3);
  const prefixes = async (task: number): Promise<unknown[]> => {
    const { records } = await runSourceTask(postgresConnector, config(settings), {
      ...{ task, offsets, timeoutMs: 30_000 },
      until: (all) =>
        (all as readonly AnyRecord[]).filter(({ value }) => value.op === 'c').length === ownedBy(task).length,
    });
    return (records as readonly AnyRecord[]).filter(({ value }) => value.op === 'm').map(({ key }) => key.prefix);
  };
  expect(await prefixes(1)).toEqual([]);
  expect(await prefixes(0)).toEqual(['p', 'q']);
});

test('validation checks the slot and the publication of each task', async () => {
  const found = await postgresConnector.validate?.(config({ 'publication.autocreate.mode': 'disabled' }), {});
  expect(found?.map(({ key, message }) => [key, /"?(\w+_[01])"? FOR TABLE/.exec(message)?.[1]])).toEqual([
    ['publication.name', `${config()['publication.name']}_0`],
    ['publication.name', `${config()['publication.name']}_1`],
  ]);
});

test('a table renamed to a name of another slot fails the task instead of losing its changes', async () => {
  const offsets = new MemoryOffsets();
  await both(offsets, 2);
  const [table = ''] = ownedBy(0);
  const suffix = [0, 1, 2, 3, 4, 5, 6, 7, 8].find((i) => slotOf(`public.renamed${i}`, PARALLEL) === 1);
  await database.query(`ALTER TABLE ${table} RENAME TO renamed${suffix}; INSERT INTO renamed${suffix} VALUES (3)`);
  await expect(run(0, offsets, 1)).rejects.toThrow(
    expect.objectContaining({ code: 'PG_SLOT_LAYOUT', message: expect.stringContaining('it was renamed') as string }),
  );
});
