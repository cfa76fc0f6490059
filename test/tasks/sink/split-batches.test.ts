import type { FetchedBatch } from '@millrace/kafka-client';
import { splitBatches } from '../../../src/tasks/sink/split-batches';
import { batch } from '../fakes';
import { viewed } from './viewed-batch';

const batches = [viewed(batch('t', 0, 5, ['a', 'b', 'c'])), batch('t', 1, 0, ['d', 'e'])];
const offsets = (some: readonly FetchedBatch[]): unknown[] =>
  some.map(({ partition, records, views, nextOffset }) => [
    partition,
    records.map(({ offset }) => offset),
    views?.length,
    nextOffset,
  ]);
const A = [0, [5, 6, 7], 3, 8];
const B = [1, [0, 1], undefined, 2];

test.each([
  [0, [], [A, B]],
  [2, [[0, [5, 6], 2, 7]], [[0, [7], 1, 8], B]],
  [3, [A], [B]],
  [4, [A, [1, [0], undefined, 1]], [[1, [1], undefined, 2]]],
  [5, [A, B], []],
])('after %i records', (count, first, rest) => {
  const split = splitBatches(batches, count);
  expect(split.map(offsets)).toEqual([first, rest]);
});
