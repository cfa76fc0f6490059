import { randomBytes } from 'node:crypto';
import { PartitionQueue } from '../../../packages/kafka-client/src/producer/partition-queue';
import type { KafkaError } from '../../../packages/kafka-client/src/errors';
import { proxyTo } from '../../helpers/tcp-proxy';
import { Clients } from '../../helpers/kafka-clients';
import { kcatRead, kcatWrite, testWithKcat } from '../../helpers/kcat';
import { waitFor } from '../../helpers/wait-for';
import { bootstrap, readAll } from './producer-fixtures';

const clients = new Clients();
afterAll(() => clients.close());

const CODECS = ['gzip', 'snappy', 'lz4', 'zstd'];
const text = (record: { value: Buffer | null }): string => String(record.value);
const samples = (n: number): string[] =>
  Array.from({ length: n }, (_, i) => `${i} ${'lorem ipsum '.repeat(i % 30)}`.trim());

describe('kafka-client 2: producing to a real broker', () => {
  const compressed = async (codec: string): Promise<{ topic: string; values: string[] }> => {
    const topic = await clients.topic();
    const producer = await clients.producer(topic, { 'compression.type': codec });
    const values = samples(5000);
    for (const value of values) producer.send({ topic, key: null, value: Buffer.from(value) });
    await producer.flush();
    return { topic, values };
  };

  test('keys, values, headers, timestamps and offsets', async () => {
    // Its records are older than a broker's retention.
    const topic = await clients.topic(1, { 'retention.ms': '-1' });
    const producer = await clients.producer(topic);
    const offsets: number[] = [];
    const tell = (error: KafkaError | null, _token: number, _topic: string, _partition: number, offset: number) => {
      expect(error).toBeNull();
      offsets.push(offset);
    };
    const headers = [
      { key: 'größe', value: Buffer.from([1, 2]) },
      { key: 'none', value: null },
    ];
    producer.send(
      { topic, key: Buffer.from('k'), value: Buffer.from('v'), headers, timestamp: 1_600_000_000_000 },
      tell,
    );
    producer.send({ topic, key: null, value: null, timestamp: 5 }, tell);
    await producer.flush();
    await producer.close();
    expect(offsets).toEqual([0, 1]);
    expect(await readAll(topic)).toEqual([
      { offset: 0, timestamp: 1_600_000_000_000, key: Buffer.from('k'), value: Buffer.from('v'), headers },
      { offset: 1, timestamp: 5, key: null, value: null, headers: [] },
    ]);
  });

  test('records that wait for a deleted topic are stored in the one that the broker creates for it', async () => {
    const topic = await clients.topic();
    const producer = await clients.producer(topic, { 'request.timeout.ms': '5000', 'delivery.timeout.ms': '20000' });
    await clients.admin.deleteTopics([topic]);
    await waitFor('it to be gone', async () => (await clients.admin.describeTopics([topic])).length === 0);
    const errors: (KafkaError | null)[] = [];
    producer.send({ topic, key: null, value: Buffer.from('kept') }, (error) => errors.push(error));
    await producer.flush();
    expect(errors).toEqual([null]);
    expect((await readAll(topic)).map(text)).toEqual(['kept']);
  });

  test.each(['none', ...CODECS])('%s: the broker accepts it, and it is read back', async (codec) => {
    const { topic, values } = await compressed(codec);
    expect((await readAll(topic)).map(text)).toEqual(values);
  });

  testWithKcat.each(['none', ...CODECS])('%s: kcat reads the records written', async (codec) => {
    const { topic, values } = await compressed(codec);
    expect(await kcatRead(topic)).toEqual(values);
  });

  testWithKcat.each(CODECS)('%s written by kcat is read', async (codec) => {
    const topic = await clients.topic();
    const values = samples(3000);
    await kcatWrite(topic, codec, values);
    expect((await readAll(topic)).map(text)).toEqual(values);
  });

  test("batches above the topic's max.message.bytes are split", async () => {
    const topic = await clients.topic(1, { 'max.message.bytes': '20000' });
    const producer = await clients.producer(topic);
    const values = samples(3000);
    let failed = 0;
    for (const value of values)
      producer.send({ topic, key: null, value: Buffer.from(value) }, (error) => (failed += error ? 1 : 0));
    await producer.flush();
    await producer.close();
    expect(failed).toBe(0);
    expect((await readAll(topic)).map(text)).toEqual(values);
  });

  test('a record above max.message.bytes fails with the reason', async () => {
    const topic = await clients.topic(1, { 'max.message.bytes': '20000' });
    const producer = await clients.producer(topic);
    const codes: (string | undefined)[] = [];
    producer.send({ topic, key: null, value: Buffer.alloc(30_000) }, (error) => codes.push(error?.code));
    await producer.flush();
    await producer.close();
    expect(codes).toEqual(['MESSAGE_TOO_LARGE']);
  });
});

