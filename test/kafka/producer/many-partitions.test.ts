/** Requests with batches of several topics and partitions, and their responses. */
import { decode, Reader } from '@millrace/kafka-protocol';
import {
  PRODUCE,
  produceHeader,
  produceHeadroom,
  writeProduceBody,
} from '../../../packages/kafka-client/src/protocol/produce';
import { ResultsByPartition } from '../../../packages/kafka-client/src/producer/produce-response';

const options = { transactionalId: 'tx', acks: -1, timeoutMs: 30_000 } as const;

interface Topic {
  readonly name: string;
  readonly partitionData: readonly { readonly index: number; readonly records: Buffer }[];
}

function topicsOf(body: Buffer): Topic[] {
  const message = decode(PRODUCE, 'request', 7, new Reader(body)) as unknown as { topicData: Topic[] };
  return message.topicData.map(({ name, partitionData }) => ({
    name,
    partitionData: partitionData.map(({ index, records }) => ({ index, records: Buffer.from(records) })),
  }));
}

test('a body with several batches is what the declared codec reads, within its announced size', () => {
  const byTopic = new Map(
    ['a', 'much-longer.name_of.a-topic', 'z'].map((topic, t) => [
      topic,
      Array.from({ length: t + 1 }, (_, partition) => ({
        partition: partition * 7,
        batch: Buffer.alloc(100 * t + partition, t + 1),
      })),
    ]),
  );
  let room = 0;
  for (const [topic, batches] of byTopic)
    for (const { batch } of batches) room += batch.length + produceHeadroom('tx', topic);
  const to = Buffer.alloc(room, 0xff);
  const end = writeProduceBody(to, byTopic, options);
  expect(end).toBeLessThanOrEqual(room);
  expect(topicsOf(to.subarray(0, end))).toEqual(
    [...byTopic].map(([name, batches]) => ({
      name,
      partitionData: batches.map(({ partition, batch }) => ({ index: partition, records: batch })),
    })),
  );
});

test('a body with one batch is the same as its header and the batch', () => {
  const batch = Buffer.from('batch');
  const to = Buffer.alloc(produceHeadroom('tx', 't') + batch.length);
  const end = writeProduceBody(to, new Map([['t', [{ partition: 3, batch }]]]), options);
  const header = produceHeader({ topic: 't', partition: 3 }, batch.length, options);
  expect(to.subarray(0, end)).toEqual(Buffer.concat([header, batch]));
});

describe('results by partition', () => {
  const result = (topic: string, partition: number, baseOffset = 0) => ({
    ...{ topic, partition, baseOffset },
    ...{ errorCode: 0, errorMessage: null, logStartOffset: -1 },
  });
  const results = [
    result('b', 2),
    result('a', 0),
    result('b', 0),
    result('b', 1),
    result('a', 0, 9),
    result('b', 2, 9),
  ];
  const found = new ResultsByPartition(results);

  test('are found in any order', () => {
    for (const one of results.slice(0, 4)) expect(found.of(one)).toBe(one);
  });

  test('are absent where the response has no such topic or partition', () => {
    expect(found.of({ topic: 'c', partition: 0 })).toBeUndefined();
    expect(found.of({ topic: 'a', partition: 1 })).toBeUndefined();
    expect(found.of({ topic: 'b', partition: 3 })).toBeUndefined();
  });
});
