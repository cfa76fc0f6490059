import type { ConnectRecord, Header, Predicate } from '@millrace/sdk';
import { builtInPredicates } from '../../src/transforms/predicates';

function predicate(name: string, config: Record<string, string> = {}): Predicate {
  const found = builtInPredicates.find(({ className }) => className.endsWith(`.${name}`));
  const made = (found as (typeof builtInPredicates)[number]).plugin.create();
  made.configure(config);
  return made;
}
const record = (over: Partial<ConnectRecord>): ConnectRecord => ({
  sourcePartition: null,
  sourceOffset: null,
  topic: 't',
  keySchema: null,
  key: null,
  valueSchema: null,
  value: null,
  ...over,
});
const header = (key: string): Header => ({ key, schema: null, value: null });

test('connect-runtime 106: Java’s classes', () => {
  expect(builtInPredicates.map(({ className }) => className)).toEqual([
    'org.apache.kafka.connect.transforms.predicates.HasHeaderKey',
    'org.apache.kafka.connect.transforms.predicates.RecordIsTombstone',
    'org.apache.kafka.connect.transforms.predicates.TopicNameMatches',
  ]);
});

test('connect-runtime 106: HasHeaderKey', () => {
  const has = predicate('HasHeaderKey', { name: 'b' });
  expect(has.test(record({ headers: [header('a'), header('b'), header('b')] }))).toBe(true);
  expect(has.test(record({ headers: [header('a')] }))).toBe(false);
  expect(has.test(record({ headers: [] }))).toBe(false);
  expect(has.test(record({ headers: null }))).toBe(false);
  expect(has.test(record({}))).toBe(false);
});

test.each([
  [null, true],
  [undefined, true],
  ['', false],
  [0, false],
  [false, false],
])('connect-runtime 106: RecordIsTombstone with %p: %p', (value, expected) => {
  expect(predicate('RecordIsTombstone').test(record({ value }))).toBe(expected);
});

test.each([
  ['orders', 'orders', true],
  ['orders', 'orders2', false],
  ['a|b', 'b', true],
  ['a|b', 'ab', false],
  ['dev\\.(?!secret).*', 'dev.public', true],
  ['dev\\.(?!secret).*', 'dev.secret', false],
  ['(?i)ORDERS', 'orders', true],
])('connect-runtime 106: TopicNameMatches %s with topic %s: %p', (pattern, topic, expected) => {
  const matches = predicate('TopicNameMatches', { pattern });
  expect(matches.test(record({ topic: 'another' }))).toBe(false);
  expect(matches.test(record({ topic }))).toBe(expected);
  expect(matches.test(record({ topic }))).toBe(expected);
});
