import { DataError, RetriableError, type TopicPartition, type TopicPartitionOffset } from '@millrace/sdk';
import { KafkaError } from '../../../packages/kafka-client/src/errors';
import type { RecordingLogger } from '../fakes';
import { batch, eventually } from '../fakes';
import { ScriptedSink, start, stop, T0, T1 } from './sink-fixture';

test('connect-runtime 90: subscription, group id, fixed settings, overrides', async () => {
  const running = await start(
    new ScriptedSink(),
    { 'consumer.override.max.poll.records': '7', 'consumer.override.enable.auto.commit': 'true' },
    { 'consumer.fetch.min.bytes': '3' },
  );
  await stop(running);
  expect(running.w.clientConfigs).toEqual([
    {
      'auto.offset.reset': 'earliest',
      'client.id': 'connector-consumer-c-0',
      'group.id': 'connect-c',
      'bootstrap.servers': 'localhost:9092',
      'fetch.min.bytes': '3',
      'max.poll.records': '7',
      'enable.auto.commit': 'false',
    },
  ]);
  expect(running.consumer.subscribed).toEqual(['t']);
  const other = await start(new ScriptedSink(), { 'consumer.override.group.id': 'mine' });
  await stop(other);
  expect(other.w.clientConfigs[0]?.['group.id']).toBe('mine');
});

test('connect-runtime 101: topics.regex subscribes to whole names', async () => {
  const running = await start(new ScriptedSink(), { topics: '', 'topics.regex': 'a|b.*' });
  await stop(running);
  const subscribed = running.consumer.subscribed as RegExp;
  expect(['a', 'bc', 'ax', 'xa'].map((t) => subscribed.test(t))).toEqual([true, true, false, false]);
});

test('records are converted and put; a stop runs preCommit, close, commit, stop', async () => {
  const task = new ScriptedSink();
  const running = await start(task);
  const { consumer, listener } = running;
  consumer.next([batch('t', 0, 5, ['a', 'b']), batch('t', 1, 0, ['c', null])]);
  await eventually(() => task.records.length === 4);
  const order = consumer.log;
  await stop(running);
  expect(task.puts).toEqual([['a', 'b', 'c', 'null']]);
  expect(task.records[0]).toEqual({
    topic: 't',
    partition: 0,
    offset: 5,
    originalTopic: 't',
    originalPartition: 0,
    originalOffset: 5,
    keySchema: expect.objectContaining({ type: 'STRING' }) as unknown,
    key: 'k5',
    valueSchema: expect.objectContaining({ type: 'STRING' }) as unknown,
    value: 'a',
    timestamp: 1000,
    timestampType: 'CreateTime',
    headers: [],
  });
  expect(task.log).toEqual(['start', 'open 0,1', 'flush', 'close 0,1', 'stop']);
  expect(order).toEqual(['commit t-0@7,t-1@2']);
  expect(consumer.closed).toBe(true);
  expect(listener.events).toEqual(['running c-0', 'stopped c-0']);
  expect(listener.topics).toEqual(['t']);
});

test('connect-runtime 97: skipped records count as processed', async () => {
  const task = new ScriptedSink();
  const running = await start(task, {
    'errors.tolerance': 'all',
    'value.converter': 'org.apache.kafka.connect.converters.LongConverter',
  });
  running.consumer.next([batch('t', 0, 0, ['12345678', 'short'])]);
  await eventually(() => task.records.length === 1);
  await stop(running);
  expect(running.consumer.log).toEqual(['commit t-0@2,t-1@0']);
});

test('a record that cannot be converted fails the task, with its position', async () => {
  const task = new ScriptedSink();
  const { consumer, listener } = await start(task, {
    'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
  });
  consumer.next([batch('t', 0, 7, ['no json'])]);
  await listener.until('failed c-0');
  expect(listener.trace.split('\n')[0]).toMatch(
    /VALUE_CONVERTER failed: .*not JSON.*\[code: TOLERANCE_EXCEEDED, topic: t, partition: 0, offset: 7\]$/,
  );
  expect(consumer.commits).toEqual([]);
  expect(task.log).toEqual(['start', 'open 0,1', 'flush', 'close 0,1', 'stop']);
});

