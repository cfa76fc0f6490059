/** Several batches of a partition in flight: order is kept by sequence numbers. */
import type { SendPermission } from '../../../packages/kafka-client/src/port';
import { PartitionQueue } from '../../../packages/kafka-client/src/producer/partition-queue';
import { ProducerBatch } from '../../../packages/kafka-client/src/producer/producer-batch';
import { BASE_SEQUENCE_AT } from '../../../packages/kafka-client/src/records/record-batch-layout';
import { BufferPool } from '../../../packages/kafka-client/src/records/buffer-pool';
import { waitFor } from '../../helpers/wait-for';
import { FakeWire, type Fault, type ProduceCall } from '../fake-wire';
import { random } from '../records/record-batch-samples';
import { gate, numbers, start as startProducer, type Delivery } from './producer-harness';

/** Three records of this length fill a batch. */
const LENGTH = 300;
const CONFIG = { 'batch.size': '1000' };

type Started = Awaited<ReturnType<typeof startProducer>>;

/** A producer that the broker knows: its first batch, of the record `first`, is acknowledged. */
async function start(
  config: Record<string, string> = {},
  wire?: FakeWire,
  permission?: SendPermission,
): Promise<Started> {
  const started = await startProducer({ ...CONFIG, ...config }, wire, permission);
  if (config['transactional.id'] !== undefined) {
    await started.producer.initTransactions();
    started.producer.beginTransaction();
  }
  started.send('first');
  await started.producer.flush();
  started.wire.calls.length = 0;
  return started;
}

/** Holds every produce request until it is answered. */
function holding(wire: FakeWire): { readonly calls: { call: ProduceCall; answer(fault: Fault): void }[] } {
  const calls: { call: ProduceCall; answer(fault: Fault): void }[] = [];
  wire.onProduce = (call) => {
    const held = gate<Fault>();
    calls.push({ call, answer: held.open });
    return held.promise;
  };
  return { calls };
}

const sendAll = (send: (value: string) => void, count: number): string[] => {
  const values = numbers(count).map((value) => value.padEnd(LENGTH));
  values.forEach((value) => send(value));
  return values;
};

const sequenceOf = ({ partitions }: ProduceCall): number => partitions[0]!.batch.readInt32BE(BASE_SEQUENCE_AT);

const settle = async (): Promise<void> => {
  for (let i = 0; i < 5; i++) await new Promise(setImmediate);
};

const expectOrder = (deliveries: readonly Delivery[]): void =>
  expect(deliveries.map(({ token }) => token)).toEqual(deliveries.map((_, i) => i));

