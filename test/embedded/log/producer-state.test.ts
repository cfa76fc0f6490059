import { ProducerStates, sequenceAfter } from '../../../packages/embedded/src/log/producer-state';
import type { BatchInfo } from '../../../packages/embedded/src/log/batch';

const batch = (baseSequence: number, baseOffset: number, more: Partial<BatchInfo> = {}): BatchInfo => ({
  baseOffset,
  lastOffset: baseOffset + 9,
  producerId: 1,
  producerEpoch: 0,
  baseSequence,
  maxTimestamp: 0,
  transactional: false,
  marker: null,
  ...more,
});
const states = (...batches: BatchInfo[]): ProducerStates => {
  const producers = new ProducerStates();
  for (const each of batches) producers.onAppend(each, 0);
  return producers;
};

test('a sequence follows the one before, and no other', () => {
  const producers = states(batch(0, 0));
  expect(producers.check(batch(10, 10))).toEqual({ kind: 'append' });
  expect(producers.check(batch(20, 10))).toEqual({ kind: 'out-of-order', expected: 10 });
  expect(producers.check(batch(5, 10))).toEqual({ kind: 'out-of-order', expected: 10 });
});

test('the last five batches are recognised as duplicates', () => {
  const producers = states(...[0, 10, 20, 30, 40, 50].map((n) => batch(n, n)));
  for (const n of [10, 20, 30, 40, 50]) {
    expect(producers.check(batch(n, 60))).toEqual({ kind: 'duplicate', baseOffset: n, lastOffset: n + 9 });
  }
  expect(producers.check(batch(0, 60)).kind).toBe('out-of-order');
});

test('kafka-client 3: sequences wrap from 2^31 - 1 to 0', () => {
  expect(sequenceAfter(0x7fffffff, 1)).toBe(0);
  const producers = states(batch(0x7fffffff - 4, 0));
  expect(producers.check(batch(5, 10))).toEqual({ kind: 'append' });
  expect(producers.check(batch(0x7fffffff - 4, 10)).kind).toBe('duplicate');
});

test('a new epoch begins with sequence 0, and an older one is refused', () => {
  const producers = states(batch(0, 0));
  expect(producers.check(batch(10, 10, { producerEpoch: 1 }))).toEqual({ kind: 'out-of-order', expected: 0 });
  expect(producers.check(batch(0, 10, { producerEpoch: 1 }))).toEqual({ kind: 'append' });
  producers.onAppend(batch(0, 10, { producerEpoch: 1 }), 0);
  expect(producers.check(batch(10, 20))).toEqual({ kind: 'stale-epoch', current: 1 });
});

test('a marker with a newer epoch fences, and sequences begin again', () => {
  const producers = states(batch(0, 0), batch(-1, 10, { producerEpoch: 3, marker: 'abort', lastOffset: 10 }));
  expect(producers.check(batch(10, 11, { producerEpoch: 2 }))).toEqual({ kind: 'stale-epoch', current: 3 });
  expect(producers.check(batch(0, 11, { producerEpoch: 3 }))).toEqual({ kind: 'append' });
});

test('KIP-360: any sequence number of an unknown producer is accepted', () => {
  expect(new ProducerStates().check(batch(77, 0))).toEqual({ kind: 'append' });
  const producers = states(batch(0, 0));
  producers.expire(1);
  expect(producers.check(batch(77, 0))).toEqual({ kind: 'append' });
});