describe('records before one that cannot be converted', () => {
  const json = {
    'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
    'value.converter.schemas.enable': 'false',
  };

  test('are delivered and committed, so that who skips the record skips no other one', async () => {
    const task = new ScriptedSink();
    const { consumer, listener } = await start(task, json);
    consumer.next([batch('t', 1, 3, ['1', '2']), batch('t', 0, 7, ['3', '4', 'no json', '5'])]);
    await listener.until('failed c-0');
    expect(listener.trace.split('\n')[0]).toMatch(/offset: 9\]$/);
    expect(task.values()).toEqual([1, 2, 3, 4]);
    expect(consumer.log).toEqual(['commit t-0@9,t-1@5']);
  });

  test('are read again if the task rejects them; the reason of the failure stays', async () => {
    const task = new ScriptedSink();
    const { consumer, listener } = await start(task, json);
    task.putErrors = [new Error('no')];
    consumer.next([batch('t', 0, 7, ['3', 'no json'])]);
    await listener.until('failed c-0');
    expect(listener.trace.split('\n')[0]).toMatch(/VALUE_CONVERTER failed: .*offset: 8\]$/);
    expect(task.values()).toEqual([]);
    expect(consumer.log).toEqual([]);
  });
});

describe('connect-runtime 91: RetriableException from put', () => {
  test('the same batch again with everything paused, commits of earlier data continue, then normal', async () => {
    const task = new ScriptedSink();
    const running = await start(task);
    const { consumer } = running;
    consumer.next([batch('t', 0, 0, ['a'])]);
    await eventually(() => task.records.length === 1);
    task.putErrors = [new RetriableError('busy'), new RetriableError('busy'), new RetriableError('busy')];
    consumer.next([batch('t', 0, 1, ['b'])]);
    await eventually(() => task.puts.length === 3);
    expect(consumer.paused).toEqual(new Set(['t-0', 't-1']));
    task.context.requestCommit();
    await eventually(() => consumer.log.length === 1);
    expect(consumer.log).toEqual(['commit t-0@1,t-1@0']);
    await eventually(() => task.records.length === 2);
    await eventually(() => consumer.paused.size === 0);
    expect(task.puts).toEqual([['a'], ['b'], ['b'], ['b'], ['b']]);
    await stop(running);
    expect(consumer.log.at(-1)).toBe('commit t-0@2,t-1@0');
  });

  test('connect-runtime 92: the task may request an earlier call', async () => {
    const task = new ScriptedSink();
    const running = await start(task);
    task.onPut = () => task.context.timeout(5);
    running.consumer.next([batch('t', 0, 0, ['a'])]);
    await eventually(() => task.records.length === 1);
    await eventually(() => running.consumer.pollTimeouts.includes(5));
    await stop(running);
    expect(running.consumer.pollTimeouts.filter((t) => t === 5)).toHaveLength(1);
  });

  test('connect-runtime 100: pause during redelivery, resume: put again; partitions paused by the task stay paused', async () => {
    const task = new ScriptedSink();
    const running = await start(task);
    const { consumer, listener, runner } = running;
    await eventually(() => consumer.assigned.length === 2 && task.log.includes('open 0,1'));
    task.context.pause([T1]);
    task.putErrors = [new RetriableError('busy')];
    task.onPut = () => undefined;
    consumer.next(() => runner.pause());
    consumer.next([batch('t', 0, 0, ['a'])]);
    await listener.until('paused c-0');
    runner.resume();
    await eventually(() => task.records.length === 1);
    await eventually(() => consumer.paused.size === 1);
    expect(consumer.paused).toEqual(new Set(['t-1']));
    expect(task.puts).toEqual([['a'], ['a']]);
    await stop(running);
  });

  test('any other error fails the task; earlier puts are committed', async () => {
    const task = new ScriptedSink();
    const { consumer, listener } = await start(task);
    task.putErrors = [null, new DataError('the table has no column x: add it')];
    consumer.next([batch('t', 0, 0, ['a'])]);
    consumer.next([batch('t', 0, 1, ['b'])]);
    await listener.until('failed c-0');
    expect(listener.trace).toMatch(
      /^org\.apache\.kafka\.connect\.errors\.DataException: the table has no column x: add it\n/,
    );
    expect(consumer.log).toEqual(['commit t-0@1,t-1@0']);
    expect(task.log.slice(-2)).toEqual(['close 0,1', 'stop']);
  });
});

