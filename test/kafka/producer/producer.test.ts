import type { KafkaError } from '../../../packages/kafka-client/src/errors';
import { createProducer } from '../../../packages/kafka-client/src/producer/producer';
import { partitionForKey } from '../../../packages/kafka-client/src/producer/partitioner';
import { silentLogger } from '../../../src/logging/logger';
import { waitFor } from '../../helpers/wait-for';
import { FakeWire, type Fault } from '../fake-wire';
import { gate, numbers, start } from './producer-harness';
import { random } from '../records/record-batch-samples';

const thrown = (action: () => unknown): KafkaError => {
  try {
    action();
  } catch (error) {
    return error as KafkaError;
  }
  throw new Error('nothing was thrown');
};

describe('kafka-client 2: batches', () => {
  test('records of one tick are one batch; tokens and offsets arrive in order', async () => {
    const { wire, producer, deliveries, send } = await start();
    for (const value of numbers(100)) send(value);
    await producer.flush();
    expect(wire.calls).toHaveLength(1);
    expect(wire.log('t').values).toEqual(numbers(100));
    expect(deliveries).toEqual(numbers(100).map((_, i) => ({ error: null, token: i, partition: 0, offset: i })));
    expect(producer.bufferedBytes).toBe(0);
  });

  test('linger.ms: records sent in several ticks are one batch', async () => {
    const { wire, producer, send } = await start({ 'linger.ms': '60000' });
    for (const value of numbers(5)) {
      send(value);
      await new Promise(setImmediate);
    }
    expect(wire.calls).toHaveLength(0);
    await producer.flush();
    expect(wire.calls).toHaveLength(1);
  });

  test('push: records are sent without lingering, those that follow it linger', async () => {
    const { wire, producer, deliveries, send } = await start({ 'linger.ms': '' });
    const now = jest.spyOn(performance, 'now').mockReturnValue(1000);
    try {
      for (const value of ['a', 'b']) send(value);
      producer.push();
      await waitFor('the deliveries', () => deliveries.length === 2);
      now.mockReturnValue(1001);
      send('c');
      for (let turns = 0; turns < 5; turns++) await new Promise(setImmediate);
      expect(wire.log('t').batches.map((b) => b.count)).toEqual([2]);
      producer.push();
      await waitFor('the delivery', () => deliveries.length === 3);
    } finally {
      now.mockRestore();
    }
  });

  test('push: while a request is in flight, records of all partitions collect for the next one', async () => {
    const { wire, producer, deliveries, send } = await start({ 'linger.ms': '' }, new FakeWire().addTopic('t', 3));
    const held = gate<Fault>();
    wire.onProduce = () => held.promise;
    const now = jest.spyOn(performance, 'now').mockReturnValue(1000);
    try {
      send('a', 0);
      producer.push();
      await waitFor('the request', () => wire.calls.length === 1);
      now.mockReturnValue(1001);
      for (const partition of [1, 2]) {
        send('b', partition);
        producer.push();
      }
      for (let turns = 0; turns < 5; turns++) await new Promise(setImmediate);
      expect(wire.calls).toHaveLength(1);
      held.open(null);
      await waitFor('the deliveries', () => deliveries.length === 3);
      expect(wire.calls).toHaveLength(2);
    } finally {
      now.mockRestore();
    }
  });

  test('push: a linger.ms that is set holds', async () => {
    const { wire, producer, send } = await start({ 'linger.ms': '60000' });
    send('a');
    producer.push();
    for (let turns = 0; turns < 5; turns++) await new Promise(setImmediate);
    expect(wire.calls).toHaveLength(0);
    await producer.flush();
    expect(wire.calls).toHaveLength(1);
  });

  test('linger.ms: a batch is sent when it expires, without further records', async () => {
    const { deliveries, send } = await start({ 'linger.ms': '20' });
    send('a');
    await waitFor('the delivery', () => deliveries.length === 1);
  });

  test('one batch in flight per partition; the next grows meanwhile and goes as one', async () => {
    const { wire, producer, send } = await start();
    const held = gate<Fault>();
    wire.onProduce = () => held.promise;
    send('first');
    await waitFor('the state under test', () => wire.calls.length === 1);
    for (const value of numbers(3000)) send(value.padEnd(40));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(wire.calls).toHaveLength(1);
    held.open(null);
    await producer.flush();
    expect(wire.calls).toHaveLength(2);
    expect(wire.log('t').batches.map((b) => b.count)).toEqual([1, 3000]);
    expect(wire.log('t').batches[1]!.bytes.length).toBeGreaterThan(100_000);
  });

  test('batch.size: an explicit value limits the batch that grows while another is in flight', async () => {
    const { wire, producer, send } = await start({ 'batch.size': '2000' });
    for (const value of numbers(300)) send(value.padEnd(100));
    await producer.flush();
    expect(Math.max(...wire.log('t').batches.map((b) => b.bytes.length))).toBeLessThanOrEqual(2000);
    expect(wire.log('t').values.map((v) => v.trim())).toEqual(numbers(300));
  });

  test('batches for one broker share a request, others get their own; the request limit holds', async () => {
    const wire = new FakeWire().addTopic('t', 6, (p) => (p < 4 ? 1 : 2));
    const { producer, send } = await start({ 'max.request.size': '5000' }, wire);
    for (let p = 0; p < 6; p++) send(String(p), p);
    await producer.flush();
    expect(wire.calls.map((c) => [c.node, c.partitions.length])).toEqual([
      [1, 4],
      [2, 2],
    ]);
    wire.calls.length = 0;
    for (let p = 0; p < 4; p++) send('x'.repeat(2000), p);
    await producer.flush();
    expect(wire.calls.map((c) => c.partitions.length)).toEqual([2, 2]);
  });

  test('partitions: by key as in Java; without a key, a batch has one partition and the next batch another', async () => {
    const { wire, producer, send } = await start({}, new FakeWire().addTopic('t', 5));
    const at: number[] = [];
    for (const key of ['status-task-a-0', 'connector-a', 'x', 'y']) {
      producer.send({ topic: 't', key: Buffer.from(key), value: null }, (_e, _t, _topic, partition) =>
        at.push(partition),
      );
      await producer.flush();
    }
    expect(at).toEqual(['status-task-a-0', 'connector-a', 'x', 'y'].map((k) => partitionForKey(Buffer.from(k), 5)));
    const seen = new Set<number>();
    for (let round = 0; round < 5; round++) {
      wire.calls.length = 0;
      for (const value of numbers(10)) send(value, null);
      await producer.flush();
      expect(wire.calls).toHaveLength(1);
      expect(wire.calls[0]!.partitions).toHaveLength(1);
      seen.add(wire.calls[0]!.partitions[0]!.partition);
    }
    expect(seen.size).toBe(5);
  });

  test.each(['gzip', 'snappy', 'lz4', 'zstd'])('%s batches keep their order', async (type) => {
    const { wire, producer, deliveries, send } = await start({ 'compression.type': type, 'batch.size': '3000' });
    for (const value of numbers(500)) send(value.padEnd(60));
    await producer.flush();
    expect(wire.log('t').values.map((v) => v.trim())).toEqual(numbers(500));
    expect(deliveries.map((d) => d.offset)).toEqual(numbers(500).map(Number));
  });

  test('a broker too old for zstd: the records fail with the reason', async () => {
    const { wire, producer, deliveries, send } = await start({ 'compression.type': 'zstd' });
    wire.maxProduceVersion = 6;
    send('a');
    await producer.flush();
    expect(deliveries[0]!.error).toMatchObject({
      code: 'UNSUPPORTED_VERSION_CLIENT',
      message: expect.stringContaining('zstd'),
    });
  });

  test('acks=0 and acks=1', async () => {
    for (const acks of ['0', '1']) {
      const { wire, producer, deliveries, send } = await start({ acks });
      send('a');
      await producer.flush();
      expect(wire.calls[0]!.acks).toBe(Number(acks));
      expect(deliveries).toEqual([{ error: null, token: 0, partition: 0, offset: acks === '0' ? -1 : 0 }]);
    }
  });

  test('headers and timestamps arrive; without a timestamp it is now', async () => {
    const { wire, producer } = await start();
    const before = Date.now();
    producer.send({ topic: 't', key: null, value: null, timestamp: 1234, headers: [{ key: 'h', value: null }] });
    producer.send({ topic: 't', key: null, value: Buffer.from('v') });
    await producer.flush();
    expect(wire.log('t').batches[0]!.bytes.readBigInt64BE(27)).toBe(1234n);
    expect(Number(wire.log('t').batches[0]!.bytes.readBigInt64BE(35))).toBeGreaterThanOrEqual(before);
  });
});

