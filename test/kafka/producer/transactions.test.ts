import { KafkaError } from '../../../packages/kafka-client/src/errors';
import { TRANSACTIONAL_FLAG } from '../../../packages/kafka-client/src/records/record-batch-layout';
import { waitFor } from '../../helpers/wait-for';
import { FakeWire, type Fault } from '../fake-wire';
import { gate, numbers, start as startProducer } from './producer-harness';

const start = async (config: Record<string, string> = {}, wire?: FakeWire) => {
  const started = await startProducer({ 'transactional.id': 'tx', ...config }, wire);
  await started.producer.initTransactions();
  return started;
};

/** The client gives up on the first request of the API, and the broker handles it only when `deliver` is called. */
function delayFirst(wire: FakeWire, apiName: string): { deliver(): Promise<unknown> } {
  const send = wire.send.bind(wire);
  let deliver: (() => Promise<unknown>) | null = null;
  wire.send = (node, request) => {
    if (deliver !== null || request.apiName !== apiName) return send(node, request);
    deliver = () => send(node, request);
    return Promise.reject(new KafkaError('REQUEST_TIMED_OUT_CLIENT', 'no response', { retriable: true }));
  };
  return { deliver: async () => deliver!() };
}

/** The first request of the API has no answer until `answer` is called, and then none because the wire is closed. */
function holdFirst(wire: FakeWire, apiName: string): { readonly sent: Promise<void>; answer(): void } {
  const send = wire.send.bind(wire);
  const answer = gate<void>();
  const sent = gate<void>();
  let isHeld = false;
  wire.send = async (node, request) => {
    if (isHeld || request.apiName !== apiName) return await send(node, request);
    isHeld = true;
    sent.open();
    await answer.promise;
    throw new KafkaError('CONNECTION_FAILED', 'closed', { retriable: true });
  };
  return { sent: sent.promise, answer: () => answer.open() };
}

describe('connect-runtime 4.8: transactions', () => {
  test('partitions are added once and lazily, records carry the transaction, the commit comes after their acknowledgement', async () => {
    const { wire, producer, deliveries, send } = await start({}, new FakeWire().addTopic('t', 3));
    producer.beginTransaction();
    send('a', 0);
    send('b', 2);
    await producer.flush();
    send('c', 0);
    await producer.commitTransaction();
    expect(wire.transactionLog).toEqual(['add t-0', 'add t-2', 'commit']);
    expect(deliveries.map((d) => d.error)).toEqual([null, null, null]);
    const batch = wire.log('t', 0).batches[0]!;
    expect(batch.bytes.readInt16BE(21) & TRANSACTIONAL_FLAG).toBe(TRANSACTIONAL_FLAG);
    expect([batch.producerId, batch.epoch, batch.baseSequence]).toEqual([100, 1, 0]);

    producer.beginTransaction();
    send('d', 0);
    await producer.commitTransaction();
    expect(wire.log('t', 0).batches.at(-1)).toMatchObject({ epoch: 1, baseSequence: 2 });
  });

  test('expected partitions are added with the first one, also if nothing is written to them', async () => {
    const { wire, producer, send } = await start({}, new FakeWire().addTopic('t', 3));
    const requests = jest.spyOn(wire, 'send');
    const expected = [2, 0].map((partition) => ({ topic: 't', partition }));
    producer.beginTransaction(expected);
    send('a', 0);
    await producer.commitTransaction();
    expect(wire.transactionLog).toEqual(['add t-0', 'add t-2', 'commit']);
    expect(requests.mock.calls.filter(([, { apiName }]) => apiName === 'AddPartitionsToTxn')).toHaveLength(1);
    producer.beginTransaction(expected);
    await producer.commitTransaction();
    expect(wire.transactionLog).toHaveLength(3);
  });

  test('an empty transaction sends no request', async () => {
    const { wire, producer } = await start();
    producer.beginTransaction();
    await producer.commitTransaction();
    producer.beginTransaction();
    await producer.abortTransaction();
    expect(wire.transactionLog).toEqual([]);
  });

  test('consumer offsets become part of the transaction', async () => {
    const { wire, producer } = await start();
    producer.beginTransaction();
    await producer.sendOffsetsToTransaction('g', [
      { topic: 't', partition: 0, offset: 5 },
      { topic: 't', partition: 1, offset: 6 },
    ]);
    await producer.commitTransaction();
    expect(wire.transactionLog).toEqual(['add offsets', 'offset g t-0=5', 'offset g t-1=6', 'commit']);
  });

  test('abort: unsent records are dropped, batches in flight are awaited, and each callback is called', async () => {
    const { wire, producer, deliveries, send } = await start();
    producer.beginTransaction();
    send('sent');
    await producer.flush();
    const held = gate<Fault>();
    wire.onProduce = () => held.promise;
    send('in flight');
    await waitFor('the state under test', () => wire.calls.length === 2);
    send('buffered');
    const aborted = producer.abortTransaction();
    held.open(null);
    await aborted;
    expect(wire.transactionLog.at(-1)).toBe('abort');
    expect(deliveries.map((d) => d.error?.code ?? null)).toEqual([null, null, 'ABORTED']);
    producer.beginTransaction();
    wire.onProduce = () => null;
    send('next');
    await producer.commitTransaction();
    expect(wire.log('t').batches.at(-1)).toMatchObject({ values: ['next'], baseSequence: 2 });
  });

  test('abort with a batch of unknown outcome: the next transaction has a new epoch', async () => {
    const { wire, producer, send } = await start({ 'retry.backoff.ms': '1000', 'retry.backoff.max.ms': '1000' });
    producer.beginTransaction();
    wire.onProduce = () => 'cut-after';
    send('in doubt');
    await waitFor('the state under test', () => wire.log('t').values.length === 1);
    await producer.abortTransaction();
    wire.onProduce = () => null;
    producer.beginTransaction();
    send('next');
    await producer.commitTransaction();
    expect(wire.log('t').batches.map((b) => [b.values[0], b.epoch, b.baseSequence])).toEqual([
      ['in doubt', 1, 0],
      ['next', 2, 0],
    ]);
  });
});

