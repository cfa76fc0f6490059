import { proxyTo } from '../../helpers/tcp-proxy';
import { Clients, readToEnd, take, valuesOf } from '../../helpers/kafka-clients';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

const numbers = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, i) => String(from + i));

describe('the assigned consumer', () => {
  const clients = new Clients();
  afterEach(() => clients.closeClients());
  afterAll(() => clients.close());

  const endOf = async (topic: string): Promise<number> => {
    const [end] = await clients.admin.listOffsets([{ topic, partition: 0 }], 'latest');
    return end?.offset as number;
  };

  test('returns every record once, in order per partition, never more than max.poll.records', async () => {
    const topic = await clients.topic(3);
    const sent = [0, 1, 2].map((partition) => numbers(partition * 10_000, partition * 10_000 + 2_000));
    await Promise.all(sent.map((values, partition) => clients.send(topic, values, partition)));
    const consumer = await clients.assigned({ 'max.poll.records': '300' });
    consumer.assign(sent.map((_, partition) => ({ topic, partition })));
    const got: string[][] = [[], [], []];
    while (got.flat().length < 6_000) {
      const batches = await consumer.poll(10_000);
      expect(valuesOf(batches).length).toBeLessThanOrEqual(300);
      for (const batch of batches) {
        expect(consumer.position(batch)).toBeGreaterThanOrEqual(batch.nextOffset);
        got[batch.partition]?.push(...valuesOf([batch]));
      }
    }
    expect(got).toEqual(sent);
    expect([0, 1, 2].map((partition) => consumer.position({ topic, partition }))).toEqual([2_000, 2_000, 2_000]);
  });

  test('kafka-client 3: the position moves over a log that ends in transaction markers', async () => {
    const topic = await clients.topic();
    const producer = await clients.producer(topic, { 'transactional.id': uniqueName('txn') });
    await producer.initTransactions();
    for (const commit of [true, false]) {
      producer.beginTransaction();
      producer.send({ topic, partition: 0, key: null, value: Buffer.from(`commit ${commit}`) });
      await producer.flush();
      await (commit ? producer.commitTransaction() : producer.abortTransaction());
    }
    const end = 4;
    await clients.end(topic, end);
    for (const [isolation, expected] of [
      ['read_committed', ['commit true']],
      ['read_uncommitted', ['commit true', 'commit false']],
    ] as const) {
      const consumer = await clients.assigned({ 'isolation.level': isolation });
      consumer.assign([{ topic, partition: 0 }]);
      expect(valuesOf(await readToEnd(consumer, { topic, partition: 0 }, end))).toEqual(expected);
      expect(consumer.position({ topic, partition: 0 })).toBe(end);
    }
  });

  test('kafka-client 3: the position moves over the holes of a compacted topic', async () => {
    const topic = await clients.topic(1, {
      'cleanup.policy': 'compact',
      'segment.ms': '100',
      'min.cleanable.dirty.ratio': '0.001',
      'delete.retention.ms': '0',
    });
    const producer = await clients.producer(topic);
    const send = async (key: string, value: string | null): Promise<void> => {
      producer.send({ topic, partition: 0, key: Buffer.from(key), value: value === null ? null : Buffer.from(value) });
      await producer.flush();
    };
    for (let i = 0; i < 20; i++) await send(i % 2 === 0 ? 'even' : 'odd', String(i));
    const consumer = await clients.assigned();
    const tp = { topic, partition: 0 };
    consumer.assign([tp]);
    // A segment is closed, and so can be compacted, once a record is written after it.
    const left = await waitFor(
      'compaction',
      async () => {
        await send('pulse', 'x');
        await consumer.seekToBeginning([tp]);
        const values = valuesOf(await readToEnd(consumer, tp, await endOf(topic))).filter((value) => value !== 'x');
        return values.length < 20 && values;
      },
      { timeoutMs: 200_000, everyMs: 500 },
    );
    expect(left.slice(-2)).toEqual(['18', '19']);
    expect(consumer.position(tp)).toBe(await endOf(topic));
  });

  test('kafka-client 3: read_committed skips every aborted range of one producer id', async () => {
    const topic = await clients.topic();
    const producer = await clients.producer(topic, { 'transactional.id': uniqueName('txn') });
    await producer.initTransactions();
    for (let i = 0; i < 12; i++) {
      producer.beginTransaction();
      for (const part of ['a', 'b'])
        producer.send({ topic, partition: 0, key: null, value: Buffer.from(`${i}${part}`) });
      await producer.flush();
      await (i % 3 === 0 ? producer.commitTransaction() : producer.abortTransaction());
    }
    const consumer = await clients.assigned({ 'isolation.level': 'read_committed' });
    consumer.assign([{ topic, partition: 0 }]);
    const values = valuesOf(await readToEnd(consumer, { topic, partition: 0 }, await endOf(topic)));
    expect(values).toEqual(['0a', '0b', '3a', '3b', '6a', '6b', '9a', '9b']);
  });

  test('read_committed waits for an open transaction', async () => {
    const topic = await clients.topic();
    await clients.send(topic, ['before']);
    const producer = await clients.producer(topic, { 'transactional.id': uniqueName('txn') });
    await producer.initTransactions();
    producer.beginTransaction();
    producer.send({ topic, partition: 0, key: null, value: Buffer.from('open') });
    await producer.flush();
    const consumer = await clients.assigned({ 'isolation.level': 'read_committed', 'fetch.max.wait.ms': '50' });
    consumer.assign([{ topic, partition: 0 }]);
    // A consumer that did not wait would get both in one poll.
    expect(valuesOf(await take(consumer, 1))).toEqual(['before']);
    expect(await consumer.poll(300)).toEqual([]);
    await producer.commitTransaction();
    expect(valuesOf(await take(consumer, 1))).toEqual(['open']);
  });

  test('seeks back and forth without returning records fetched before', async () => {
    const topic = await clients.topic();
    await clients.send(topic, numbers(0, 1_000));
    const consumer = await clients.assigned({ 'max.poll.records': '10' });
    const tp = { topic, partition: 0 };
    consumer.assign([tp]);
    expect(valuesOf(await take(consumer, 10))[0]).toBe('0');
    consumer.seek({ ...tp, offset: 500 });
    expect(consumer.position(tp)).toBe(500);
    expect(valuesOf(await take(consumer, 10))).toEqual(numbers(500, 510));
    await consumer.seekToBeginning([tp]);
    expect(consumer.position(tp)).toBe(0);
    expect(valuesOf(await take(consumer, 10))).toEqual(numbers(0, 10));
  });

  test('starts where auto.offset.reset says and resets there when an offset is out of range', async () => {
    const topic = await clients.topic();
    await clients.send(topic, ['before']);
    const tp = { topic, partition: 0 };
    const latest = await clients.assigned({ 'auto.offset.reset': 'latest' });
    latest.assign([tp]);
    while (latest.position(tp) === undefined) await latest.poll(100);
    expect(latest.position(tp)).toBe(1);
    const earliest = await clients.assigned();
    earliest.assign([tp]);
    earliest.seek({ ...tp, offset: 77 });
    expect(valuesOf(await take(earliest, 1))).toEqual(['before']);
    const none = await clients.assigned({ 'auto.offset.reset': 'none' });
    none.assign([tp]);
    await expect(none.poll(60_000)).rejects.toMatchObject({ code: 'NO_OFFSET_FOR_PARTITION', topic });
    none.seek({ ...tp, offset: 77 });
    await expect(none.poll(60_000)).rejects.toMatchObject({ code: 'OFFSET_OUT_OF_RANGE', topic });
  });

  test('auto.offset.reset=by_duration starts at the first record that is not older, or at the end', async () => {
    const topic = await clients.topic(2);
    const producer = await clients.producer(topic);
    const hour = 3_600_000;
    for (const [value, hoursOld] of [
      ['too old', 3],
      ['young', 1],
      ['now', 0],
    ] as const) {
      const timestamp = Date.now() - hoursOld * hour;
      producer.send({ topic, partition: 0, key: null, value: Buffer.from(value), timestamp });
      if (hoursOld === 3) producer.send({ topic, partition: 1, key: null, value: Buffer.from(value), timestamp });
      await producer.flush();
    }
    const consumer = await clients.assigned({ 'auto.offset.reset': 'by_duration:PT2H' });
    consumer.assign([0, 1].map((partition) => ({ topic, partition })));
    expect(valuesOf(await take(consumer, 2))).toEqual(['young', 'now']);
    while (consumer.position({ topic, partition: 1 }) === undefined) await consumer.poll(100);
    expect(consumer.position({ topic, partition: 1 })).toBe(1);
  });

  test('a paused partition returns nothing and loses nothing', async () => {
    const topic = await clients.topic(2);
    await clients.send(topic, ['p0'], 0);
    await clients.send(topic, ['p1'], 1);
    const consumer = await clients.assigned({ 'fetch.max.wait.ms': '50' });
    const [first, second] = [0, 1].map((partition) => ({ topic, partition })) as [
      { topic: string; partition: number },
      { topic: string; partition: number },
    ];
    consumer.assign([first, second]);
    consumer.pause([first]);
    expect(valuesOf(await take(consumer, 1))).toEqual(['p1']);
    expect(await consumer.poll(200)).toEqual([]);
    consumer.resume([first]);
    expect(valuesOf(await take(consumer, 1))).toEqual(['p0']);
  });

  test('paused partitions that fill the read-ahead buffer do not block the others', async () => {
    const [count, paused, each] = [40, 30, 20];
    const topic = await clients.topic(count);
    const producer = await clients.producer(topic);
    const value = Buffer.alloc(100 * 1024, 'x');
    for (let partition = 0; partition < count; partition++) {
      for (let i = 0; i < each; i++) producer.send({ topic, partition, key: null, value });
      await producer.flush();
    }
    const consumer = await clients.assigned({ 'max.poll.records': '1' });
    const partitions = Array.from({ length: count }, (_, partition) => ({ topic, partition }));
    consumer.assign(partitions);
    const offsets = partitions.map((): number[] => []);
    const read = async (until: () => boolean): Promise<void> => {
      while (!until()) {
        const batches = await consumer.poll(10_000);
        // No records for so long: it hangs.
        if (batches.length === 0) return;
        for (const { partition, records } of batches) {
          offsets[partition]?.push(...records.map(({ offset }) => offset));
          if (partition < paused && records.length > 0) consumer.pause([{ topic, partition }]);
        }
      }
    };
    await read(() => offsets.every((list, partition) => list.length >= (partition < paused ? 1 : each)));
    expect(offsets.map((list) => list.length)).toEqual(partitions.map((_, i) => (i < paused ? 1 : each)));
    consumer.resume(partitions.slice(0, paused));
    const all = Array.from({ length: each }, (_, i) => i);
    while (offsets.some((list) => list.length < each)) {
      const batches = await consumer.poll(10_000);
      for (const { partition, records } of batches) offsets[partition]?.push(...records.map(({ offset }) => offset));
    }
    expect(offsets).toEqual(partitions.map(() => all));
  });

  test('wakeup ends the pending poll, or the next one', async () => {
    const topic = await clients.topic();
    const consumer = await clients.assigned();
    consumer.assign([{ topic, partition: 0 }]);
    // Longer than the test may take.
    const pending = consumer.poll(600_000);
    consumer.wakeup();
    expect(await pending).toEqual([]);
    consumer.wakeup();
    expect(await consumer.poll(600_000)).toEqual([]);
  });

  test('keeps positions of partitions that stay assigned', async () => {
    const topic = await clients.topic(2);
    await clients.send(topic, ['a', 'b']);
    const consumer = await clients.assigned();
    consumer.assign([{ topic, partition: 0 }]);
    await take(consumer, 2);
    consumer.assign([0, 1].map((partition) => ({ topic, partition })));
    expect(consumer.position({ topic, partition: 0 })).toBe(2);
    await clients.send(topic, ['c'], 1);
    expect(valuesOf(await take(consumer, 1))).toEqual(['c']);
  });

  test('reads records larger than max.partition.fetch.bytes', async () => {
    const topic = await clients.topic();
    const large = 'x'.repeat(50_000);
    await clients.send(topic, ['small', large, 'last']);
    const consumer = await clients.assigned({ 'max.partition.fetch.bytes': '1000', 'fetch.max.bytes': '1000' });
    consumer.assign([{ topic, partition: 0 }]);
    expect(valuesOf(await take(consumer, 3))).toEqual(['small', large, 'last']);
  });

  test('resumes after its connections were cut, without loss or duplicates', async () => {
    const proxy = await proxyTo(process.env['BOOTSTRAP_SERVERS'] as string);
    try {
      const topic = await clients.topic();
      await clients.send(topic, numbers(0, 5_000));
      const consumer = await clients.assigned({ 'max.poll.records': '100', 'max.partition.fetch.bytes': '4000' });
      consumer.assign([{ topic, partition: 0 }]);
      const got: string[] = [];
      while (got.length < 5_000) {
        got.push(...valuesOf(await consumer.poll(10_000)));
        if (got.length % 1_000 < 100) proxy.cutAll();
      }
      expect(got).toEqual(numbers(0, 5_000));
    } finally {
      await proxy.close();
    }
  });

  test('a topic that is created later is read then', async () => {
    const topic = uniqueName('later');
    const consumer = await clients.assigned();
    consumer.assign([{ topic, partition: 0 }]);
    expect(await consumer.poll(100)).toEqual([]);
    await clients.admin.createTopics([{ name: topic, partitions: 1, replicationFactor: 1 }]);
    await clients.send(topic, ['here']);
    expect(valuesOf(await take(consumer, 1))).toEqual(['here']);
    await clients.admin.deleteTopics([topic]);
  });
});
