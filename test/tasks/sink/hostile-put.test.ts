/** Tasks whose `put` changes its batch, throws values that are not errors, or rejects many records. */
import { DataError, RetriableError, type SinkRecord } from '@millrace/sdk';
import { batch, eventually } from '../fakes';
import { ScriptedSink, start, stop } from './sink-fixture';

const DLQ = { 'errors.deadletterqueue.topic.name': 'dead', 'errors.deadletterqueue.topic.replication.factor': '1' };
const ALL = { 'errors.tolerance': 'all' };

describe('connect-runtime §5.3: put() may change its batch, which is a copy', () => {
  /** Takes the records from the batch one by one. */
  class ConsumingSink extends ScriptedSink {
    failures: ((value: unknown) => Error | null)[] = [];
    override async put(records: readonly SinkRecord[]): Promise<void> {
      const mine = records as SinkRecord[];
      for (let record = mine.shift(); record !== undefined; record = mine.shift()) {
        const error = this.failures.map((failure) => failure(record?.value)).find((failure) => failure !== null);
        if (error) throw error;
        this.records.push(record);
      }
    }
  }

  test('a rejected record that it has taken from the batch is not lost', async () => {
    const task = new ConsumingSink();
    task.failures = [(value) => (value === 'bad' ? new DataError('no') : null)];
    const running = await start(task, { ...ALL, ...DLQ });
    const { consumer, w } = running;
    consumer.next([batch('t', 0, 0, ['v0', 'bad', 'v2', 'v3'])]);
    await eventually(() => task.values().includes('v3'));
    await stop(running);
    expect(w.deadLetters.values()).toEqual(['bad']);
    expect(new Set(task.values())).toEqual(new Set(['v0', 'v2', 'v3']));
    expect(consumer.commits.at(-1)?.[0]?.offset).toBe(4);
  });

  test('a batch that is retried is whole again', async () => {
    const task = new ConsumingSink();
    let failed = false;
    task.failures = [
      (value) => {
        if (value !== 'v1' || failed) return null;
        failed = true;
        return new RetriableError('later');
      },
    ];
    const running = await start(task);
    running.consumer.next([batch('t', 0, 0, ['v0', 'v1', 'v2'])]);
    await eventually(() => task.values().includes('v2'));
    await stop(running);
    expect(task.values()).toEqual(['v0', 'v0', 'v1', 'v2']);
  });
});

const cyclic = new AggregateError([]);
cyclic.errors.push(cyclic);

describe.each<[string, () => unknown]>([
  ['undefined', () => undefined],
  ['null', () => null],
  ['a symbol', () => Symbol('no')],
  ['an object without a prototype', () => Object.create(null) as unknown],
  [
    'an object that cannot be read',
    () => {
      const refuse = (): never => {
        throw new Error('unreadable');
      };
      return new Proxy({}, { get: refuse, getPrototypeOf: refuse });
    },
  ],
  ['an aggregate of itself', () => cyclic],
  ['an error whose message is not a text', () => Object.assign(new Error('x'), { message: 7n })],
])('put() throws %s', (_what, thrown) => {
  class Throwing extends ScriptedSink {
    override async put(records: readonly SinkRecord[]): Promise<void> {
      if (records.some(({ value }) => value === 'bad')) throw thrown();
      await super.put(records);
    }
  }

  test('for one record: the record becomes a dead letter, and the task continues', async () => {
    const task = new Throwing();
    const running = await start(task, {
      ...ALL,
      ...DLQ,
      'errors.deadletterqueue.context.headers.enable': 'true',
      'errors.log.enable': 'true',
    });
    running.consumer.next([batch('t', 0, 0, ['v0', 'bad', 'v2'])]);
    await eventually(() => task.values().includes('v2'));
    await stop(running);
    expect(running.w.deadLetters.values()).toEqual(['bad']);
    expect(running.listener.events).toEqual(['running c-0', 'stopped c-0']);
  });

  test('without bisection: the task fails with a trace', async () => {
    const running = await start(new Throwing());
    running.consumer.next([batch('t', 0, 0, ['bad'])]);
    await running.listener.until('failed c-0');
    expect(running.listener.trace).toContain('ConnectException: ');
  });
});

test('put() rejects every second record: the log does not grow with the records', async () => {
  class Picky extends ScriptedSink {
    override async put(records: readonly SinkRecord[]): Promise<void> {
      if (records.some(({ value }) => String(value).startsWith('bad'))) throw new DataError('no');
      await super.put(records);
    }
  }
  const task = new Picky();
  const running = await start(task, { ...ALL, ...DLQ });
  const { consumer, w } = running;
  const lines = w.logger.lines.length;
  for (let i = 0; i < 20; i++) {
    const values = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? `bad${n}` : `v${n}`));
    consumer.next([batch('t', 0, 20 * i, values)]);
    await eventually(() => task.records.length === 10 * (i + 1));
  }
  await stop(running);
  expect(w.deadLetters.sent).toHaveLength(200);
  expect(w.logger.lines.length - lines).toBeLessThanOrEqual(4);
});