test('kafka-client 3: sequences continue at 0 after 2^31 - 1, in the middle of a batch as well', async () => {
  const largest = 2 ** 31 - 1;
  const { useIdentity } = PartitionQueue.prototype;
  const spy = jest.spyOn(PartitionQueue.prototype, 'useIdentity').mockImplementation(function (
    this: PartitionQueue,
    ...given
  ) {
    const fresh = this.producerId !== given[0] || this.epoch !== given[1];
    useIdentity.apply(this, given);
    if (fresh) this.nextSequence = largest - 4;
  });
  try {
    const topic = await clients.topic();
    const producer = await clients.producer(topic, { 'enable.idempotence': 'true' });
    const codes: (string | undefined)[] = [];
    const values = Array.from({ length: 12 }, (_, i) => String(i));
    // Three batches: up to two before the largest, over it, after it.
    for (const batch of [values.slice(0, 3), values.slice(3, 9), values.slice(9)]) {
      for (const value of batch) {
        producer.send({ topic, partition: 0, key: null, value: Buffer.from(value) }, (error) =>
          codes.push(error?.code),
        );
      }
      await producer.flush();
    }
    await producer.close();
    expect(spy).toHaveBeenCalled();
    expect(codes).toEqual(values.map(() => undefined));
    expect((await readAll(topic)).map(text)).toEqual(values);
  } finally {
    spy.mockRestore();
  }
});

describe('kafka-client 1: a real broker and connections that break', () => {
  test.each([
    ['true', 'none'],
    ['true', 'lz4'],
    ['false', 'none'],
  ])('order holds and nothing is lost (idempotence %s, %s)', async (idempotence, codec) => {
    const topic = await clients.topic(2);
    const proxy = await proxyTo(bootstrap().split(',')[0]!);
    try {
      const producer = await clients.producer(topic, {
        'enable.idempotence': idempotence,
        'compression.type': codec,
        'retry.backoff.ms': '5',
        'reconnect.backoff.ms': '5',
      });
      const rounds = 24;
      const total = rounds * 100;
      const acknowledged: number[][] = [[], []];
      let failed = 0;
      const waitQuickly = (what: string, probe: () => boolean) => waitFor(what, probe, { everyMs: 1 });
      for (let round = 0; round < rounds; round++) {
        const { connections, lostAnswers } = proxy;
        if (round % 3 === 0) proxy.loseNextAnswers();
        for (let i = round * 100; i < (round + 1) * 100; i++) {
          producer.send(
            { topic, partition: i % 2, key: null, value: Buffer.from(`${i} ${randomBytes(200).toString('hex')}`) },
            (error, token, _topic, partition) => (error ? failed++ : acknowledged[partition]!.push(token)),
            i,
          );
        }
        if (round % 3 === 0) {
          await waitQuickly('an answer lost after the append', () => proxy.lostAnswers > lostAnswers);
        } else if (round % 3 === 1) {
          proxy.cutAfter = 5000;
          proxy.cutAll();
          await waitQuickly('a connection cut in the middle of a request', () => proxy.connections > connections + 2);
          proxy.cutAfter = null;
        } else await waitQuickly('calm', () => acknowledged.every((tokens) => tokens.length === (round + 1) * 50));
      }
      proxy.cutAfter = null;
      proxy.cutAll();
      await producer.flush();
      await producer.close();
      expect(failed).toBe(0);
      for (const partition of [0, 1]) {
        const sent = Array.from({ length: total / 2 }, (_, i) => i * 2 + partition);
        expect(acknowledged[partition]).toEqual(sent);
        const stored = (await readAll(topic, partition)).map((r) => parseInt(text(r)));
        if (idempotence === 'true') expect(stored).toEqual(sent);
        else {
          // The fault was real: a batch whose answer was lost is duplicated, as a whole; later ones follow it.
          expect([...new Set(stored)]).toEqual(sent);
          expect(stored.length).toBeGreaterThan(sent.length);
        }
      }
    } finally {
      await proxy.close();
    }
  });
});