describe('kafka-client 1: batches in flight', () => {
  test('five full batches of a partition, once the broker knows the producer', async () => {
    const { wire, producer, deliveries, send } = await start();
    const held = holding(wire);
    const values = sendAll(send, 30);
    await waitFor('five requests', () => held.calls.length === 5);
    await settle();
    expect(held.calls).toHaveLength(5);
    for (const { answer } of held.calls) answer(null);
    wire.onProduce = () => null;
    await producer.flush();
    expect(wire.log('t').values).toEqual(['first', ...values]);
    expect(wire.log('t').batches.map(({ epoch, baseSequence }) => [epoch, baseSequence])).toEqual(
      wire.log('t').batches.map(({ baseOffset }) => [0, baseOffset]),
    );
    expectOrder(deliveries);
    expect(producer.bufferedBytes).toBe(0);
  });

  test.each([
    ['the broker does not know the producer yet', startProducer, CONFIG, 1],
    ['without retries', start, { retries: '0' }, 1],
    ['without idempotence', start, { 'enable.idempotence': 'false' }, 1],
    ['max.in.flight.requests.per.connection=1', start, { 'max.in.flight.requests.per.connection': '1' }, 1],
    ['max.in.flight.requests.per.connection=2', start, { 'max.in.flight.requests.per.connection': '2' }, 2],
    ['max.in.flight.requests.per.connection=20', start, { 'max.in.flight.requests.per.connection': '20' }, 5],
  ])('%s: a limit', async (_, begin, config, limit) => {
    const { wire, producer, send } = await begin(config);
    const held = holding(wire);
    sendAll(send, 60);
    await waitFor('the requests', () => held.calls.length === limit);
    await settle();
    expect(held.calls).toHaveLength(limit);
    wire.onProduce = () => null;
    for (const { answer } of held.calls) answer(null);
    await producer.flush();
  });

  test('a batch that is not full waits for those in flight', async () => {
    const { wire, producer, send } = await start();
    const held = holding(wire);
    sendAll(send, 4);
    await waitFor('a request', () => held.calls.length === 1);
    void producer.flush();
    await settle();
    expect(held.calls).toHaveLength(1);
    wire.onProduce = () => null;
    held.calls[0]!.answer(null);
    await producer.flush();
    expect(wire.log('t').batches.map(({ count }) => count)).toEqual([1, 3, 1]);
  });

  test('no partition waits for the requests that another one fills', async () => {
    const { wire, producer, send } = await start({}, new FakeWire().addTopic('t', 3));
    for (let partition = 0; partition < 3; partition++) send('known', partition);
    await producer.flush();
    wire.calls.length = 0;
    for (let partition = 0; partition < 3; partition++) sendAll((value) => send(value, partition), 60);
    await producer.flush();
    expect(wire.calls.slice(0, 5).map(({ partitions }) => partitions.map(({ partition }) => partition))).toEqual(
      Array.from({ length: 5 }, () => [0, 1, 2]),
    );
  });

  test('a producer that was silent for a minute sends one batch alone: the broker may have forgotten it', () => {
    const queue = new PartitionQueue('t', 0, 1000);
    queue.useIdentity(5, 0);
    const closed = (): ProducerBatch => {
      const batch = new ProducerBatch('t', 0, 0, 0, new BufferPool(0), 0, 100);
      batch.append({ key: null, value: null, headers: null }, 1, Infinity, undefined, 0);
      queue.closed.push(batch);
      return batch;
    };
    const [first, second] = [closed(), closed()];
    queue.assignIdentity(first, false);
    queue.sending(first);
    expect(queue.next(0, 5)).toBeNull();
    queue.acknowledged(first, 1000);
    expect(queue.next(61_000, 5)).toBe(second);
    expect(queue.next(61_001, 5)).toBeNull();
  });
});

