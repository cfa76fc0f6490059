import type { Failure } from '../../../src/dead-letters/failure-of';
import { contains, isWanted, type LetterFilter, parseTime } from '../../../src/cli/verbs/dlq/letter-filter';
import { FakeIo, invocationOf } from '../fake-io';

const FAILURE: Failure = {
  ...{ topic: 'orders-2', partition: 0, offset: 7, connector: 'sink', task: '1', stage: null, className: null },
  ...{ exception: 'org.apache.kafka.connect.errors.DataException', message: 'Bad value', stacktrace: null },
};
const AT = 1_000;

test.each<[LetterFilter, boolean]>([
  [{}, true],
  [{ error: 'dataexception' }, true],
  [{ error: 'bad VALUE' }, true],
  [{ error: 'sink' }, false],
  [{ connector: 'sink', task: 1 }, true],
  [{ connector: 'other' }, false],
  [{ task: 0 }, false],
  [{ origin: 'orders-2' }, true],
  [{ origin: 'orders-2-0' }, true],
  [{ origin: 'orders-2-0@7' }, true],
  [{ origin: 'orders' }, false],
  [{ origin: 'orders-2-0@8' }, false],
  [{ since: AT, until: AT + 1 }, true],
  [{ since: AT + 1 }, false],
  [{ until: AT }, false],
])('%j', (filter, expected) => {
  expect(isWanted(filter, FAILURE, AT)).toBe(expected);
});

test('a letter without headers has no error, connector, task or origin', () => {
  const none = Object.fromEntries(Object.keys(FAILURE).map((name) => [name, null])) as unknown as Failure;
  expect(isWanted({}, none, AT)).toBe(true);
  for (const filter of [{ error: '' }, { connector: 'sink' }, { task: 0 }, { origin: 'null' }])
    expect(isWanted(filter, none, AT)).toBe(false);
});

test('times', () => {
  expect(parseTime('2026-01-31T12:00:00Z')).toBe(Date.UTC(2026, 0, 31, 12));
  expect(['30s', '15m', '2h', '3d'].map((text) => 0 - parseTime(text, 0))).toEqual([30e3, 900e3, 7200e3, 259200e3]);
  for (const text of ['x', '5', '12:00', '1w']) expect(() => parseTime(text)).toThrow('It must be a time');
  expect(() => invocationOf(['dlq', 'show', 't', '--since', 'x'], new FakeIo('/'))).toThrow('It must be a time');
});

test('a text is searched in any case', () => {
  expect([contains('"Key"', 'kEY'), contains('a', 'b'), contains(null, '')]).toEqual([true, false, false]);
});