describe('kafka-client 3: kinds of transaction errors', () => {
  test.each([
    [47, 'INVALID_PRODUCER_EPOCH'],
    [90, 'PRODUCER_FENCED'],
  ])('fenced (%p) while sending: fatal for good', async (code, name) => {
    const { wire, producer, deliveries, send } = await start();
    producer.beginTransaction();
    wire.onProduce = () => code;
    send('a');
    await expect(producer.commitTransaction()).rejects.toMatchObject({ code: name, fenced: true, abortable: false });
    expect(deliveries[0]!.error).toMatchObject({ code: name, fenced: true });
    wire.onProduce = () => null;
    await expect(producer.abortTransaction()).rejects.toMatchObject({ fenced: true });
    expect(() => send('b')).toThrow(/newer producer/);
    expect(() => producer.beginTransaction()).toThrow(/newer producer/);
    expect(wire.transactionLog).toEqual(['add t-0']);
  });

  test.each(['AddPartitionsToTxn', 'EndTxn', 'AddOffsetsToTxn', 'TxnOffsetCommit'])('fenced at %s', async (api) => {
    const { wire, producer, send } = await start();
    wire.onTransactional = (name) => (name === api ? 90 : 0);
    producer.beginTransaction();
    send('a');
    const work = async () => {
      await producer.sendOffsetsToTransaction('g', [{ topic: 't', partition: 0, offset: 1 }]);
      await producer.commitTransaction();
    };
    await expect(work()).rejects.toMatchObject({ code: 'PRODUCER_FENCED', fenced: true });
    expect(() => send('b')).toThrow();
  });

  test('fenced at initTransactions', async () => {
    const { wire, producer } = await startProducer({ 'transactional.id': 'tx' });
    wire.onTransactional = () => 90;
    await expect(producer.initTransactions()).rejects.toMatchObject({ fenced: true });
  });

  test('CONCURRENT_TRANSACTIONS and a moved coordinator are retried', async () => {
    const { wire, producer, deliveries, send } = await start();
    const pending = new Map([
      ['AddPartitionsToTxn', [51, 51, 16]],
      ['EndTxn', [14, 51, 15]],
    ]);
    wire.onTransactional = (name) => pending.get(name)?.shift() ?? 0;
    producer.beginTransaction();
    for (const value of numbers(3)) send(value);
    await producer.commitTransaction();
    expect(wire.transactionLog).toEqual(['add t-0', 'commit']);
    expect(deliveries.map((d) => d.error)).toEqual([null, null, null]);
  });

  test('a rejected batch is abortable: commit fails, buffered records fail, and the producer works after the abort', async () => {
    const { wire, producer, deliveries, send } = await start({ 'batch.size': '100' });
    producer.beginTransaction();
    wire.onProduce = () => 29;
    for (let i = 0; i < 5; i++) send('x'.repeat(50));
    await expect(producer.commitTransaction()).rejects.toMatchObject({
      code: 'TOPIC_AUTHORIZATION_FAILED',
      abortable: true,
      fenced: false,
    });
    expect(deliveries.map((d) => d.error?.code)).toEqual(Array(5).fill('TOPIC_AUTHORIZATION_FAILED'));
    expect(() => send('later')).toThrow();
    expect(wire.calls).toHaveLength(1);
    wire.onProduce = () => null;
    await producer.abortTransaction();
    producer.beginTransaction();
    send('good');
    await producer.commitTransaction();
    expect(wire.transactionLog).toEqual(['add t-0', 'abort', 'add t-0', 'commit']);
    expect(wire.log('t').values).toEqual(['good']);
  });

  test('a lost sequence is abortable and the next transaction has a new epoch', async () => {
    const { wire, producer, send } = await start();
    producer.beginTransaction();
    wire.onProduce = () => 45;
    send('a');
    await expect(producer.commitTransaction()).rejects.toMatchObject({
      code: 'OUT_OF_ORDER_SEQUENCE_NUMBER',
      abortable: true,
    });
    wire.onProduce = () => null;
    await producer.abortTransaction();
    producer.beginTransaction();
    send('b');
    await producer.commitTransaction();
    expect(wire.log('t').batches[0]).toMatchObject({ values: ['b'], epoch: 2, baseSequence: 0 });
  });

  test('a group error at the offsets is abortable', async () => {
    const { wire, producer } = await start();
    wire.onTransactional = (name) => (name === 'TxnOffsetCommit' ? 30 : 0);
    producer.beginTransaction();
    const sent = producer.sendOffsetsToTransaction('g', [{ topic: 't', partition: 0, offset: 1 }]);
    await expect(sent).rejects.toMatchObject({ code: 'GROUP_AUTHORIZATION_FAILED', abortable: true });
    await producer.abortTransaction();
    expect(wire.transactionLog.at(-1)).toBe('abort');
  });

  test('a commit whose outcome is not known may be called again', async () => {
    const { wire, producer, send } = await start({ 'max.block.ms': '1' });
    producer.beginTransaction();
    send('a');
    await producer.flush();
    wire.onTransactional = () => 15;
    await expect(producer.commitTransaction()).rejects.toMatchObject({ retriable: true });
    expect(() => send('b')).toThrow(/the commit must be repeated/);
    wire.onTransactional = () => 0;
    await producer.commitTransaction();
    expect(wire.transactionLog.at(-1)).toBe('commit');
  });

  test.each(['commit', 'abort'] as const)('a late %s does not end the next transaction', async (end) => {
    const { wire, producer, send } = await start();
    const late = delayFirst(wire, 'EndTxn');
    producer.beginTransaction();
    send('a');
    await producer.flush();
    await producer[`${end}Transaction`]();
    producer.beginTransaction();
    send('b');
    await producer.flush();
    await expect(late.deliver()).resolves.toBe(90); // PRODUCER_FENCED
    send('c');
    await producer.commitTransaction();
    expect(wire.transactionLog).toEqual(['add t-0', end, 'add t-0', 'commit']);
    expect(wire.log('t').batches.map((b) => [b.values[0], b.epoch])).toEqual([
      ['a', 1],
      ['b', 2],
      ['c', 2],
    ]);
  });

  test('a transaction whose epoch cannot be renewed is abortable, the one before it stays committed', async () => {
    const { wire, producer, send } = await start({ 'max.block.ms': '1' });
    delayFirst(wire, 'AddPartitionsToTxn');
    producer.beginTransaction();
    send('a');
    await producer.commitTransaction();
    wire.onTransactional = (name) => (name === 'InitProducerId' ? 14 : 0);
    producer.beginTransaction();
    send('b');
    await expect(producer.commitTransaction()).rejects.toMatchObject({ abortable: true });
    wire.onTransactional = () => 0;
    await producer.abortTransaction();
    producer.beginTransaction();
    send('c');
    await producer.commitTransaction();
    expect(wire.transactionLog).toEqual(['add t-0', 'commit', 'add t-0', 'commit']);
    expect(wire.log('t').batches.map((b) => [b.values[0], b.epoch > 1])).toEqual([
      ['a', false],
      ['c', true],
    ]);
  });

  test('a call in the wrong state is an error that names the state', async () => {
    const { producer, send } = await startProducer({ 'transactional.id': 'tx' });
    expect(() => producer.beginTransaction()).toThrow(/initTransactions/);
    await producer.initTransactions();
    expect(() => send('a')).toThrow(/no transaction is open/);
    await expect(producer.commitTransaction()).rejects.toThrow(/no transaction is open/);
    producer.beginTransaction();
    expect(() => producer.beginTransaction()).toThrow(/a transaction is open/);
    const plain = await startProducer();
    expect(() => plain.producer.beginTransaction()).toThrow(/transactional.id/);
  });

  test('close aborts an open transaction', async () => {
    const { wire, producer, send } = await start();
    producer.beginTransaction();
    send('a');
    await producer.flush();
    await producer.close();
    expect(wire.transactionLog).toEqual(['add t-0', 'abort']);
    expect(wire.closed).toBe(true);
  });

  test.each(['AddPartitionsToTxn', 'Produce', 'EndTxn'])(
    'a commit that close interrupts during %s is not reported as done, and nothing follows',
    async (api) => {
      const { wire, producer, deliveries, send } = await start();
      const held = holdFirst(wire, api);
      producer.beginTransaction();
      send('a');
      const committed = producer.commitTransaction();
      await held.sent;
      const closed = producer.close(0);
      held.answer();
      await expect(committed).rejects.toMatchObject({ code: 'PRODUCER_CLOSED' });
      await closed;
      const reported = deliveries.map(({ error }) => error?.code ?? null);
      expect(reported).toEqual([api === 'EndTxn' ? null : 'PRODUCER_CLOSED']);
      expect(wire.transactionLog).not.toContain('commit');
    },
  );
});
