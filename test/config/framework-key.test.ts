import { COMMON_KEYS, SINK_KEYS, SOURCE_KEYS } from '../../src/config/connector-config';
import { readKey } from '../../src/config/framework-key';
import { MILLRACE_KEYS } from '../../src/config/millrace-keys';

test('the value of a key has the type of its row; without a value it is the default', () => {
  const tasks: number = readKey(COMMON_KEYS.tasksMax, { 'tasks.max': ' 4 ' });
  const tolerance: 'none' | 'all' = readKey(COMMON_KEYS.tolerance, { 'errors.tolerance': 'all' });
  const support: 'required' | 'requested' = readKey(SOURCE_KEYS.exactlyOnceSupport, {
    'exactly.once.support': 'Required',
  });
  const topics: readonly string[] = readKey(SINK_KEYS.topics, { topics: 'a, b' });
  const restarts: number | null = readKey(MILLRACE_KEYS.restartMax, {});
  expect([tasks, tolerance, support, topics, restarts]).toEqual([4, 'all', 'required', ['a', 'b'], null]);
  expect(readKey(COMMON_KEYS.retryTimeoutMs, { 'errors.retry.timeout': '9223372036854775807' })).toBe(2 ** 63);
  expect([readKey(COMMON_KEYS.tasksMax, {}), readKey(COMMON_KEYS.logErrors, {})]).toEqual([1, false]);
});

test('an invalid value counts as not set', () => {
  expect(readKey(COMMON_KEYS.tasksMax, { 'tasks.max': '0' })).toBe(1);
  expect(readKey(COMMON_KEYS.tasksMax, { 'tasks.max': '${file:/p:k}' })).toBe(1);
  expect(readKey(COMMON_KEYS.tolerance, { 'errors.tolerance': 'some' })).toBe('none');
  expect(readKey(SOURCE_KEYS.offsetsTopic, { 'offsets.storage.topic': ' ' })).toBeNull();
});