describe('kafka-client 1: order and no duplicates under faults', () => {
  test.each(['true', 'false'])(
    'NOT_ENOUGH_REPLICAS: same batch again, nothing overtakes (idempotence %s)',
    async (idempotence) => {
      const { wire, producer, deliveries, send } = await start({ 'enable.idempotence': idempotence });
      let failures = 5;
      wire.onProduce = () => (failures-- > 0 ? 19 : null);
      for (const value of numbers(50)) {
        send(value);
        await new Promise(setImmediate);
      }
      await producer.flush();
      expect(wire.log('t').values).toEqual(numbers(50));
      expect(deliveries.map((d) => [d.error, d.offset])).toEqual(numbers(50).map((_, i) => [null, i]));
    },
  );

  test.each([1, 2, 3, 4])(
    'cut connections before and after the append, and errors: nothing lost, doubled or reordered (seed %p)',
    async (seed) => {
      const next = random(seed);
      const wire = new FakeWire().addTopic('t', 3);
      const { producer, deliveries, send } = await start({ 'batch.size': '500' }, wire);
      const faults: Fault[] = ['cut-before', 'cut-after', 19, 6, 3, 2, null, null];
      wire.onProduce = () => faults[Math.floor(next() * faults.length)]!;
      for (let i = 0; i < 600; i++) {
        send(String(i), i % 3);
        if (next() < 0.1) await new Promise(setImmediate);
      }
      await producer.flush();
      for (let p = 0; p < 3; p++) {
        expect(wire.log('t', p).values).toEqual(numbers(600).filter((v) => Number(v) % 3 === p));
      }
      expect(deliveries).toHaveLength(600);
      for (const { error, token, partition, offset } of deliveries) {
        expect([error, offset]).toEqual([null, Math.floor(token / 3)]);
        expect(partition).toBe(token % 3);
      }
      for (let p = 0; p < 3; p++) {
        const tokens = deliveries.filter((d) => d.partition === p).map((d) => d.token);
        expect(tokens).toEqual([...tokens].sort((a, b) => a - b));
      }
      expect(producer.bufferedBytes).toBe(0);
    },
  );

  test('without idempotence, a connection lost after the append may duplicate records, but never reorders or loses them', async () => {
    const { wire, producer, send } = await start({ 'enable.idempotence': 'false' });
    let cuts = 1;
    wire.onProduce = () => (cuts-- > 0 ? 'cut-after' : null);
    for (const value of ['a', 'b']) {
      send(value);
      await new Promise(setImmediate);
    }
    await producer.flush();
    expect(wire.log('t').values).toEqual(['a', 'a', 'b']);
  });

  test('a moved leader is followed after the metadata was refreshed', async () => {
    const { wire, producer, deliveries, send } = await start();
    wire.onProduce = (call) => (call.node === 1 ? 6 : null);
    wire.refresh = () => {
      wire.setLeader('t', 0, 2);
      return Promise.resolve();
    };
    send('a');
    await producer.flush();
    expect(wire.calls.map((c) => c.node)).toEqual([1, 2]);
    expect(deliveries[0]!.error).toBeNull();
  });

  test('a partition without a leader waits for one', async () => {
    const wire = new FakeWire().addTopic('t', 1, () => -1);
    const { producer, deliveries, send } = await start({}, wire);
    send('a');
    await waitFor('the state under test', () => wire.refreshes > 1);
    expect(wire.calls).toHaveLength(0);
    wire.setLeader('t', 0, 1);
    await producer.flush();
    expect(deliveries[0]!.error).toBeNull();
  });

  test('DUPLICATE_SEQUENCE_NUMBER is success, the offset is not known', async () => {
    const { wire, producer, deliveries, send } = await start();
    wire.onProduce = () => 46;
    send('a');
    await producer.flush();
    expect(deliveries[0]).toMatchObject({ error: null, offset: -1 });
  });

  test.each([45, 47, 59])(
    'error %p: the broker lost our sequence; the batch goes again under the next epoch',
    async (code) => {
      const { wire, producer, deliveries, send } = await start();
      send('a');
      await producer.flush();
      let failures = 1;
      wire.onProduce = () => (failures-- > 0 ? code : null);
      send('b');
      await producer.flush();
      send('c');
      await producer.flush();
      expect(wire.log('t').batches.map((b) => [b.values[0], b.epoch, b.baseSequence])).toEqual([
        ['a', 0, 0],
        ['b', 1, 0],
        ['c', 1, 1],
      ]);
      expect(deliveries.every((d) => d.error === null)).toBe(true);
    },
  );

  test('a rejected batch frees its sequence numbers; an unknown outcome starts a new epoch', async () => {
    const { wire, producer, deliveries, send } = await start({ retries: '0' });
    const outcome = async (fault: Fault, value: string) => {
      wire.onProduce = () => fault;
      send(value);
      await producer.flush();
    };
    await outcome(null, 'a');
    await outcome(87, 'refused');
    await outcome(null, 'b');
    await outcome('cut-after', 'in doubt');
    await outcome(null, 'c');
    expect(wire.log('t').batches.map((b) => [b.values[0], b.epoch, b.baseSequence])).toEqual([
      ['a', 0, 0],
      ['b', 0, 1],
      ['in doubt', 0, 2],
      ['c', 1, 0],
    ]);
    expect(deliveries.map((d) => d.error?.code ?? null)).toEqual([
      null,
      'INVALID_RECORD',
      null,
      'CONNECTION_FAILED',
      null,
    ]);
  });

  test.each<[string, number | null]>([
    ['NOT_LEADER_OR_FOLLOWER', 6],
    ['LEADER_NOT_AVAILABLE', 5],
    ['UNKNOWN_TOPIC_OR_PARTITION', 3],
    ['KAFKA_STORAGE_ERROR', 56],
    ['UNKNOWN_SERVER_ERROR', -1],
    ['an error of later Kafkas', 999],
    ['nothing about the partition', null],
  ])(
    'a batch that was stored and answered with %s: the next one of its size is not taken for a duplicate',
    async (_, code) => {
      const { wire, producer, deliveries, send } = await start({ retries: '0' });
      wire.onProduce = () => ({ stored: code });
      send('in doubt');
      await producer.flush();
      wire.onProduce = () => null;
      send('next');
      await producer.flush();
      expect(deliveries.map(({ error }) => error === null)).toEqual([false, true]);
      expect(wire.log('t').values).toEqual(['in doubt', 'next']);
    },
  );

  test('a final error is reported for every record of the batch, and later batches are sent', async () => {
    const { wire, producer, deliveries, send } = await start();
    wire.onProduce = () => 29;
    send('a');
    send('b');
    await producer.flush();
    wire.onProduce = () => null;
    send('c');
    await producer.flush();
    expect(deliveries.map((d) => [d.error?.code, d.offset])).toEqual([
      ['TOPIC_AUTHORIZATION_FAILED', -1],
      ['TOPIC_AUTHORIZATION_FAILED', -1],
      [undefined, 0],
    ]);
    expect(deliveries[0]!.error).toMatchObject({ topic: 't', partition: 0, retriable: false });
    expect(deliveries[0]!.error!.message).toContain('batch of 2 records');
  });
});

