import { RetriableError } from '@millrace/sdk';
import { batch, eventually } from '../fakes';
import { ScriptedSink, start, stop, type Running } from './sink-fixture';

/** Of a task that has processed and committed three records of t-0 and one of t-1. */
async function committedTask(config: Record<string, string> = {}): Promise<Running & { task: ScriptedSink }> {
  const task = new ScriptedSink();
  const running = await start(task, config);
  running.consumer.next([batch('t', 0, 0, ['a', 'b', 'c']), batch('t', 1, 0, ['x'])]);
  await eventually(() => task.records.length === 4);
  await commit(running, task);
  return { ...running, task };
}

/** The consumer finds no position, or another one, inside a poll. */
async function move({ consumer }: Running, position: number | null): Promise<void> {
  await new Promise<void>((moved) =>
    consumer.next(() => {
      if (position === null) consumer.positions.delete('t-0');
      else consumer.positions.set('t-0', position);
      moved();
    }),
  );
}

async function commit({ consumer }: Running, task: ScriptedSink): Promise<void> {
  const before = consumer.log.length;
  task.context.requestCommit();
  consumer.wakeup();
  await eventually(() => consumer.log.length > before);
}

describe('connect-runtime 5.5: a topic that is deleted and created again while a sink reads it', () => {
  test('the new topic is committed from its first record on, never beyond a record whose dead letter is not written', async () => {
    const running = await committedTask({
      'errors.tolerance': 'all',
      'errors.deadletterqueue.topic.name': 'dlq',
    });
    const { task, consumer, w } = running;
    w.deadLetters.autoAck = false;
    task.onPut = (records) => {
      const bad = records.find(({ value }) => value === 'bad');
      if (bad) void task.context.errantRecordReporter?.report(bad, new Error('no'));
    };
    consumer.next([batch('t', 0, 0, ['new', 'bad'])]);
    await eventually(() => task.records.length === 6);
    await commit(running, task);
    expect(consumer.log.at(-1)).toBe('commit t-0@1,t-1@1');
    for (const letter of w.deadLetters.sent) letter.ack();
    await eventually(() => consumer.log.length === 3);
    expect(consumer.log.at(-1)).toBe('commit t-0@2,t-1@1');
    await stop(running);
  });

  test('offsets of the old topic are replaced at once, and not committed with those of another topic', async () => {
    const running = await committedTask();
    const { task, consumer, w } = running;
    await move(running, null);
    consumer.next([batch('t', 1, 1, ['y'])]);
    await eventually(() => task.records.length === 5);
    await commit(running, task);
    expect(consumer.log.at(-1)).toBe('commit t-1@2');
    await move(running, 0);
    await commit(running, task);
    expect(consumer.log.at(-1)).toBe('commit t-0@0,t-1@2');
    expect(w.logger.lines.join()).toContain('t-0 is read again from offset 0');
    await stop(running);
    expect(consumer.log).toHaveLength(3);
  });

  test('records of the old topic that are put again move no offset of the new one', async () => {
    const running = await committedTask();
    const { task, consumer } = running;
    task.putErrors = [new RetriableError('later')];
    consumer.next([batch('t', 0, 3, ['old'])]);
    await eventually(() => task.puts.length === 3);
    await move(running, 0);
    await commit(running, task);
    await eventually(() => task.values().includes('old'));
    await stop(running);
    expect(consumer.log.slice(1)).toEqual(['commit t-0@0,t-1@1']);
  });
});

test('topicId returns the topic id of the records in put, not the one that the consumer has read since', async () => {
  const task = new ScriptedSink();
  const running = await start(task);
  const seen: (string | null)[] = [];
  task.onPut = (records) => {
    if (records.length > 0) seen.push(task.context.topicId({ topic: 't', partition: 0 }));
  };
  running.consumer.next([{ ...batch('t', 0, 0, ['a']), topicId: 'old' }]);
  running.consumer.next([batch('t', 1, 0, ['without id'])]);
  running.consumer.next([{ ...batch('t', 0, 0, ['b']), topicId: 'new' }]);
  await eventually(() => seen.length === 3);
  expect(seen).toEqual(['old', 'old', 'new']);
  expect(task.context.topicId({ topic: 't', partition: 1 })).toBeNull();
  await stop(running);
});

test('connect-runtime 5.5: a topic that is deleted: its offsets are not committed any more, those of the others are', async () => {
  const running = await committedTask();
  const { task, consumer, w } = running;
  consumer.assign({ topic: 'u', partition: 0 });
  consumer.next([batch('u', 0, 0, ['u0']), batch('t', 0, 3, ['d'])]);
  await eventually(() => task.records.length === 6);
  consumer.deleted.add('t');
  await commit(running, task);
  expect(w.logger.lines.join()).toContain('Offsets of t are not committed any more: Kafka does not know the topic');
  consumer.next([batch('u', 0, 1, ['u1'])]);
  await eventually(() => task.records.length === 7);
  await commit(running, task);
  expect(consumer.log.slice(1)).toEqual(['commit t-0@4,t-1@1,u-0@1', 'commit u-0@2']);
  consumer.deleted.clear();
  consumer.next([batch('t', 0, 0, ['anew'])]);
  await eventually(() => task.records.length === 8);
  await stop(running);
  expect(consumer.log.at(-1)).toBe('commit t-0@1,u-0@2');
});
