/** What exactly-once source tasks put into a transaction, and when they commit it. */
import { KafkaError } from '../../../packages/kafka-client/src/errors';
import { eventually, PARTITION, record, ScriptedSource } from '../fakes';
import { Defining, offset, start, stop } from './exactly-once-task';

test('connect-runtime §4.8: each poll is a transaction of its records and their newest offset', async () => {
  const task = new ScriptedSource([[record(1), record(2)], null, [record(3)]]);
  const started = start(task);
  await eventually(() => task.commits.length === 2);
  await stop(started);
  const { producer } = started.w;
  expect(producer.transactions).toEqual([
    'init',
    'begin',
    `commit v1,v2,${offset(2)}`,
    'begin',
    `commit v3,${offset(3)}`,
  ]);
  expect(producer.sent.filter((s) => s.topic === 'offsets').map((s) => s.key)).toEqual(
    Array(2).fill(JSON.stringify(PARTITION)),
  );
  expect(started.w.offsets.writes).toEqual([]);
  expect(started.w.offsets.copies).toEqual([[[PARTITION, { n: 2 }]], [[PARTITION, { n: 3 }]]]);
  expect(task.commits.map((commit) => commit.get(PARTITION))).toEqual([{ n: 2 }, { n: 3 }]);
  const { transactions } = started.metrics.source;
  const now = Date.now();
  expect([transactions.minimum(now), transactions.maximum(now), transactions.average(now)]).toEqual([1, 2, 1.5]);
});

test('connect-runtime §4.8: with boundary interval, several polls are a transaction; a stop commits the last one', async () => {
  const task = new ScriptedSource([[record(1)], [record(2)]]);
  const started = start(task, { 'transaction.boundary': 'interval', 'transaction.boundary.interval.ms': '60000' });
  await eventually(() => started.w.producer.sent.length === 2);
  expect(started.w.producer.transactions).toEqual(['init', 'begin']);
  await stop(started);
  expect(started.w.producer.transactions.slice(2)).toEqual([`commit v1,v2,${offset(2)}`]);
});

test('connect-runtime §4.8: with boundary interval, a transaction ends in time although the next poll takes long', async () => {
  const task = new ScriptedSource([[record(1)]]);
  const { poll } = task;
  let polls = 0;
  let release: () => void = () => undefined;
  task.poll = async () => {
    if (++polls > 1) await new Promise<void>((resolve) => (release = resolve));
    return await poll.call(task);
  };
  const started = start(task, { 'transaction.boundary': 'interval', 'transaction.boundary.interval.ms': '50' });
  await eventually(() => started.w.producer.transactions.length === 3);
  expect(started.w.producer.transactions).toEqual(['init', 'begin', `commit v1,${offset(1)}`]);
  release();
  await stop(started);
});

test('connect-runtime §4.8: with boundary interval, offsets of records that are all filtered are committed in time', async () => {
  const task = new ScriptedSource([[record(1), record(2)]]);
  const { poll } = task;
  let polls = 0;
  let release: () => void = () => undefined;
  task.poll = async () => {
    if (++polls > 1) await new Promise<void>((resolve) => (release = resolve));
    return await poll.call(task);
  };
  const started = start(task, {
    'transaction.boundary': 'interval',
    'transaction.boundary.interval.ms': '50',
    transforms: 'drop',
    'transforms.drop.type': 'org.apache.kafka.connect.transforms.Filter',
  });
  await eventually(() => task.commits.length === 1);
  expect(started.w.producer.transactions).toEqual(['init', 'begin', `commit ${offset(2)}`]);
  release();
  await stop(started);
});

describe('a batch that comes in parts', () => {
  class InParts extends ScriptedSource {
    isWithinBatch = false;
    /** @param batches numbers of their records, one a part */
    static of(...batches: number[][]): InParts {
      const task = new InParts([]);
      task.add(true, ...batches);
      return task;
    }
    add(isWhole: boolean, ...batches: number[][]): void {
      const { answers } = this as unknown as { answers: unknown[] };
      for (const batch of batches)
        for (const n of batch)
          answers.push(() => {
            this.isWithinBatch = !isWhole || n !== batch.at(-1);
            return [record(n)];
          });
    }
  }

  test('is in one transaction; a stop between its parts commits none of them', async () => {
    const task = InParts.of([1], [2, 3]);
    const started = start(task);
    await eventually(() => started.w.producer.transactions.some((one) => one.includes('v3')));
    task.add(false, [4, 5]);
    await eventually(() => started.w.producer.values().includes('v5'));
    await stop(started);
    const { transactions } = started.w.producer;
    expect(transactions.slice(-2)).toEqual([expect.stringContaining(`v2,v3,${offset(3)}`), 'begin']);
    expect(started.w.producer.values()).toContain('v4');
  });

  test('a pause between its parts commits none of them', async () => {
    const task = new InParts([]);
    task.add(false, [1]);
    const started = start(task);
    await eventually(() => started.w.producer.values().includes('v1'));
    started.runner.pause();
    await started.listener.until('paused c-0');
    await stop(started);
    expect(started.w.producer.transactions).toEqual(['init', 'begin']);
  });
});

