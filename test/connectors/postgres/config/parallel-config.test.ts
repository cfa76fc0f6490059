/** `slot.count` and `slot.tables`: checks, and the distribution of tables. */
import { checkConfig } from '../../../../connectors/postgres/src/config/check';
import { parallelConfig } from '../../../../connectors/postgres/src/config/parallel-config';
import { parseConfig } from '../../../../connectors/postgres/src/config/postgres-config';
import { slotOf, slotParts, sourcePartition } from '../../../../connectors/postgres/src/config/slot-part';

const GOOD = {
  'topic.prefix': 'p',
  'database.hostname': 'localhost',
  'database.user': 'cdc',
  'database.dbname': 'd',
  'tasks.max': '4',
};
const problems = (overrides: Record<string, string>): [string, string][] =>
  checkConfig({ ...GOOD, ...overrides }).problems.map(({ key, message }) => [key, message]);

test('slot.count=1, the default, changes no name', () => {
  const [only, ...others] = slotParts(parseConfig(GOOD));
  expect(others).toEqual([]);
  expect(only).toMatchObject({ part: null, slot: { name: 'debezium' }, publication: { name: 'dbz_publication' } });
  expect(only && sourcePartition(only)).toEqual({ server: 'p' });
});

test('each of several slots has its own name, publication and source partition', () => {
  const parts = slotParts(parseConfig({ ...GOOD, 'slot.count': '2', 'slot.name': 'a', 'publication.name': 'b' }));
  expect(parts.map((part) => [part.slot.name, part.publication.name, sourcePartition(part)])).toEqual([
    ['a_0', 'b_0', { server: 'p', slot: '0/2' }],
    ['a_1', 'b_1', { server: 'p', slot: '1/2' }],
  ]);
});

test('the slot of a table never changes', () => {
  // These are stored: another hash would move tables between slots that stand at different positions.
  const slots = ['public.a', 'public.b', 'public.orders', 'Sales.Ümlaut'].map((name) =>
    slotOf(name, parallelConfig({ 'slot.count': '4' })),
  );
  expect(slots).toEqual([3, 2, 3, 3]);
});

test('tables are distributed evenly', () => {
  const counts = new Array<number>(4).fill(0);
  const parallel = parallelConfig({ 'slot.count': '4' });
  for (let i = 0; i < 1000; i++) {
    const slot = slotOf(`public.table_${i}`, parallel);
    counts[slot] = (counts[slot] ?? 0) + 1;
  }
  expect(Math.min(...counts)).toBeGreaterThan(200);
});

test('slot.tables assigns tables, the first pattern wins, and the layout depends on it', () => {
  const parallel = parallelConfig({ 'slot.count': '4', 'slot.tables': '3:public\\.a.*; 2: public\\.ab, x\\.(y|z)' });
  expect(['public.ab', 'public.A', 'x.z'].map((name) => slotOf(name, parallel))).toEqual([3, 3, 2]);
  expect(parallel.layout).toMatch(/^4-[0-9a-f]{8}$/);
  expect(parallelConfig({ 'slot.count': '4', 'slot.tables': '3:public\\.a' }).layout).not.toBe(parallel.layout);
  // Without effect, so no other layout.
  expect(parallelConfig({ 'slot.count': '1', 'slot.tables': '0:public\\.a' }).layout).toBe('1');
});

test.each<[Record<string, string>, string, string]>([
  [{ 'slot.count': '5' }, 'slot.count', 'set tasks.max to 5 or more; it is 4'],
  [{ 'slot.count': '0' }, 'slot.count', 'A positive, non-zero integer value is expected'],
  [{ 'slot.count': '65', 'tasks.max': '99' }, 'slot.count', 'at most 64'],
  [{ 'slot.count': '2', 'slot.name': 'x'.repeat(62) }, 'slot.name', 'longer than 63 characters'],
  [{ 'slot.count': '2', 'publication.name': 'x'.repeat(62) }, 'publication.name', 'longer than 63 characters'],
  [{ 'slot.count': '2', 'publish.via.partition.root': 'true' }, 'publish.via.partition.root', 'different tasks'],
  [
    { 'slot.count': '2', 'signal.data.collection': 'public.s' },
    'signal.data.collection',
    'only the task of that table',
  ],
  [{ 'slot.count': '2', 'signal.enabled.channels': 'kafka, File' }, 'signal.enabled.channels', 'miss its signals'],
  [{ 'slot.count': '2', 'slot.tables': '2:public\\.a' }, 'slot.tables', '"2" is not a slot'],
  [{ 'slot.count': '2', 'slot.tables': 'public\\.a' }, 'slot.tables', 'is not a slot'],
  [{ 'slot.count': '2', 'slot.tables': '1:' }, 'slot.tables', 'slot 1 has none'],
  [{ 'slot.count': '2', 'slot.tables': '1:(' }, 'slot.tables', 'Valid regular expressions are expected'],
])('%j is an error of %s', (overrides, key, message) => {
  expect(problems(overrides)).toContainEqual([key, expect.stringContaining(message)]);
});

test('settings that are rejected with several slots are accepted with one', () => {
  const both = { 'publish.via.partition.root': 'true', 'slot.tables': '9:(' };
  expect(problems({ ...both, 'slot.count': '1' })).toEqual([]);
  expect(problems(both)).toEqual([]);
});
