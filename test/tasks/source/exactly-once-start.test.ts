/** How exactly-once source tasks start. */
import { ConnectError } from '@millrace/sdk';
import { KafkaError } from '../../../packages/kafka-client/src/errors';
import { readClocks } from '../../../packages/kafka-client/src/port';
import { SessionLease } from '../../../src/tasks/session-lease';
import { eventually, record, ScriptedSource } from '../fakes';
import { start, stop } from './exactly-once-task';

test('connect-runtime §3.9: fences, initializes transactions and confirms its generation before it starts', async () => {
  const task = new ScriptedSource([]);
  const started = start(task, {}, (w, gate) => {
    w.producer.initTransactions = async () => void order.push('init');
    const { fence, confirm } = gate;
    gate.fence = async (connector) => void (order.push('fence'), await fence(connector));
    gate.confirm = async (id, generation) => void (order.push('confirm'), await confirm(id, generation));
    task.start = () => void order.push('start');
  });
  const order: string[] = [];
  await started.listener.until('running c-0');
  await stop(started);
  expect(order).toEqual(['fence', 'init', 'confirm', 'start']);
  expect(started.calls).toEqual(['fence c', 'confirm c-0 7']);
});

test('connect-runtime §3.9: a task that is stopped while it waits for fencing does not fence a newer one', async () => {
  let release: () => void = () => undefined;
  const started = start(new ScriptedSource([]), {}, (_w, gate) => {
    gate.fence = () => new Promise((resolve) => (release = resolve));
  });
  await eventually(() => started.w.clientConfigs.length > 0);
  started.runner.stop();
  release();
  await started.runner.done;
  expect(started.w.producer.transactions).toEqual([]);
  expect(started.listener.events).toEqual(['stopped c-0']);
});

test('connect-runtime 83: an outdated generation fails the start, and nothing is read or written', async () => {
  const task = new ScriptedSource([[record(1)]]);
  const started = start(task, {}, (_w, gate) => {
    gate.confirm = () => Promise.reject(new ConnectError('newer task configs exist', { code: 'OUTDATED' }));
  });
  await started.listener.until('failed c-0');
  expect(started.listener.trace).toContain('newer task configs exist');
  expect(started.listener.retriable).toBe(false);
  expect(task.log).toEqual([]);
  expect(started.w.producer.sent).toEqual([]);
});

test('connect-runtime §4.1: the producer is idempotent and has the transactional id, whatever the user sets', async () => {
  const started = start(new ScriptedSource([]), {
    'producer.override.transactional.id': 'mine',
    'producer.override.enable.idempotence': 'false',
    'producer.override.transaction.timeout.ms': '1234',
  });
  await started.listener.until('running c-0');
  await stop(started);
  expect(started.w.clientConfigs[0]).toMatchObject({
    'enable.idempotence': 'true',
    'transactional.id': 'g-c-0',
    'transaction.timeout.ms': '1234',
  });
  expect(started.w.logger.lines.filter((line) => line.includes('Ignoring'))).toEqual([
    'warn Ignoring transactional.id=mine of the producer: exactly-once delivery requires g-c-0',
    'warn Ignoring enable.idempotence=false of the producer: exactly-once delivery requires true',
  ]);
});

test('connect-runtime 81: a worker whose session has expired does not fence the task of another one', async () => {
  const session = new SessionLease(60_000);
  session.renew(readClocks());
  const task = new ScriptedSource([]);
  const started = start(
    task,
    {},
    (_w, gate) => {
      gate.fence = async () => session.end();
    },
    {},
    session.forWork(),
  );
  await eventually(() => started.w.clientConfigs.length > 0);
  await new Promise((resolve) => setImmediate(resolve));
  await stop(started);
  expect(started.w.producer.transactions).toEqual([]);
  expect(task.log).toEqual([]);
});

test.each([
  ['TRANSACTIONAL_ID_AUTHORIZATION_FAILED', "to use transactional.id 'g-c-0': grant"],
  ['INVALID_TRANSACTION_TIMEOUT', 'transaction.max.timeout.ms'],
] as const)('%s names what to change', async (code, cure) => {
  const started = start(new ScriptedSource([]), {}, (w) => (w.producer.initError = new KafkaError(code, 'no')));
  await started.listener.until('failed c-0');
  expect(started.listener.trace).toContain(cure);
});