test('connect-runtime §4.8: a pause commits the open transaction', async () => {
  const task = new ScriptedSource([[record(1)]]);
  const started = start(task, { 'transaction.boundary': 'interval' });
  await eventually(() => started.w.producer.sent.length === 1);
  started.runner.pause();
  await started.listener.until('paused c-0');
  expect(started.w.producer.transactions).toEqual(['init', 'begin', `commit v1,${offset(1)}`]);
  await stop(started);
});

test('connect-runtime §4.8: the next batch is polled while Kafka completes a transaction, and sent afterwards', async () => {
  let release: () => void = () => undefined;
  const task = new ScriptedSource([[record(1)], [record(2)]]);
  const started = start(task, {}, (w) => (w.producer.commitHold = new Promise((resolve) => (release = resolve))));
  await eventually(() => (task as unknown as { answers: unknown[] }).answers.length === 0);
  expect(started.w.producer.values()).toEqual(['v1', offset(1)]);
  release();
  await eventually(() => task.commits.length === 2);
  await stop(started);
  expect(started.w.producer.transactions.slice(1)).toEqual([
    'begin',
    `commit v1,${offset(1)}`,
    'begin',
    `commit v2,${offset(2)}`,
  ]);
});

test('connect-runtime §4.8: polls that follow one another at once share a transaction while commits take long', async () => {
  const polls = Array.from({ length: 40 }, (_, n) => [record(n + 1)]);
  const task = new ScriptedSource([...polls]);
  const started = start(task, {}, (w) => {
    const commit = w.producer.commitTransaction.bind(w.producer);
    w.producer.commitTransaction = async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      await commit();
    };
  });
  await eventually(() => task.commits.at(-1)?.get(PARTITION)?.n === 40);
  await stop(started);
  const { transactions, sent } = started.w.producer;
  const commits = transactions.filter((line) => line.startsWith('commit'));
  expect(commits[0]).toBe(`commit v1,${offset(1)}`);
  expect(commits.length).toBeLessThan(40);
  // Each has its newest offset last.
  for (const line of commits) expect(line).toMatch(/v(\d+),\{"n":\1\}$/);
  expect(sent.filter((s) => s.topic === 't').map((s) => s.value)).toEqual(polls.map(([only]) => only?.value));
});

test('connect-runtime §4.8: commitRecord follows the commit, for skipped records without metadata', async () => {
  const task = new Defining([[record(1), record(2, { key: Buffer.from('k') }), record(3)]]);
  const started = start(task, {
    'errors.tolerance': 'all',
    // Keys that are texts are skipped.
    'key.converter': 'org.apache.kafka.connect.converters.ByteArrayConverter',
  });
  await eventually(() => task.delivered.length === 3);
  await stop(started);
  expect(task.delivered).toEqual(['v1 dropped', 'v3 dropped', 'v2']);
  // Java would not commit the offsets of skipped records: docs/compatibility.md.
  expect(started.w.producer.transactions.at(-1)).toBe(`commit v2,${offset(3)}`);
});

test('connect-runtime §4.8: a retriable refusal is retried inside the open transaction', async () => {
  const away = new KafkaError('UNKNOWN_TOPIC_OR_PARTITION', 'not known yet', { retriable: true });
  const task = new ScriptedSource([[record(1), record(2)]]);
  const started = start(task, {}, (w) => (w.producer.sendErrors = [null, away]));
  await eventually(() => task.commits.length === 1);
  await stop(started);
  expect(started.w.producer.transactions).toEqual(['init', 'begin', `commit v1,v2,${offset(2)}`]);
});

test.each(['stop', 'pause'] as const)(
  'a %s in the middle of a batch commits nothing of it: other records may have the same offset',
  async (how) => {
    const away = new KafkaError('UNKNOWN_TOPIC_OR_PARTITION', 'not known yet', { retriable: true });
    const task = new ScriptedSource([[record(1), record(2, { sourceOffset: { n: 1 } })]]);
    const started = start(task, {}, ({ producer }) => {
      const send = producer.send.bind(producer);
      // Offsets are accepted: only the record keeps the batch open.
      producer.send = (sent, ...rest) => {
        if (String(sent.value) === 'v2') throw away;
        send(sent, ...rest);
      };
    });
    await eventually(() => started.w.logger.lines.some((line) => line.includes('Cannot send')));
    if (how === 'pause') {
      started.runner.pause();
      await started.listener.until('paused c-0');
    }
    await stop(started);
    expect(started.w.producer.transactions).toEqual(['init', 'begin']);
  },
);