describe('kafka-client 1: faults with several batches in flight', () => {
  test('a retriable error of the first: those after it are out of order, and are retried in order and reported in order', async () => {
    const { wire, producer, deliveries, send } = await start();
    const held = holding(wire);
    const values = sendAll(send, 15);
    await waitFor('the requests', () => held.calls.length === 4);
    // The third is answered before the first.
    const [first, second, third, fourth] = held.calls;
    wire.onProduce = () => null;
    third!.answer(null);
    second!.answer(null);
    await settle();
    first!.answer(19);
    fourth!.answer(null);
    await producer.flush();
    expect(wire.log('t').values).toEqual(['first', ...values]);
    expect(wire.log('t').batches.every(({ epoch }) => epoch === 0)).toBe(true);
    expect(deliveries.map(({ error }) => error)).toEqual(deliveries.map(() => null));
    expectOrder(deliveries);
  });

  test('a batch is refused: later ones were sent too early, which is not counted as a retry', async () => {
    const { wire, producer, deliveries, send } = await start({ retries: '1' });
    const held = holding(wire);
    const values = sendAll(send, 12);
    await waitFor('the requests', () => held.calls.length === 3);
    wire.onProduce = () => null;
    held.calls[0]!.answer(87);
    for (const { answer } of held.calls.slice(1)) answer(null);
    await producer.flush();
    expect(wire.log('t').values).toEqual(['first', ...values.slice(3)]);
    expect(deliveries.map(({ error }) => error?.code)).toEqual([
      undefined,
      ...values.map((_, i) => (i < 3 ? 'INVALID_RECORD' : undefined)),
    ]);
    expectOrder(deliveries);
  });

  test('a batch is stored although its answer is lost and it is given up: later ones are neither lost nor doubled', async () => {
    const { wire, producer, deliveries, send } = await start({ retries: '1' });
    const held = holding(wire);
    const values = sendAll(send, 12);
    await waitFor('the requests', () => held.calls.length === 3);
    wire.onProduce = (call) => (sequenceOf(call) === 1 ? 'cut-before' : null);
    for (const [i, { answer }] of held.calls.entries()) answer(i === 0 ? 'cut-after' : null);
    await producer.flush();
    wire.onProduce = () => null;
    sendAll(send, 3);
    await producer.flush();
    expect(wire.log('t').values).toEqual(['first', ...values, ...values.slice(0, 3)]);
    expect(deliveries.flatMap(({ error }, i) => (error === null ? [] : [[i, error.code, error.inDoubt]]))).toEqual(
      [1, 2, 3].map((i) => [i, 'CONNECTION_FAILED', true]),
    );
  });

  test('a batch is lost and given up: later ones move to the next epoch', async () => {
    const { wire, producer, deliveries, send } = await start({ retries: '1' });
    const held = holding(wire);
    const values = sendAll(send, 12);
    await waitFor('the requests', () => held.calls.length === 3);
    wire.onProduce = (call) => (sequenceOf(call) === 1 ? 'cut-before' : null);
    for (const [i, { answer }] of held.calls.entries()) answer(i === 0 ? 'cut-before' : null);
    await producer.flush();
    expect(wire.log('t').values).toEqual(['first', ...values.slice(3)]);
    expect(wire.log('t').batches.at(-1)).toMatchObject({ epoch: 1 });
    expectOrder(deliveries);
  });

  test('the broker loses the sequence: all batches in flight go again under the next epoch, in order', async () => {
    const { wire, producer, deliveries, send } = await start();
    const held = holding(wire);
    const values = sendAll(send, 18);
    await waitFor('the requests', () => held.calls.length === 5);
    let lost = true;
    wire.onProduce = (call) => (lost && call.partitions[0]!.batch.readInt16BE(51) === 0 ? 45 : null);
    for (const { answer } of held.calls) answer(45);
    await producer.flush();
    lost = false;
    expect(wire.log('t').values).toEqual(['first', ...values]);
    expect(wire.log('t').batches.map(({ epoch }) => epoch)).toEqual([0, 1, 1, 1, 1, 1, 1]);
    expect(deliveries.every(({ error }) => error === null)).toBe(true);
    expectOrder(deliveries);
  });

  test.each(['none', 'gzip'])(
    'batches that are too large are split while later ones are in flight (%s)',
    async (codec) => {
      const { wire, producer, deliveries, send } = await start({ 'compression.type': codec, 'batch.size': '4000' });
      const next = random(7);
      wire.maxMessageBytes = 1500;
      const values = numbers(200).map((value) => `${value} ${Array.from({ length: 20 }, () => next()).join('')}`);
      for (const value of values) send(value);
      await producer.flush();
      expect(wire.log('t').values).toEqual(['first', ...values]);
      expect(wire.log('t').batches.every(({ epoch }) => epoch === 0)).toBe(true);
      expect(deliveries.map(({ error, offset }) => [error, offset])).toEqual(deliveries.map((_, i) => [null, i]));
      expectOrder(deliveries);
      expect(producer.bufferedBytes).toBe(0);
    },
  );

  test('the permission is lost: those in flight are in doubt, the others are not sent', async () => {
    const permission = { epoch: 1, check: (epoch: number) => (epoch === permission.epoch ? 'now' : 'never') } as const;
    const { wire, producer, deliveries, send } = await start({}, undefined, permission);
    const held = holding(wire);
    const values = sendAll(send, 30);
    await waitFor('the requests', () => held.calls.length === 5);
    (permission as { epoch: number }).epoch++;
    wire.onProduce = () => null;
    held.calls[0]!.answer(null);
    for (const { answer } of held.calls.slice(1)) answer('cut-after');
    await producer.flush();
    expect(wire.log('t').values).toEqual(['first', ...values.slice(0, 15)]);
    expect(deliveries.slice(4).map(({ error }) => [error?.code, error?.inDoubt])).toEqual(
      values.slice(3).map((_, i) => ['SESSION_LOST', i < 12]),
    );
    expectOrder(deliveries);
  });

  test('delivery.timeout.ms: each batch fails once, in order, and the next ones are stored', async () => {
    const { wire, producer, deliveries, send } = await start({ 'delivery.timeout.ms': '300' });
    wire.onProduce = () => 19;
    const values = sendAll(send, 30);
    await producer.flush();
    expect(deliveries.slice(1).map(({ error }) => error?.code)).toEqual(values.map(() => 'DELIVERY_TIMEOUT'));
    expectOrder(deliveries);
    wire.onProduce = () => null;
    sendAll(send, 12);
    await producer.flush();
    expect(wire.log('t').values).toEqual(['first', ...values.slice(0, 12)]);
  });

  test('close: every callback is called once, and late answers change nothing', async () => {
    const { wire, producer, deliveries, send } = await start();
    const held = holding(wire);
    sendAll(send, 30);
    await waitFor('the requests', () => held.calls.length === 5);
    await producer.close(10);
    expectOrder(deliveries);
    expect(deliveries).toHaveLength(31);
    for (const { answer } of held.calls) answer(45);
    await settle();
    expect(deliveries).toHaveLength(31);
    expect(producer.bufferedBytes).toBe(0);
  });

  test('a transaction: a batch fails while others are in flight; after the abort the sequence goes on', async () => {
    const { wire, producer, deliveries, send } = await start({ 'transactional.id': 'tx' });
    const held = holding(wire);
    sendAll(send, 15);
    await waitFor('the requests', () => held.calls.length === 4);
    wire.onProduce = () => null;
    held.calls[0]!.answer(87);
    for (const { answer } of held.calls.slice(1)) answer(null);
    await expect(producer.commitTransaction()).rejects.toMatchObject({ code: 'INVALID_RECORD' });
    await producer.abortTransaction();
    expect(deliveries.slice(1).every(({ error }) => error?.code === 'INVALID_RECORD')).toBe(true);
    producer.beginTransaction();
    const values = sendAll(send, 12);
    await producer.commitTransaction();
    expect(wire.log('t').values).toEqual(['first', ...values]);
    expectOrder(deliveries);
  });

  test.each(Array.from({ length: 30 }, (_, i) => i))(
    'random faults, answers in any order: nothing lost, doubled or reordered (seed %p)',
    async (seed) => {
      const next = random(seed + 1);
      const { wire, producer, deliveries, send } = await start(
        { 'delivery.timeout.ms': '600000', 'max.request.size': '100000' },
        new FakeWire().addTopic('t', 2),
      );
      send('first', 1);
      await producer.flush();
      const retriable = [19, 6, 3, 2, 7] as const;
      let most = 0;
      let inFlight = 0;
      wire.onProduce = async ({ partitions }) => {
        most = Math.max(most, ++inFlight);
        for (let turns = Math.floor(next() * 6); turns > 0; turns--) await new Promise(setImmediate);
        inFlight--;
        if (next() < 0.6 || partitions.some(({ batch }) => batch.length > wire.maxMessageBytes)) return null;
        const error = retriable[Math.floor(next() * retriable.length)]!;
        const faults: Fault[] = ['cut-before', 'cut-after', error, { stored: 7 }, { stored: 6 }];
        return faults[Math.floor(next() * faults.length)]!;
      };
      wire.maxMessageBytes = next() < 0.5 ? 800 : Infinity;
      const values = numbers(400).map((value) => value.padEnd(Math.floor(next() * 300)));
      for (const [i, value] of values.entries()) {
        send(value, i % 2);
        if (next() < 0.05) await new Promise(setImmediate);
      }
      await producer.flush();
      expect(most).toBeGreaterThan(2);
      for (const partition of [0, 1]) {
        const expected = ['first', ...values.filter((_, i) => i % 2 === partition)];
        expect(wire.log('t', partition).values).toEqual(expected);
        const mine = deliveries.filter((delivery) => delivery.partition === partition);
        expect(mine.map(({ error }) => error)).toEqual(expected.map(() => null));
        // A broker tells the offset of a batch once, unless it recognizes it later.
        for (const [i, { offset }] of mine.entries()) expect([i, -1]).toContain(offset);
        const tokens = mine.map(({ token }) => token);
        expect(tokens).toEqual([...tokens].sort((a, b) => a - b));
      }
      expect(producer.bufferedBytes).toBe(0);
    },
  );
});
