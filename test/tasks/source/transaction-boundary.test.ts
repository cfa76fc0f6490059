import type { ConnectorConfig } from '@millrace/sdk';
import { record } from '../fakes';
import {
  transactionBoundary,
  type BatchEnd,
  type TransactionBoundary,
} from '../../../src/tasks/source/transaction-boundary';

const TIMEOUT_MS = 60_000;
const of = (config: ConnectorConfig, timeoutMs = TIMEOUT_MS): TransactionBoundary =>
  transactionBoundary(config, { offsetFlushIntervalMs: 60_000 }, timeoutMs);
const end = (over: Partial<BatchEnd> = {}): BatchEnd => ({
  now: 0,
  openMs: 0,
  commitMs: 0,
  kept: 0,
  isEmpty: false,
  uncommitted: (over.openMs ?? 0) > 0,
  ...over,
});

test('poll: every batch, unless commits take long and the next batch may follow at once', () => {
  const poll = of({});
  expect(poll.afterBatch(end())).toBe('commit');
  expect(poll.afterBatch(end({ openMs: 1, commitMs: 10 }))).toBe(5);
  expect(poll.afterBatch(end({ openMs: 1, commitMs: 10, isEmpty: true }))).toBe('commit');
  expect(poll.afterBatch(end({ openMs: 80, commitMs: 10 }))).toBe('commit');
  expect(poll.afterBatch(end({ openMs: 250, commitMs: 60_000 }))).toBe('commit');
  expect([poll.afterRecord(record(1)), poll.atEnd(), poll.requests]).toEqual([null, 'commit', null]);
});

test('interval: since the last commit, the start or the end of a pause', () => {
  const interval = of({ 'transaction.boundary': 'INTERVAL', 'transaction.boundary.interval.ms': '1000' });
  interval.begin(500);
  expect(interval.afterBatch(end({ now: 1499 }))).toBeNull();
  expect(interval.afterBatch(end({ now: 1500 }))).toBe('commit');
  expect(interval.afterBatch(end({ now: 1600 }))).toBeNull();
  expect(interval.afterBatch(end({ now: 1600, openMs: 50 }))).toBe(900);
  interval.begin(2400);
  expect(interval.afterBatch(end({ now: 2600 }))).toBeNull();
  expect(interval.atEnd()).toBe('commit');
});

test('interval: offsets of filtered records are committed in time, although no transaction is open', () => {
  const interval = of({ 'transaction.boundary': 'interval', 'transaction.boundary.interval.ms': '1000' });
  interval.begin(0);
  expect(interval.afterBatch(end({ now: 400, uncommitted: true }))).toBe(600);
  expect(interval.afterBatch(end({ now: 400, uncommitted: false }))).toBeNull();
});

test('interval: not longer than half of transaction.timeout.ms', () => {
  const interval = of({ 'transaction.boundary': 'interval' });
  interval.begin(0);
  expect(interval.afterBatch(end({ now: 29_000, openMs: 28_000 }))).toBe(2_000);
  expect(interval.afterBatch(end({ now: 29_990, openMs: 29_990 }))).toBe(10);
  expect(interval.afterBatch(end({ now: 30_000, openMs: 30_000 }))).toBe('commit');
});

test('interval: earlier if the records that wait for commitRecord take much memory', () => {
  const interval = of({ 'transaction.boundary': 'interval' });
  interval.begin(0);
  expect(interval.afterBatch(end({ now: 1_000, openMs: 1_000, kept: 99_999 }))).toBe(29_000);
  expect(interval.afterBatch(end({ now: 1_000, openMs: 1_000, kept: 100_000 }))).toBe('commit');
});

test('connector: when it requests it; its requests for records come first', () => {
  const connector = of({ 'transaction.boundary': 'connector' });
  const [one, two] = [record(1), record(2)] as const;
  connector.requests?.commitTransaction(one);
  connector.requests?.abortTransaction(two);
  connector.requests?.commitTransaction();
  expect(connector.afterRecord(one)).toBe('commit');
  expect(connector.afterRecord(one)).toBeNull();
  expect(connector.afterRecord(two)).toBe('abort');
  expect(connector.afterBatch(end())).toBe('commit');
  expect(connector.atEnd()).toBeNull();
});

test('another boundary is an error that names the valid ones', () => {
  expect(() => of({ 'transaction.boundary': 'record' })).toThrow('must be poll, interval or connector');
});
