/** A Kafka that stops answering: what was read or acknowledged by then counts. */
import { replayLetters, type ReplayClients } from '../../src/dead-letters/replay-letters';
import { newestRecords } from '../../src/records/newest-records';
import type { TopicReaders } from '../../src/records/record-ranges';
import type { ConsumerRecord, DeliveryCallback, ProducerRecord } from '../../packages/kafka-client/src/port';

const RECORDS = 100;
const header = (name: string, text: string): { key: string; value: Buffer } => ({
  key: `__connect.errors.${name}`,
  value: Buffer.from(text),
});
const record = (offset: number): ConsumerRecord => ({
  ...{ offset, timestamp: offset, key: null, value: Buffer.from(String(offset)) },
  headers: [header('topic', 'origin'), header('partition', '0')],
});

/** One partition; after `polls` polls, the signal is aborted and nothing arrives any more. */
function readers(polls: number, abort: AbortController): TopicReaders {
  let position = 0;
  let left = polls;
  return {
    admin: {
      describeTopics: async ([name = '']) =>
        await Promise.resolve([{ name, partitions: [{ partition: 0, leader: 1, replicas: [] }] }]),
      listOffsets: async ([at], time) =>
        await Promise.resolve([{ topic: at?.topic ?? '', partition: 0, offset: time === 'latest' ? RECORDS : 0 }]),
    },
    consumer: {
      assign: () => undefined,
      seek: ({ offset }) => void (position = offset),
      position: () => position,
      wakeup: () => undefined,
      poll: async () => {
        if (left-- <= 0) {
          abort.abort();
          return await Promise.resolve([]);
        }
        const records = Array.from({ length: Math.min(10, RECORDS - position) }, (_, n) => record(position + n));
        position += records.length;
        return [{ topic: 'dlq', partition: 0, records, timestampType: 'CreateTime', nextOffset: position, bytes: 1 }];
      },
    },
  };
}

test('the records of the steps that were complete are returned', async () => {
  const abort = new AbortController();
  const found = await newestRecords(readers(2, abort), {
    ...{ topic: 'dlq', limit: 50, signal: abort.signal },
    convert: (_, { offset }) => offset,
  });
  expect(found).toEqual({ total: 100, read: 10, records: [99, 98, 97, 96, 95, 94, 93, 92, 91, 90] });
});

test('without any, the topic cannot be read', async () => {
  const abort = new AbortController();
  const read = newestRecords(readers(0, abort), {
    ...{ topic: 'dlq', limit: 50, signal: abort.signal },
    convert: (_, { offset }) => offset,
  });
  await expect(read).rejects.toMatchObject({ code: 'RECORDS_READ' });
});

describe('replay', () => {
  const clients = (
    abort: AbortController,
    producer: Partial<ReplayClients['producer']>,
    polls = 100,
  ): ReplayClients => ({
    ...readers(polls, abort),
    producer: {
      ...{
        isPrepared: () => true,
        prepare: async () => await Promise.resolve(),
        whenReady: () => null,
        send: () => undefined,
      },
      flush: async () => await Promise.resolve(),
      ...producer,
    },
  });
  const replay = async (abort: AbortController, of: ReplayClients): Promise<(string | null)[]> => {
    const letters = [1, 2, 3].map((offset) => ({ partition: 0, offset }));
    const outcomes = await replayLetters(of, {
      ...{ topic: 'dlq', letters, signal: abort.signal },
      check: () => undefined,
    });
    return outcomes.map(({ error }) => error && `${error.code}: ${error.message}`);
  };

  test('a letter that is not acknowledged in time has failed, and may arrive nevertheless', async () => {
    const abort = new AbortController();
    const send = ({ value }: ProducerRecord, onDelivery?: DeliveryCallback): void => {
      if (String(value) === '2') onDelivery?.(null, 0, 'origin', 0, 5);
    };
    const flush = async (): Promise<void> => {
      abort.abort();
      await new Promise(() => undefined);
    };
    const late =
      'DLQ_REPLAY: The dead letter was not sent: Kafka did not acknowledge it in time. It may arrive nevertheless.';
    expect(await replay(abort, clients(abort, { send, flush }))).toEqual([late, null, late]);
  });

  test('letters that could not be read in time have failed', async () => {
    const abort = new AbortController();
    expect(await replay(abort, clients(abort, {}, 0))).toEqual(Array(3).fill(expect.stringMatching(/^DLQ_REPLAY: /)));
  });

  test('an unknown topic is waited for once', async () => {
    const abort = new AbortController();
    const prepare = jest.fn(async () => await Promise.reject(new Error('no such topic')));
    const outcomes = await replay(abort, clients(abort, { isPrepared: () => false, prepare }));
    expect(outcomes).toEqual(Array(3).fill('DLQ_REPLAY: The dead letter was not sent: no such topic'));
    expect(prepare).toHaveBeenCalledTimes(1);
  });
});
