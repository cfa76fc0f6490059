import type { FetchedBatch } from '@millrace/kafka-client';

/** The first `count` records, and the others. Pure. */
export function splitBatches(
  batches: readonly FetchedBatch[],
  count: number,
): readonly [readonly FetchedBatch[], readonly FetchedBatch[]] {
  let left = count;
  for (const [at, batch] of batches.entries()) {
    const { length } = batch.records;
    if (left >= length) left -= length;
    else if (left === 0) return [batches.slice(0, at), batches.slice(at)];
    else
      return [
        [...batches.slice(0, at), part(batch, 0, left)],
        [part(batch, left, length), ...batches.slice(at + 1)],
      ];
  }
  return [batches, []];
}

function part(batch: FetchedBatch, from: number, to: number): FetchedBatch {
  const { records, views, nextOffset } = batch;
  return {
    ...batch,
    records: records.slice(from, to),
    ...(views && { views: views.slice(from, to) }),
    nextOffset: records[to]?.offset ?? nextOffset,
  };
}
