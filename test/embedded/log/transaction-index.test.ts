/**
 * What a partition knows of transactions: the last stable offset and what readers of committed records skip
 * (kafka-client §3 and §4).
 */
import type { BatchInfo } from '../../../packages/embedded/src/log/batch';
import { TransactionIndex } from '../../../packages/embedded/src/log/transaction-index';

const batch = (baseOffset: number, producerId: number, more: Partial<BatchInfo> = {}): BatchInfo => ({
  baseOffset,
  lastOffset: baseOffset + 4,
  producerId,
  producerEpoch: 0,
  baseSequence: 0,
  maxTimestamp: 0,
  transactional: true,
  marker: null,
  ...more,
});
const marker = (offset: number, producerId: number, kind: 'commit' | 'abort') =>
  batch(offset, producerId, { lastOffset: offset, marker: kind });

function index(...batches: BatchInfo[]): TransactionIndex {
  const transactions = new TransactionIndex();
  for (const each of batches) transactions.onAppend(each);
  return transactions;
}

it('records outside of transactions do not hold back the last stable offset', () => {
  const transactions = index(batch(0, -1, { transactional: false }), batch(5, 7, { transactional: false }));
  expect(transactions.firstOpenOffset()).toBeNull();
});

it('the last stable offset is that of the oldest open transaction, whichever ends first', () => {
  const transactions = index(batch(0, 1), batch(5, 2), batch(10, 1));
  expect(transactions.firstOpenOffset()).toBe(0);
  transactions.onAppend(marker(15, 1, 'commit'));
  expect(transactions.firstOpenOffset()).toBe(5);
  transactions.onAppend(batch(16, 1));
  transactions.onAppend(marker(21, 2, 'abort'));
  expect(transactions.firstOpenOffset()).toBe(16);
  transactions.onAppend(marker(22, 1, 'commit'));
  expect(transactions.firstOpenOffset()).toBeNull();
});

it('aborted transactions are found by any part of them, all of one producer included, the first to begin first', () => {
  const transactions = index(
    ...[batch(0, 1), batch(5, 2), marker(10, 2, 'abort'), marker(11, 1, 'abort')],
    ...[batch(12, 2), marker(17, 2, 'abort'), batch(18, 3), marker(23, 3, 'commit')],
  );
  const found = (from: number, to: number) =>
    transactions.abortedBetween(from, to).map(({ producerId, firstOffset }) => `${producerId}@${firstOffset}`);
  expect(found(0, 24)).toEqual(['1@0', '2@5', '2@12']);
  expect(found(0, 5)).toEqual(['1@0']);
  expect(found(11, 12)).toEqual(['1@0']);
  expect(found(12, 24)).toEqual(['2@12']);
  expect(found(18, 24)).toEqual([]);
  transactions.startsAt(11);
  expect(found(0, 24)).toEqual(['1@0', '2@12']);
});

it('a marker for a transaction that wrote nothing here aborts nothing', () => {
  expect(index(marker(0, 1, 'abort')).abortedBetween(0, 10)).toEqual([]);
});
