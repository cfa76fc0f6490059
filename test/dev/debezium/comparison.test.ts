/** The comparison with Debezium detects what differs, and explains only what the compatibility page documents. */
import { Comparison } from '../../../dev/debezium/comparison';
import type { EventRecord } from '../../../dev/debezium/event-record';
import { EXPLANATIONS, KEYLESS_TOMBSTONE, UNSEEN_CHANGE } from '../../../dev/debezium/explained-differences';
import { exactJson } from '../../../dev/debezium/record-differences';
import { Workload } from '../../../dev/debezium/workload';
import { page } from '../../helpers/compatibility-page';
import { seeded } from '../../helpers/seeded';

const SCHEMA = '{"type":"struct","fields":[{"type":"int32","optional":false,"field":"id"}],"optional":false}';

function record(lsn: number, after: Record<string, unknown> = { id: 1 }, more: Partial<EventRecord> = {}): EventRecord {
  const value = { before: null, after, source: { lsn }, op: 'c', ts_ms: 5 };
  return {
    topic: 'p.public.t',
    partition: null,
    timestamp: null,
    key: [SCHEMA, '{"id":1}'],
    value: [SCHEMA, JSON.stringify(value)],
    headers: [],
    sourcePartition: { server: 'p' },
    sourceOffset: { lsn },
    ...more,
  };
}

function compared(java: readonly EventRecord[], own: readonly EventRecord[]): Comparison {
  const comparison = new Comparison();
  comparison.add(java, own);
  return comparison;
}

const paths = (comparison: Comparison): unknown =>
  comparison.unexplained.map(({ event, differences }) => [event, ...differences.map(({ path }) => path)]);

test('equal records are pairs without differences', () => {
  const comparison = compared([record(1), record(2)], [record(1), record(2)]);
  expect([comparison.pairs, paths(comparison)]).toEqual([2, []]);
});

test.each<[string, EventRecord, string]>([
  ['a value', record(1, { id: 2 }), 'value.after.id'],
  ['a member that is missing', record(1, {}), 'value.after.id'],
  ['the key', record(1, undefined, { key: [SCHEMA, '{"id":2}'] }), 'key.id'],
  ['no key', record(1, undefined, { key: [null, null] }), 'key.schema'],
  ['a key schema', record(1, undefined, { key: [SCHEMA.replace('int32', 'int64'), '{"id":1}'] }), 'key.schema.id.type'],
  ['a header', record(1, undefined, { headers: [['h', null, null]] }), 'headers'],
  ['an offset', record(1, undefined, { sourceOffset: { lsn: 2 } }), 'offset.lsn'],
  ['a partition', record(1, undefined, { partition: 0 }), 'partition'],
  ['a source partition', record(1, undefined, { sourcePartition: { server: 'q' } }), 'sourcePartition.server'],
])('%s is a difference', (_name, own, path) => {
  const { unexplained } = compared([record(1)], [own]);
  expect(unexplained.map(({ differences }) => differences[0]?.path)).toEqual([expect.stringContaining(path)]);
});

test('digits beyond a double, and digits after the point, are compared', () => {
  expect(exactJson('{"a":9007199254740993,"b":0.12345678901234567891,"c":"12345678901234567890","d":1.5}')).toEqual({
    a: 'number 9007199254740993',
    b: 'number 0.12345678901234567891',
    c: '12345678901234567890',
    d: 1.5,
  });
});

test('lost, invented and swapped records are differences; the others are still pairs', () => {
  const [a, b, c] = [record(1), record(2), record(3)] as const;
  expect(paths(compared([a, b, c], [a, c]))).toEqual([['only in Debezium: c p.public.t 2']]);
  expect(paths(compared([a, c], [a, b, c]))).toEqual([['only in Millrace: c p.public.t 2']]);
  const swapped = compared([a, b, c], [b, a, c]);
  expect([swapped.pairs, swapped.unexplainedCount]).toEqual([2, 2]);
});

test('a report contains both sides of a difference', () => {
  const report = compared([record(1, { id: 7 })], [record(1, { id: 8 })]).report();
  expect(report).toContain('1 pairs, 1 with unexplained differences');
  expect(report).toContain('value.after.id: Debezium 7, Millrace 8');
  expect(report).toMatch(/ Debezium: .*"id":7/);
  expect(report).toMatch(/ Millrace: .*"id":8/);
});

test('every explanation is on the compatibility page', () => {
  const all = [...EXPLANATIONS.map(({ why }) => why), KEYLESS_TOMBSTONE, UNSEEN_CHANGE];
  expect(all.filter((why) => !page.includes(`| ${why} |`))).toEqual([]);
});

test('a seed gives the same statements every time', () => {
  const statements = (seed: number): string[] => {
    const workload = new Workload(seeded(seed), false);
    return [...workload.create(), ...workload.fill(2), ...Array.from({ length: 50 }, () => workload.change())];
  };
  expect(statements(5)).toEqual(statements(5));
  expect(statements(5)).not.toEqual(statements(6));
});
