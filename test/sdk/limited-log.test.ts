import { LimitedLog } from '@millrace/sdk';
import { MemoryLogger } from '@millrace/sdk/testing';

let now = 0;
const logger = new MemoryLogger();
const taken = (): string[] => logger.lines.splice(0);
const log = (): LimitedLog => new LimitedLog(logger, () => now);
beforeEach(() => (now = 0));

test('a subject has one line a minute, with the number of those suppressed', () => {
  const limited = log();
  for (const at of [0, 1, 59_999]) {
    now = at;
    limited.warn('a', `at ${at}`);
  }
  limited.error('b', 'other');
  expect(taken()).toEqual(['warn at 0', 'error other']);
  for (const at of [60_000, 60_001, 120_000]) {
    now = at;
    limited.warn('a', `at ${at}`);
  }
  expect(taken()).toEqual([
    'warn at 60000 (2 more since the last line)',
    'warn at 120000 (1 more since the last line)',
  ]);
});

test('many subjects share one limit, until the oldest have not been logged for a minute', () => {
  const limited = log();
  for (let i = 0; i < 100_000; i++) limited.warn(`topic-${i}`, `about ${i}`);
  expect(taken()).toHaveLength(1_001);
  now = 60_000;
  limited.warn('new', 'about new');
  limited.warn('topic-1', 'about 1');
  expect(taken()).toEqual(['warn about new', 'warn about 1']);
});

test('long subjects share one limit, because they are kept in memory', () => {
  const limited = log();
  for (let i = 0; i < 10; i++) limited.warn(`${i}${'x'.repeat(1_000)}`, `about ${i}`);
  expect(taken()).toEqual(['warn about 0']);
});

test('without a logger nothing is logged', () => {
  expect(() => new LimitedLog(undefined).warn('a', 'b')).not.toThrow();
});