describe('offset commits', () => {
  test('connect-runtime 93: preCommit throws: rewind to the last committed offset, still RUNNING', async () => {
    const task = new ScriptedSink();
    const running = await start(task);
    const { consumer, listener } = running;
    consumer.next([batch('t', 0, 0, ['a'])]);
    await eventually(() => task.records.length === 1);
    task.context.requestCommit();
    await eventually(() => consumer.commits.length === 1);
    consumer.next([batch('t', 0, 1, ['b'])]);
    await eventually(() => task.records.length === 2);
    let thrown = 0;
    task.preCommit = (offsets) => {
      if (thrown++ === 0) throw new Error('disk full');
      return offsets;
    };
    task.context.requestCommit();
    await eventually(() => consumer.seeks.length === 2);
    expect(consumer.seeks).toEqual([
      { ...T0, offset: 1 },
      { ...T1, offset: 0 },
    ]);
    consumer.next([batch('t', 0, 1, ['b'])]);
    await eventually(() => task.records.length === 3);
    await stop(running);
    expect(consumer.log.at(-1)).toBe('commit t-0@2,t-1@0');
    expect(listener.events).toEqual(['running c-0', 'stopped c-0']);
  });

  test.each<[string, TopicPartitionOffset[], string | null]>([
    ['less', [{ ...T0, offset: 1 }], 'commit t-0@1,t-1@0'],
    ['more than processed', [{ ...T0, offset: 4 }], null],
    [
      'foreign partitions',
      [
        { topic: 'x', partition: 0, offset: 1 },
        { ...T0, offset: 2 },
      ],
      'commit t-0@2,t-1@0',
    ],
    ['nothing', [], null],
  ])('connect-runtime 94: preCommit returns %s', async (_name, returned, committed) => {
    const task = new ScriptedSink();
    task.preCommit = () => returned;
    const running = await start(task);
    running.consumer.next([batch('t', 0, 0, ['a', 'b', 'c'])]);
    await eventually(() => task.records.length === 3);
    task.context.requestCommit();
    await stop(running);
    expect(running.consumer.log).toEqual(committed === null ? [] : [committed]);
  });

  test('commits are periodic, and an unchanged position is not committed again', async () => {
    const task = new ScriptedSink();
    const running = await start(task, {}, { 'offset.flush.interval.ms': '10' });
    running.consumer.next([batch('t', 0, 0, ['a'])]);
    await eventually(() => running.consumer.commits.length === 1);
    await eventually(() => task.flushed.length > 3);
    await stop(running);
    expect(running.consumer.log).toEqual(['commit t-0@1,t-1@0']);
  });

  test('a rejected commit is logged and covered by the next one', async () => {
    const task = new ScriptedSink();
    const running = await start(task);
    running.consumer.commitError = new KafkaError('REBALANCE_IN_PROGRESS', 'later', { retriable: true });
    running.consumer.next([batch('t', 0, 0, ['a'])]);
    await eventually(() => task.records.length === 1);
    task.context.requestCommit();
    await eventually(() => running.consumer.log.length === 1);
    running.consumer.commitError = null;
    await stop(running);
    expect(running.consumer.commits).toEqual([
      [
        { ...T0, offset: 1 },
        { ...T1, offset: 0 },
      ],
    ]);
    expect(running.listener.events).toEqual(['running c-0', 'stopped c-0']);
  });

  test('seek: the consumer goes there, and the position counts as processed', async () => {
    const task = new ScriptedSink();
    const running = await start(task);
    await eventually(() => task.log.includes('open 0,1'));
    task.context.seek({ ...T0, offset: 40 });
    task.context.seek({ topic: 'x', partition: 9, offset: 1 });
    await eventually(() => running.consumer.seeks.length === 1);
    await stop(running);
    expect(running.consumer.seeks).toEqual([{ ...T0, offset: 40 }]);
    expect(running.w.logger.lines.join()).toContain('seek() for x-9 is ignored');
  });

  test('pausing a partition that is not assigned is an error', async () => {
    const task = new ScriptedSink();
    const running = await start(task);
    await eventually(() => task.log.includes('open 0,1'));
    expect(() => task.context.pause([{ topic: 'x', partition: 0 }])).toThrow('Partition x-0 is not assigned');
    expect(task.context.assignment()).toEqual([T0, T1]);
    await stop(running);
  });
});

