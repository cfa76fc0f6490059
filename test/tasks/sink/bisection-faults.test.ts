/**
 * Sinks that reject records, among all else that happens to a task: rebalances, failed commits, retriable
 * errors, partly written batches, late dead letters, pauses, crashes. No offset is committed before all records below
 * it are stored or dead letters, and only rejected records become dead letters.
 */
import {
  DataError,
  RetriableError,
  yieldToEventLoop,
  type SinkRecord,
  type SinkTask,
  type SinkTaskContext,
  type TopicPartitionOffset,
} from '@millrace/sdk';
import { KafkaError } from '../../../packages/kafka-client/src/errors';
import type { FetchedBatch, TopicPartition } from '../../../packages/kafka-client/src/port';
import { TaskRunner } from '../../../src/tasks/task-runner';
import { seeded, type Seeded } from '../../helpers/seeded';
import { batch, FakeConsumer, RecordingListener, sinkOf, spec, world, type World } from '../fakes';

const PARTITIONS = [0, 1, 2].map((partition) => ({ topic: 't', partition }));
const LENGTH = 120;

/** What survives a crash: the topic, its offsets, and what has been stored of it. */
class Outside {
  readonly topic: readonly string[][];
  readonly committed = new Map<number, number>();
  readonly stored = new Set<string>();
  readonly letters = new Set<string>();
  readonly faults: string[] = [];

  constructor(readonly random: Seeded) {
    const kind = (): string => (random.chance(0.04) ? 'bad' : random.chance(0.02) ? 'reported' : 'good');
    this.topic = PARTITIONS.map(({ partition }) =>
      Array.from({ length: LENGTH }, (_, offset) => `${kind()} ${partition}-${offset}`),
    );
  }

  commit({ partition, offset }: TopicPartitionOffset): void {
    for (const value of this.topic[partition]?.slice(0, offset) ?? [])
      if (!this.stored.has(value) && !this.letters.has(value)) this.faults.push(`${value} lost by commit ${offset}`);
    this.committed.set(partition, offset);
  }

  get isDone(): boolean {
    return PARTITIONS.every(({ partition }) => this.committed.get(partition) === LENGTH);
  }
}

/** Delivers the topic; rebalances inside polls as it pleases. */
class LogConsumer extends FakeConsumer {
  constructor(private readonly outside: Outside) {
    super();
  }
  override seek({ topic, partition, offset }: TopicPartitionOffset): void {
    this.positions.set(`${topic}-${partition}`, offset);
  }
  override async commit(offsets: readonly TopicPartitionOffset[]): Promise<readonly TopicPartition[]> {
    await yieldToEventLoop();
    if (this.outside.random.chance(0.1)) throw new KafkaError('REBALANCE_IN_PROGRESS', 'not now');
    for (const offset of offsets) this.outside.commit(offset);
    return [];
  }
  override async poll(): Promise<FetchedBatch[]> {
    const { random } = this.outside;
    await yieldToEventLoop();
    if (random.chance(0.1) || this.assigned.length === 0) await this.rebalance(random);
    if (random.chance(0.3)) return [];
    return this.assigned.flatMap((at) => {
      const key = `${at.topic}-${at.partition}`;
      if (this.paused.has(key) || random.chance(0.3)) return [];
      const from = this.positions.get(key) ?? 0;
      const values = this.outside.topic[at.partition]?.slice(from, from + 1 + random.below(30)) ?? [];
      this.positions.set(key, from + values.length);
      return values.length === 0 ? [] : [batch(at.topic, at.partition, from, values)];
    });
  }
  private async rebalance(random: Seeded): Promise<void> {
    const gone = this.assigned.filter(() => random.chance(0.5));
    const lost = random.chance(0.3);
    const remove = (): void => {
      this.assigned = this.assigned.filter((at) => !gone.includes(at));
      for (const { topic, partition } of gone) this.paused.delete(`${topic}-${partition}`);
    };
    if (lost) remove();
    await this.listener[lost ? 'onLost' : 'onRevoked'](gone);
    remove();
    const fresh = PARTITIONS.filter((at) => !this.assigned.includes(at) && random.chance(0.8));
    this.assigned.push(...fresh);
    for (const { topic, partition } of fresh)
      this.positions.set(`${topic}-${partition}`, this.outside.committed.get(partition) ?? 0);
    await this.listener.onAssigned(fresh);
  }
}

/** Stores records one by one until it fails. */
class FaultySink implements SinkTask {
  private context!: SinkTaskContext;
  constructor(private readonly outside: Outside) {}
  start(_config: unknown, context: SinkTaskContext): void {
    this.context = context;
  }
  async put(records: readonly SinkRecord[]): Promise<void> {
    const { random, stored } = this.outside;
    const failsAt = random.chance(0.1) ? random.below(records.length + 1) : -1;
    const mine = records as SinkRecord[];
    for (let at = 0; mine.length > 0; at++) {
      if (at === failsAt) throw new RetriableError('later');
      const record = mine.shift() as SinkRecord;
      const value = String(record.value);
      if (value.startsWith('bad')) throw new DataError(value);
      if (!value.startsWith('reported')) stored.add(value);
      else if (random.chance(0.5)) await this.context.errantRecordReporter?.report(record, new Error(value));
      else void this.context.errantRecordReporter?.report(record, new Error(value));
      if (random.chance(0.05)) await yieldToEventLoop();
    }
  }
  preCommit(offsets: readonly TopicPartitionOffset[]): readonly TopicPartitionOffset[] {
    if (this.outside.random.chance(0.05)) throw new Error('not now');
    return offsets;
  }
  stop(): void {
    // Keeps nothing.
  }
}

/** One life of the task. */
async function live(outside: Outside): Promise<RecordingListener> {
  const { random } = outside;
  const w: World = world(sinkOf(new FaultySink(outside)), { 'offset.flush.interval.ms': '1' });
  const consumer = new LogConsumer(outside);
  Object.assign(w.clients, { groupConsumer: () => consumer });
  w.deadLetters.autoAck = false;
  w.deadLetters.onSend = (sent) => {
    const ack = (): void => {
      if (random.chance(0.5)) return void setImmediate(ack);
      outside.letters.add(String(sent.value));
      sent.ack();
    };
    setImmediate(ack);
  };
  const listener = new RecordingListener();
  const config = { 'errors.tolerance': 'all', 'errors.deadletterqueue.topic.name': 'dead' };
  const runner = new TaskRunner(spec('sink', config), w, listener);
  runner.start();
  let turns = 20 + random.below(400);
  while (turns-- > 0 && !outside.isDone && !listener.events.includes('failed c-0')) {
    if (random.chance(0.01)) runner.pause();
    if (random.chance(0.1)) runner.resume();
    await yieldToEventLoop();
  }
  if (random.chance(0.5)) runner.stop();
  else runner.cancel();
  await runner.done;
  return listener;
}

test.each(Array.from({ length: 12 }, (_, seed) => seed))('seed %i', async (seed) => {
  const outside = new Outside(seeded(seed));
  for (let lives = 0; lives < 200 && !outside.isDone; lives++) await live(outside);
  expect(outside.faults).toEqual([]);
  expect(outside.isDone).toBe(true);
  expect([...outside.letters].filter((value) => value.startsWith('good'))).toEqual([]);
});
