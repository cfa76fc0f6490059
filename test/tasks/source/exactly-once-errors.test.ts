/** Errors that end exactly-once source tasks while they deliver. */
import { KafkaError } from '../../../packages/kafka-client/src/errors';
import { record, ScriptedSource } from '../fakes';
import { ended, offset, start } from './exactly-once-task';

test('connect-runtime 87: a transaction that Kafka has aborted fails the task with the cures, and it may restart', async () => {
  const timeout = { 'producer.override.transaction.timeout.ms': '1' };
  const started = start(new ScriptedSource([[record(1)]]), timeout, (w) => {
    w.producer.prepare = () => new Promise((resolve) => setTimeout(resolve, 5));
    w.producer.commitErrors = [ended];
  });
  await started.listener.until('failed c-0');
  expect(started.listener.trace).toMatch(/transaction\.timeout\.ms=1.*transaction\.boundary\.interval\.ms.*poll/);
  expect(started.listener.retriable).toBe(true);
});

test('connect-runtime 87: an idle task notices that its transaction has expired', async () => {
  const config = { 'transaction.boundary': 'connector', 'producer.override.transaction.timeout.ms': '20' };
  const started = start(new ScriptedSource([[record(1)]]), config);
  await started.listener.until('failed c-0');
  expect(started.listener.trace).toContain('TRANSACTION_TIMEOUT');
});

test('connect-runtime 81: a fenced task fails, does not commit, and may restart if it is not outdated', async () => {
  const task = new ScriptedSource([[record(1)]]);
  const started = start(task, {}, (w) => (w.producer.commitErrors = [ended]));
  await started.listener.until('failed c-0');
  expect(started.listener.trace).toContain("a newer task with transactional.id 'g-c-0' has started");
  expect(started.listener.retriable).toBe(true);
  expect(task.commits).toEqual([]);
});

test.each([
  ['INVALID_PRODUCER_ID_MAPPING', 'TRANSACTIONAL_ID_EXPIRED'],
  ['TRANSACTION_ABORTABLE', 'TRANSACTION_ABORTABLE'],
] as const)('a transaction that Kafka ends with %s may be repeated by a restart', async (code, reported) => {
  const started = start(new ScriptedSource([[record(1)]]), {}, (w) => {
    w.producer.commitErrors = [new KafkaError(code, 'ended')];
  });
  await started.listener.until('failed c-0');
  expect(started.listener.trace).toContain(`code: ${reported}`);
  expect(started.listener.retriable).toBe(true);
});

test('connect-runtime §4.3: a record that Kafka refuses fails the task, whatever the tolerance', async () => {
  const tooLarge = new KafkaError('MESSAGE_TOO_LARGE', 'the record is larger than the topic takes');
  const task = new ScriptedSource([[record(1)], [record(2)]]);
  const started = start(task, { 'errors.tolerance': 'all' }, (w) => {
    w.producer.sendErrors = [null, null, tooLarge];
  });
  await started.listener.until('failed c-0');
  expect(started.listener.trace).toContain('MESSAGE_TOO_LARGE');
  expect(started.w.producer.transactions.slice(1)).toEqual(['begin', `commit v1,${offset(1)}`, 'begin']);
});
