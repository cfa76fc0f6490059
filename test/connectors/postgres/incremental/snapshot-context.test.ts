/** The members of offsets: cdc-postgres §6.4; keys of all kinds. */
import { writeObjectArray } from '../../../../connectors/postgres/src/incremental/java-array-writer';
import { decodeKey, encodeKey } from '../../../../connectors/postgres/src/incremental/key-codec';
import type { KeyType } from '../../../../connectors/postgres/src/incremental/key-type';
import { endOfRecords } from '../../../../connectors/postgres/src/incremental/watermarks';
import {
  checkListFits,
  SnapshotContext,
  withoutContext,
  type Collection,
} from '../../../../connectors/postgres/src/incremental/snapshot-context';

const typed = (oid: number): KeyType => ({ oid, objectName: null });

test.each([
  [[23], ['5']],
  [[20], ['-9223372036854775808']],
  [
    [21, 25],
    ['7', 'a\\b\'c"é😀'],
  ],
  [
    [16, 16],
    ['true', 'false'],
  ],
  [[1700], ['-12345678901234567890.1200']],
  [[1700], ['NaN']],
  [[2950], ['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11']],
  [
    [1082, 1082, 1082, 1082, 1082],
    ['2020-02-29', 'infinity', '-infinity', '0044-03-15 BC', '12345-01-01'],
  ],
  [[17], ['\\x00ff10']],
  [
    [1114, 1184],
    ['2020-01-01 00:00:00.123456', '2020-01-01 00:00:00+00'],
  ],
  [
    [701, 701],
    ['1.5', 'Infinity'],
  ],
])('cdc-postgres §6.4: keys are read as they were written: %j', (types, key) => {
  expect(decodeKey(encodeKey(key, types.map(typed)), 'after')).toEqual(key);
});

test('cdc-postgres §6.4: a type for which Java’s driver has no class', () => {
  const hex = encodeKey(['10.0.0.1'], [{ oid: 869, objectName: 'inet' }]);
  expect(Buffer.from(hex, 'hex').toString('latin1')).toContain('org.postgresql.util.PGobject');
  expect(decodeKey(hex, 'after')).toEqual(['10.0.0.1']);
});

test.each([
  // Midnight of 2020-02-29 in UTC+14, +13, +12, +11, 0, -10 and -12.
  ['2020-02-28T10:00Z', '2020-02-28', '2020-02-29'],
  ['2020-02-28T11:00Z', '2020-02-28', '2020-02-29'],
  ['2020-02-28T12:00Z', '2020-02-28', '2020-02-29'],
  ['2020-02-28T13:00Z', '2020-02-29', '2020-02-29'],
  ['2020-02-29T00:00Z', '2020-02-29', '2020-02-29'],
  ['2020-02-29T10:00Z', '2020-02-29', '2020-03-01'],
  ['2020-02-29T12:00Z', '2020-02-29', '2020-03-01'],
])('cdc-postgres §6.4: dates of a JVM in an unknown time zone leave out no row: %s', (midnight, after, upTo) => {
  const hex = writeObjectArray([{ type: 'Date', millis: BigInt(Date.parse(midnight)) }]).toString('hex');
  expect([decodeKey(hex, 'after'), decodeKey(hex, 'upTo')]).toEqual([[after], [upTo]]);
});

test('cdc-postgres §6.4: dates whose days differ in Java’s calendar are not read', () => {
  const hex = writeObjectArray([{ type: 'Date', millis: BigInt(Date.parse('1582-10-01')) }]).toString('hex');
  expect(() => decodeKey(hex, 'after')).toThrow('date out of range');
});

test('cdc-postgres §6.4: the members of a running snapshot, restored and removed', () => {
  const context = new SnapshotContext();
  expect(context.members()).toBe(null);
  context.queue.push({ table: 'public.t', condition: '(id<>4)', surrogateKey: null, correlationId: 'ad-hoc' });
  context.queue.push({ table: 'public.u', condition: null, surrogateKey: 'c', correlationId: 'ad-hoc' });
  context.correlationId = 'ad-hoc';
  context.keyTypes = [typed(23)];
  context.maximumKey = ['5'];
  const members = context.members();
  expect(members).toMatchObject({
    incremental_snapshot_correlation_id: 'ad-hoc',
    incremental_snapshot_primary_key: 'aced000570',
  });
  const restored = SnapshotContext.restore({ lsn: 1, ...members }, () => fail());
  expect([restored.queue, restored.maximumKey, restored.lastKey]).toEqual([context.queue, ['5'], null]);
  // Also before the types of the key are known, because Debezium cannot compare a number with a text.
  expect(restored.members()).toEqual(members);
  expect(withoutContext({ lsn: 1, snapshot: 'INCREMENTAL', last_snapshot_record: false, ...members })).toEqual({
    lsn: 1,
  });
  expect(withoutContext({ lsn: 1, snapshot: 'INITIAL' })).toEqual({ lsn: 1, snapshot: 'INITIAL' });
});

