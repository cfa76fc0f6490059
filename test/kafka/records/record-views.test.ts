/** Views are the same records as those with buffers. */
import type { ConsumerRecord } from '../../../packages/kafka-client/src/port';
import { RecordSetReader } from '../../../packages/kafka-client/src/records/record-batch-decoder';
import { ViewedRecord } from '../../../packages/kafka-client/src/records/viewed-record';
import { encodeBatch, random, randomRecord } from './record-batch-samples';

const options = { fetchOffset: 3, isolation: 'read_uncommitted' as const, abortedTransactions: [], checkCrcs: true };
const plain = ({ offset, timestamp, key, value, headers }: ConsumerRecord): unknown => ({
  ...{ offset, timestamp, key, value, headers },
});

test('of random batches', () => {
  const next = random(17);
  const batches: Buffer[] = [];
  let count = 0;
  for (let i = 0; i < 12; i++) {
    const samples = Array.from({ length: 1 + Math.floor(next() * 60) }, () => randomRecord(next));
    batches.push(encodeBatch(samples, { baseOffset: count }));
    count += samples.length;
  }
  const read = (views: boolean) =>
    new RecordSetReader(Buffer.concat(batches), { ...options, maxDecompressedBytes: 2 ** 24, views }).read(Infinity);
  const [viewed, made] = [read(true), read(false)];
  expect(viewed.records).toHaveLength(count - 3);
  expect(viewed.records.every((record) => record instanceof ViewedRecord)).toBe(true);
  expect(viewed.records.map(plain)).toEqual(made.records.map(plain));
  expect({ ...viewed, records: [] }).toEqual({ ...made, records: [] });
});
