/** Offsets that exactly-once source tasks store. */
import { eventually, PARTITION, record, ScriptedSource } from '../fakes';
import { Defining, offset, start, stop } from './exactly-once-task';

test('an offset without a record is committed after the records polled before it, in one transaction with them', async () => {
  const task: Defining = new Defining([[record(1)], () => (void task.context.storeOffset(PARTITION, { n: 9 }), null)]);
  const started = start(task, { 'transaction.boundary': 'interval' });
  await eventually(() => started.w.producer.transactions.length === 3);
  await stop(started);
  expect(started.w.producer.transactions).toEqual(['init', 'begin', `commit v1,${offset(9)}`]);
});

test('an offset without a record that cannot be stored fails the task, even if the connector ignores it', async () => {
  const ignored = (): null => {
    task.context.storeOffset(PARTITION, { n: 9 }).catch(() => undefined);
    return null;
  };
  const task: Defining = new Defining([[record(1)], ignored]);
  const started = start(task, { 'transaction.boundary': 'interval' }, (w) => {
    const encode = w.offsets.encode.bind(w.offsets);
    w.offsets.encode = async (connector, offsets) => {
      if (offsets.length > 0) throw new Error('the offsets topic is gone');
      return await encode(connector, offsets);
    };
  });
  await started.listener.until('failed c-0');
  expect(started.listener.trace).toContain('the offsets topic is gone');
  expect(started.w.producer.transactions).toEqual(['init', 'begin']);
});

test('connect-runtime 86: a task that produces to its own offsets topic fails', async () => {
  const started = start(new ScriptedSource([[record(1, { topic: 'offsets' })]]));
  await started.listener.until('failed c-0');
  expect(started.listener.trace).toContain('OWN_OFFSETS_TOPIC');
  expect(started.w.producer.sent).toEqual([]);
});

test('an offset that cannot be stored fails the task: its records must not be committed without it', async () => {
  const bad = record(1, { sourceOffset: { n: [] } as never });
  const started = start(new ScriptedSource([[bad]]));
  await started.listener.until('failed c-0');
  expect(started.listener.trace).toContain('OFFSET_NOT_PRIMITIVE');
  expect(started.w.producer.transactions).toEqual(['init']);
  expect(started.w.producer.sent).toEqual([]);
});
