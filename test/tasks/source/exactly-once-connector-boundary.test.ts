/** Exactly-once source tasks whose connector defines the transactions. */
import type { ConnectError } from '@millrace/sdk';
import { KafkaError } from '../../../packages/kafka-client/src/errors';
import { eventually, PARTITION, record } from '../fakes';
import { Defining, offset, start, stop } from './exactly-once-task';

const connector = { 'transaction.boundary': 'connector' };

test('the context tells the task that it is exactly-once; its transactions are its own only with boundary connector', async () => {
  const task = new Defining([]);
  const started = start(task);
  await started.listener.until('running c-0');
  await stop(started);
  expect(task.context).toMatchObject({ exactlyOnce: true, transactionContext: null });
});

test('connect-runtime §4.8: commits after a record and after a batch, and discards what is open at the end', async () => {
  const [one, two, three, four] = [record(1), record(2), record(3), record(4)] as const;
  const task: Defining = new Defining([
    () => (task.transaction.commitTransaction(one), [one, two]),
    () => (task.transaction.commitTransaction(), [three]),
    [four],
  ]);
  const started = start(task, connector);
  await eventually(() => started.w.producer.values().includes('v4'));
  await stop(started);
  expect(started.w.producer.transactions).toEqual([
    'init',
    'begin',
    `commit v1,${offset(1)}`,
    'begin',
    `commit v2,v3,${offset(3)}`,
    'begin',
  ]);
  expect(task.delivered).toEqual(['v1', 'v2', 'v3']);
});

test('connect-runtime 84: an abort hides the records and stores their offsets in another transaction', async () => {
  const [one, two] = [record(1), record(2)] as const;
  const task: Defining = new Defining([() => (task.transaction.abortTransaction(two), [one, two])]);
  const started = start(task, connector);
  await eventually(() => started.w.producer.transactions.length === 5);
  await stop(started);
  expect(started.w.producer.transactions).toEqual(['init', 'begin', 'abort v1,v2', 'begin', `commit ${offset(2)}`]);
  expect(started.metrics.source.transactions.maximum(Date.now())).toBe(0);
});

test.each(['record', 'batch'] as const)('connect-runtime 85: both for the same %s fail the task', async (what) => {
  const one = record(1);
  const task: Defining = new Defining([
    () => {
      const of = what === 'record' ? one : undefined;
      task.transaction.commitTransaction(of);
      task.transaction.abortTransaction(of);
      return [one];
    },
  ]);
  const started = start(task, connector);
  await started.listener.until('failed c-0');
  expect(started.listener.trace).toContain('TRANSACTION_REQUESTS_CONFLICT');
  expect(started.w.producer.transactions).toEqual(['init', 'begin']);
});

test('an offset without a record is refused inside a transaction of the connector', async () => {
  const task: Defining = new Defining([
    [record(1)],
    () => (void task.context.storeOffset(PARTITION, { n: 9 }).catch((e: ConnectError) => (refused = e.code)), null),
  ]);
  let refused = '';
  const started = start(task, connector);
  await eventually(() => refused !== '');
  await stop(started);
  expect(refused).toBe('TRANSACTION_OPEN');
});

test.each(['commit', 'abort'] as const)(
  'connect-runtime §4.8: the %s that a poll requests does not happen before its records are sent',
  async (request) => {
    const task: Defining = new Defining([
      [record(1)],
      () => {
        // Its records wait.
        started.w.producer.full = new Promise(() => undefined);
        task.transaction[`${request}Transaction`]();
        return [record(2)];
      },
    ]);
    const started = start(task, connector);
    await eventually(() => started.w.producer.full !== null);
    await stop(started);
    expect(started.w.producer.transactions).toEqual(['init', 'begin']);
    expect(task.delivered).toEqual([]);
  },
);

test('connect-runtime §4.8: a pause before the records of a poll are sent leaves the commit that it requests to them', async () => {
  const task: Defining = new Defining([
    [record(1)],
    () => {
      started.w.producer.sendErrors = [retriable];
      started.runner.pause();
      task.transaction.commitTransaction();
      return [record(2)];
    },
  ]);
  const retriable = new KafkaError('UNKNOWN_TOPIC_OR_PARTITION', 'not yet', { retriable: true });
  const started = start(task, connector);
  await started.listener.until('paused c-0');
  started.runner.resume();
  await eventually(() => started.w.producer.transactions.length === 3);
  await stop(started);
  expect(started.w.producer.transactions).toEqual(['init', 'begin', `commit v1,v2,${offset(2)}`]);
});