describe('kafka-client 2: limits', () => {
  test('delivery.timeout.ms: the records fail with the last reason, sent or not', async () => {
    const { wire, producer, deliveries, send } = await start({ 'delivery.timeout.ms': '1000' });
    wire.onProduce = () => 19;
    send('a');
    await producer.flush();
    expect(deliveries[0]!.error).toMatchObject({
      code: 'DELIVERY_TIMEOUT',
      message: expect.stringContaining('NOT_ENOUGH_REPLICAS'),
    });
    wire.setLeader('t', 0, -1);
    send('b');
    await producer.flush();
    expect(deliveries[1]!.error!.code).toBe('DELIVERY_TIMEOUT');
    expect(producer.bufferedBytes).toBe(0);
  });

  test('a batch the broker finds too large is split until it fits, in order, and later ones stay below', async () => {
    const { wire, producer, deliveries, send } = await start();
    wire.maxMessageBytes = 2000;
    for (const value of numbers(200)) send(value.padEnd(50));
    await producer.flush();
    expect(wire.log('t').values.map((v) => v.trim())).toEqual(numbers(200));
    expect(deliveries.map((d) => [d.error, d.token, d.offset])).toEqual(numbers(200).map((_, i) => [null, i, i]));
    const refused = wire.calls.length;
    for (const value of numbers(200)) send(value.padEnd(50));
    await producer.flush();
    const later = wire.calls.slice(refused).flatMap((c) => c.partitions.map((p) => p.batch.length));
    expect(Math.max(...later)).toBeLessThanOrEqual(2000);
    expect(producer.bufferedBytes).toBe(0);
  });

  test('compressed batches are split as well; flush waits for the parts', async () => {
    const { wire, producer, deliveries, send } = await start({ 'compression.type': 'gzip' });
    wire.maxMessageBytes = 1200;
    const next = random(5);
    const values = numbers(100).map(() => next().toString(36) + next().toString(36));
    for (const value of values) send(value);
    await producer.flush();
    expect(deliveries).toHaveLength(100);
    expect(wire.log('t').values).toEqual(values);
  });

  test('a single record the broker finds too large fails', async () => {
    const { wire, producer, deliveries, send } = await start();
    wire.maxMessageBytes = 200;
    send('small');
    send('x'.repeat(500));
    await producer.flush();
    expect(deliveries.map((d) => d.error?.code ?? null)).toEqual([null, 'MESSAGE_TOO_LARGE']);
  });

  test('buffer.memory: not ready until enough was acknowledged', async () => {
    const { wire, producer, send } = await start({ 'buffer.memory': '10000' });
    expect(producer.whenReady()).toBeNull();
    const held = gate<Fault>();
    wire.onProduce = () => held.promise;
    send('x'.repeat(9000));
    expect(producer.whenReady()).toBeNull();
    send('x'.repeat(9000));
    expect(producer.bufferedBytes).toBeGreaterThan(18_000);
    const ready = producer.whenReady();
    expect(ready).not.toBeNull();
    held.open(null);
    await ready;
    expect(producer.bufferedBytes).toBeLessThan(10_000);
    await producer.flush();
  });

  test('a response sends the next batch at once, before callers that wait for memory continue', async () => {
    const { wire, producer, send } = await start({ 'buffer.memory': '10000', 'batch.size': '9000' });
    const answers = [gate<Fault>(), gate<Fault>()];
    let asked = 0;
    wire.onProduce = () => answers[asked++]?.promise ?? null;
    send('x'.repeat(8000));
    send('x'.repeat(8000));
    await waitFor('the first request', () => wire.calls.length === 1);
    const whenReady = producer.whenReady()?.then(() => wire.calls.length);
    answers[0]?.open(null);
    expect(await whenReady).toBe(2);
    answers[1]?.open(null);
    await producer.flush();
  });

  test('records that can never be sent are rejected at once', async () => {
    const { producer, send } = await start({ 'max.request.size': '1000' });
    expect(thrown(() => send('x'.repeat(1000)))).toMatchObject({
      code: 'RECORD_TOO_LARGE_CLIENT',
      topic: 't',
      retriable: false,
    });
    expect(thrown(() => send('x', 7))).toMatchObject({ code: 'UNKNOWN_TOPIC_OR_PARTITION' });
    const record = { topic: 't', key: null, value: null };
    expect(thrown(() => producer.send({ ...record, timestamp: -5 }))).toMatchObject({ code: 'INVALID_TIMESTAMP' });
    expect(thrown(() => producer.send({ ...record, topic: 'unknown' }))).toMatchObject({ retriable: true });
    expect(producer.bufferedBytes).toBe(0);
  });
});