describe('rebalances', () => {
  test('connect-runtime 95: revoked: preCommit, close, commit before the partition is gone; others continue', async () => {
    const task = new ScriptedSink();
    const running = await start(task);
    const { consumer } = running;
    consumer.next([batch('t', 0, 0, ['a']), batch('t', 1, 0, ['b'])]);
    await eventually(() => task.records.length === 2);
    const both: string[] = [];
    const commit = consumer.commit.bind(consumer);
    consumer.commit = async (offsets) => {
      both.push('commit');
      return await commit(offsets);
    };
    task.close = (partitions) => void both.push(`close ${partitions.map((p) => p.partition).join()}`);
    task.flush = () => void both.push('flush');
    consumer.take('onRevoked', T1);
    await eventually(() => both.length === 3);
    expect(both).toEqual(['flush', 'close 1', 'commit']);
    expect(consumer.log).toEqual(['commit t-1@1']);
    consumer.next([batch('t', 0, 1, ['c'])]);
    await eventually(() => task.records.length === 3);
    await stop(running);
    expect(consumer.log).toEqual(['commit t-1@1', 'commit t-0@2']);
  });

  test('connect-runtime 96: lost: close without commit, offsets forgotten', async () => {
    const task = new ScriptedSink();
    const running = await start(task);
    const { consumer } = running;
    consumer.next([batch('t', 1, 0, ['b'])]);
    await eventually(() => task.records.length === 1);
    consumer.take('onLost', T1);
    await eventually(() => task.log.includes('close 1'));
    await stop(running);
    expect(consumer.log).toEqual([]);
    expect(task.log).toEqual(['start', 'open 0,1', 'close 1', 'flush', 'close 0', 'stop']);
  });

  test('revoking: called before the last commit of revoked partitions, not of lost ones; its error is logged', async () => {
    const task = Object.assign(new ScriptedSink(), {
      revoking(partitions: readonly TopicPartition[]): void {
        task.log.push(`revoking ${partitions.map((p) => p.partition).join()}`);
        throw new Error('no time left');
      },
    });
    const running = await start(task);
    const { consumer, w } = running;
    consumer.next([batch('t', 0, 0, ['a']), batch('t', 1, 0, ['b'])]);
    await eventually(() => task.records.length === 2);
    consumer.take('onRevoked', T0);
    await eventually(() => task.log.includes('close 0'));
    consumer.take('onLost', T1);
    await eventually(() => task.log.includes('close 1'));
    consumer.assign(T0);
    await eventually(() => task.log.includes('open 0'));
    await stop(running);
    expect(task.log).toEqual([
      'start',
      'open 0,1',
      'revoking 0',
      'flush',
      'close 0',
      'close 1',
      'open 0',
      'revoking 0',
      'flush',
      'close 0',
      'stop',
    ]);
    expect((w.logger as RecordingLogger).lines).toContain('error Ignoring an error of revoking(): no time left');
  });

  test('records held for redelivery are dropped with their partition', async () => {
    const task = new ScriptedSink();
    const running = await start(task);
    const { consumer } = running;
    task.putErrors = [new RetriableError('busy')];
    consumer.next([batch('t', 0, 0, ['a']), batch('t', 1, 0, ['b'])]);
    consumer.take('onRevoked', T1);
    await eventually(() => task.records.length === 1);
    expect(task.puts).toEqual([['a', 'b'], ['a']]);
    await eventually(() => consumer.paused.size === 0);
    await stop(running);
    expect(consumer.log).toEqual(['commit t-0@1']);
  });

  test('an exception from open fails the task after poll', async () => {
    const task = new ScriptedSink();
    task.open = () => {
      throw new Error('no such table');
    };
    const { listener } = await start(task);
    await listener.until('failed c-0');
    expect(listener.trace).toContain('no such table');
  });
});

test('pause: partitions paused, a commit, no puts; resume', async () => {
  const task = new ScriptedSink();
  const running = await start(task);
  const { runner, listener, consumer } = running;
  consumer.next([batch('t', 0, 0, ['a'])]);
  await eventually(() => task.records.length === 1);
  runner.pause();
  await listener.until('paused c-0');
  await eventually(() => consumer.commits.length === 1);
  expect(consumer.paused).toEqual(new Set(['t-0', 't-1']));
  runner.resume();
  await listener.until('resumed c-0');
  expect(consumer.paused.size).toBe(0);
  await stop(running);
});

test('cancelled while put hangs: no commit, no report', async () => {
  const task = new ScriptedSink();
  const running = await start(task);
  let release = (): void => undefined;
  task.onPut = () => new Promise((resolve) => (release = resolve));
  running.consumer.next([batch('t', 0, 0, ['a'])]);
  await eventually(() => task.puts.length === 1);
  running.runner.stop();
  running.runner.cancel();
  release();
  await running.runner.done;
  expect(running.consumer.log).toEqual([]);
  expect(running.listener.events).toEqual(['running c-0']);
});