test('cdc-postgres §6.4: tables that are stopped while a chunk is open are not in offsets, and do not return', () => {
  const context = new SnapshotContext();
  const [t, u, v] = ['public.t', 'public.u', 'public.v'].map((table) => ({
    ...{ table, condition: null, surrogateKey: null, correlationId: table === 'public.v' ? 'first' : 'second' },
  })) as [Collection, Collection, Collection];
  context.queue.push(t, u, v);
  context.correlationId = 'second';
  context.keyTypes = [typed(23)];
  context.maximumKey = ['5'];
  context.lastKey = ['2'];
  context.stopping.add(t);
  context.stopping.add(u);
  const restored = SnapshotContext.restore({ lsn: 1, ...context.members() }, () => fail());
  expect([restored.queue, restored.correlationId]).toEqual([[v], 'second']);
  expect([restored.maximumKey, restored.lastKey]).toEqual([null, null]);
  // The chunk that is open ends with the key of its table.
  expect([context.current, context.maximumKey]).toEqual([t, ['5']]);
  expect(context.stopTables()).toEqual([t, u]);
  expect([context.queue, context.maximumKey, context.lastKey]).toEqual([[v], null, null]);
  context.stopping.add(v);
  expect(context.members()).toBe(null);
});

test('offsets that cannot be read: the snapshot does not continue, or its table starts again', () => {
  const problems: string[] = [];
  const warn = (problem: string): void => void problems.push(problem);
  const none = SnapshotContext.restore({ incremental_snapshot_collections: '{' }, warn);
  const list =
    '[null, {"incremental_snapshot_collections_id": "public.t"}, {"incremental_snapshot_collections_id": 5}]';
  const again = SnapshotContext.restore(
    { incremental_snapshot_collections: list, incremental_snapshot_primary_key: 'xyz' },
    warn,
  );
  expect([none.queue, again.queue.map(({ table }) => table), again.lastKey]).toEqual([[], ['public.t'], null]);
  expect(problems).toEqual([
    'Its list of tables is not valid, so it does not continue.',
    'The key of its last chunk is not hexadecimal, so the table is read from its beginning.',
  ]);
});

test('cdc-postgres 104: an insert position after the header of a page is the end of the page before', () => {
  expect([0x2000018, 0x2000028, 0x2000100].map(endOfRecords)).toEqual([0x2000000, 0x2000000, 0x2000100]);
});

test('cdc-postgres §6.4: keys of another table or of other columns are not continued', () => {
  const order = (table: number, column: string): string => JSON.stringify({ table, columns: [[column, 23, 0]] });
  const begun = (): SnapshotContext => {
    const context = new SnapshotContext();
    context.queue.push({ table: 'public.t', condition: null, surrogateKey: null, correlationId: null });
    expect(context.follow(['id'], [typed(23)], order(1, 'id'))).toBe(true);
    context.maximumKey = ['9'];
    context.lastKey = ['5'];
    return SnapshotContext.restore(context.members(), () => fail());
  };
  const follow = (key: string[], definition: string, context = begun()): unknown[] => [
    context.follow(
      key,
      key.map(() => typed(23)),
      definition,
    ),
    context.lastKey,
  ];
  expect(follow(['id'], order(1, 'id'))).toEqual([true, ['5']]);
  expect(follow(['code'], order(1, 'code'))).toEqual([false, null]);
  expect(follow(['id'], order(2, 'id'))).toEqual([false, null]);
  // Offsets of Debezium and of earlier versions do not name the columns.
  const unnamed = begun();
  unnamed.keyOrder = null;
  expect(follow(['code'], order(1, 'code'), unnamed)).toEqual([true, ['5']]);
  unnamed.keyOrder = null;
  expect(follow(['id', 'code'], order(1, 'code'), unnamed)).toEqual([false, null]);
});

test('cdc-postgres §6.4: more tables than an offset can hold are refused', () => {
  const tables = (count: number): { table: string; condition: null; surrogateKey: null; correlationId: string }[] =>
    Array.from({ length: count }, (_, i) => ({
      ...{ table: `public.table_${i}`, condition: null, surrogateKey: null, correlationId: 'all' },
    }));
  expect(() => checkListFits([], tables(3500), 'all')).not.toThrow();
  expect(() => checkListFits(tables(1), tables(5500), 'all')).toThrow(
    /^asks for 5500 tables beside 1 that are still to be read: their list takes 10\d{5} bytes of each offset, of at most 786432\. Send signals for fewer tables/,
  );
});