describe('kafka-client 2: life cycle', () => {
  test('prepare: fetches metadata of topics and rejects invalid names', async () => {
    const { producer } = await start();
    expect(producer.isPrepared('t')).toBe(true);
    expect(producer.isPrepared('nope')).toBe(false);
    await producer.prepare(['t']);
    await expect(producer.prepare(['t', 'nope'])).rejects.toMatchObject({ code: 'INVALID_TOPIC_EXCEPTION' });
  });

  test('send before connect and after close is an error; close sends what is buffered', async () => {
    const wire = new FakeWire().addTopic('t');
    const producer = createProducer(wire, { 'linger.ms': '60000' }, silentLogger);
    const record = { topic: 't', key: null, value: Buffer.from('v') };
    expect(thrown(() => producer.send(record))).toMatchObject({ code: 'PRODUCER_CLOSED' });
    await producer.connect();
    let offset = -2;
    producer.send(record, (_e, _t, _topic, _p, o) => (offset = o));
    await Promise.all([producer.close(), producer.close()]);
    expect(offset).toBe(0);
    expect(wire.closed).toBe(true);
    expect(thrown(() => producer.send(record))).toMatchObject({ code: 'PRODUCER_CLOSED' });
    await expect(producer.connect()).rejects.toMatchObject({ code: 'PRODUCER_CLOSED' });
  });

  test('close: after its timeout each callback is called once', async () => {
    const { wire, producer, deliveries, send } = await start();
    const held = gate<Fault>();
    wire.onProduce = () => held.promise;
    send('in flight');
    await waitFor('the state under test', () => wire.calls.length === 1);
    send('buffered');
    await producer.close(20);
    expect(deliveries.map((d) => d.error?.code)).toEqual(['PRODUCER_CLOSED', 'PRODUCER_CLOSED']);
    held.open(null);
    await new Promise(setImmediate);
    expect(deliveries).toHaveLength(2);
    expect(producer.bufferedBytes).toBe(0);
  });

  test('a callback that throws does not prevent the others; each record may have its own', async () => {
    const { producer } = await start();
    const told: string[] = [];
    const record = { topic: 't', key: null, value: Buffer.from('v') };
    producer.send(record, () => told.push('a'));
    producer.send(record, () => {
      throw new Error('in a callback');
    });
    producer.send(record);
    producer.send(record, (_e, token) => told.push(`b${token}`), 9);
    await producer.flush();
    expect(told).toEqual(['a', 'b9']);
  });

  test('the caller may use its buffers again as soon as send has returned', async () => {
    const { wire, producer } = await start();
    const value = Buffer.from('one');
    producer.send({ topic: 't', key: value, value });
    value.fill('x');
    await producer.flush();
    expect(wire.log('t').values).toEqual(['one']);
  });
});
