/** Small fakes of Kafka clients and the worker, driven by tests. */
import type {
  Connector,
  SinkConnector,
  SinkTask,
  SourceConnector,
  SourceOffset,
  SourcePartition,
  SourceRecord,
  SourceTask,
} from '@millrace/sdk';
import type { ConnectorTaskId } from '../../src/connector-task-id';
import { parseWorkerConfig } from '../../src/config/worker-config';
import { builtInPlugins } from '../../src/built-in-plugins';
import { KafkaError } from '../../packages/kafka-client/src/errors';
import type {
  Admin,
  ConsumerRecord,
  DeliveryCallback,
  FetchedBatch,
  GroupConsumer,
  KafkaClients,
  Producer,
  ProducerRecord,
  RebalanceListener,
  TopicPartition,
  TopicPartitionOffset,
} from '../../packages/kafka-client/src/port';
import type { Logger } from '../../src/logging/logger';
import type { ClientAnnouncement } from '../../src/metrics/open-clients';
import type { PublishedSeries } from '../../src/metrics/published-series';
import type { TaskCondition } from '../../src/metrics/task-condition';
import type { BuiltInPlugin } from '../../src/plugins/registry';
import type { NewOffsets, OffsetRecords, OffsetStorage, TaskListener, TaskSpec } from '../../src/tasks/host';
import type { TaskEnvironment } from '../../src/tasks/task-environment';
import { waitFor } from '../helpers/wait-for';

/** In-memory tests poll often. */
export function eventually(probe: () => boolean, detail?: () => string): Promise<boolean> {
  return waitFor(probe.toString(), probe, { everyMs: 2, detail });
}

export interface Sent {
  readonly topic: string;
  readonly key: string | null;
  readonly value: string | null;
  readonly headers: readonly [string, string | null][];
  readonly timestamp: number | null | undefined;
  readonly partition: number | null | undefined;
  ack(): void;
  fail(error: KafkaError): void;
}

const text = (bytes: Uint8Array | null): string | null => bytes && Buffer.from(bytes).toString();

export class FakeProducer implements Producer {
  readonly sent: Sent[] = [];
  autoAck = true;
  closed = false;
  full: Promise<void> | null = null;
  bufferedBytes = 0;
  /** How many records had been sent at each `push`. */
  readonly pushedAfter: number[] = [];
  connectErrors: KafkaError[] = [];
  /** Thrown by the next sends. */
  sendErrors: (KafkaError | null)[] = [];
  prepareErrors: KafkaError[] = [];
  onSend: ((sent: Sent) => void) | null = null;
  private readonly prepared = new Set<string>();
  private readonly unanswered = new Set<(error: KafkaError | null) => void>();
  private offset = 0;
  private readonly flushers: (() => void)[] = [];

  async connect(): Promise<void> {
    const error = this.connectErrors.shift();
    if (error) throw error;
  }
  send(record: ProducerRecord, onDelivery?: DeliveryCallback, token = -1): void {
    const refusal = this.sendErrors.shift();
    if (refusal) throw refusal;
    const offset = this.offset++;
    const answer = (error: KafkaError | null): void => {
      if (!this.unanswered.delete(answer)) return;
      if (this.unanswered.size === 0) for (const done of this.flushers.splice(0)) done();
      onDelivery?.(error, token, record.topic, record.partition ?? 0, error ? -1 : offset);
    };
    this.unanswered.add(answer);
    const sent: Sent = {
      topic: record.topic,
      key: text(record.key),
      value: text(record.value),
      headers: (record.headers ?? []).map((h) => [h.key, text(h.value)]),
      timestamp: record.timestamp,
      partition: record.partition,
      ack: () => answer(null),
      fail: answer,
    };
    this.sent.push(sent);
    this.onSend?.(sent);
    if (this.autoAck) setImmediate(() => sent.ack());
  }
  async prepare(topics: readonly string[]): Promise<void> {
    const error = this.prepareErrors.shift();
    if (error) throw error;
    for (const topic of topics) this.prepared.add(topic);
  }
  isPrepared(topic: string): boolean {
    return this.prepared.has(topic);
  }
  whenReady(): Promise<void> | null {
    return this.full;
  }
  push(): void {
    this.pushedAfter.push(this.sent.length);
  }
  async flush(): Promise<void> {
    if (this.unanswered.size > 0) await new Promise<void>((resolve) => this.flushers.push(resolve));
  }
  /** `init`, `begin`, and each end with the values of the transaction's records. */
  readonly transactions: string[] = [];
  initError: KafkaError | null = null;
  commitErrors: KafkaError[] = [];
  /** Commits wait for it. */
  commitHold: Promise<void> | null = null;
  private began = 0;
  async initTransactions(): Promise<void> {
    if (this.initError) throw this.initError;
    this.transactions.push('init');
  }
  beginTransaction(): void {
    this.transactions.push('begin');
    this.began = this.sent.length;
  }
  async sendOffsetsToTransaction(): Promise<void> {}
  async commitTransaction(): Promise<void> {
    await this.flush();
    await this.commitHold;
    const error = this.commitErrors.shift();
    if (error) throw error;
    this.transactions.push(`commit ${this.values().slice(this.began).join()}`);
  }
  async abortTransaction(): Promise<void> {
    this.transactions.push(`abort ${this.values().slice(this.began).join()}`);
  }
  /** Like the real one: pending requests are rejected. */
  async close(): Promise<void> {
    this.closed = true;
    for (const answer of this.unanswered) answer(new KafkaError('PRODUCER_CLOSED', 'The producer was closed.'));
  }
  values(): (string | null)[] {
    return this.sent.map((s) => s.value);
  }
}

type Step = FetchedBatch[] | (() => Promise<void> | void);

export class FakeConsumer implements GroupConsumer {
  listener!: RebalanceListener;
  subscribed: readonly string[] | RegExp | null = null;
  assigned: TopicPartition[] = [];
  readonly paused = new Set<string>();
  readonly commits: TopicPartitionOffset[][] = [];
  readonly seeks: TopicPartitionOffset[] = [];
  readonly log: string[] = [];
  readonly positions = new Map<string, number>();
  readonly pollTimeouts: number[] = [];
  commitError: KafkaError | null = null;
  readonly deleted = new Set<string>();
  closed = false;
  private readonly steps: Step[] = [];
  private wakeUp: (() => void) | null = null;
  private woken = false;

  async connect(): Promise<void> {}
  subscribe(topics: readonly string[] | RegExp, listener: RebalanceListener): void {
    this.subscribed = topics;
    this.listener = listener;
  }
  assignment(): readonly TopicPartition[] {
    return this.assigned;
  }
  seek(to: TopicPartitionOffset): void {
    this.seeks.push(to);
    this.positions.set(`${to.topic}-${to.partition}`, to.offset);
  }
  position(p: TopicPartition): number | undefined {
    return this.positions.get(`${p.topic}-${p.partition}`);
  }
  pause(partitions: readonly TopicPartition[]): void {
    for (const p of partitions) this.paused.add(`${p.topic}-${p.partition}`);
  }
  resume(partitions: readonly TopicPartition[]): void {
    for (const p of partitions) this.paused.delete(`${p.topic}-${p.partition}`);
  }
  async poll(timeoutMs: number): Promise<FetchedBatch[]> {
    this.pollTimeouts.push(timeoutMs);
    const step = this.steps.shift();
    if (typeof step === 'function') {
      await step();
      return [];
    }
    if (step) {
      for (const { topic, partition, nextOffset } of step) this.positions.set(`${topic}-${partition}`, nextOffset);
      return step;
    }
    if (this.woken) {
      this.woken = false;
      return [];
    }
    await new Promise<void>((resolve) => {
      this.wakeUp = resolve;
      // Tests need not wait as long as a real task would.
      setTimeout(resolve, Math.min(timeoutMs, 20));
    });
    this.wakeUp = null;
    this.woken = false;
    return [];
  }
  wakeup(): void {
    if (this.wakeUp) this.wakeUp();
    else this.woken = true;
  }
  async commit(offsets: readonly TopicPartitionOffset[]): Promise<readonly TopicPartition[]> {
    this.log.push(`commit ${offsets.map((o) => `${o.topic}-${o.partition}@${o.offset}`).join(',')}`);
    if (this.commitError) throw this.commitError;
    this.commits.push([...offsets]);
    return offsets.filter((o) => this.deleted.has(o.topic)).map(({ topic, partition }) => ({ topic, partition }));
  }
  async committed(): Promise<TopicPartitionOffset[]> {
    return [];
  }
  async close(): Promise<void> {
    this.closed = true;
  }

  /** The result of a poll, or an action during it (a rebalance). */
  next(step: Step): void {
    this.steps.push(step);
    this.wakeUp?.();
  }
  /** A rebalance that assigns these partitions, as the next poll. */
  assign(...partitions: TopicPartition[]): void {
    this.next(async () => {
      this.assigned.push(...partitions);
      await this.listener.onAssigned(partitions);
    });
  }
  take(how: 'onRevoked' | 'onLost', ...partitions: TopicPartition[]): void {
    this.next(async () => {
      const gone = (p: TopicPartition): boolean =>
        partitions.some((q) => q.topic === p.topic && q.partition === p.partition);
      if (how === 'onLost') this.assigned = this.assigned.filter((p) => !gone(p));
      await this.listener[how](partitions);
      this.assigned = this.assigned.filter((p) => !gone(p));
      for (const p of partitions) this.paused.delete(`${p.topic}-${p.partition}`);
    });
  }
}

export function batch(
  topic: string,
  partition: number,
  firstOffset: number,
  values: readonly (string | null)[],
): FetchedBatch {
  const records = values.map((value, i): ConsumerRecord => ({
    offset: firstOffset + i,
    timestamp: 1000 + i,
    key: Buffer.from(`k${firstOffset + i}`),
    value: value === null ? null : Buffer.from(value),
    headers: [],
  }));
  return { topic, partition, records, timestampType: 'CreateTime', nextOffset: firstOffset + records.length, bytes: 0 };
}

export class MemoryOffsets implements OffsetStorage {
  readonly writes: (readonly (readonly [SourcePartition | null, SourceOffset | null])[])[] = [];
  readonly stored = new Map<string, SourceOffset | null>();
  hold: Promise<void> | null = null;
  errors: Error[] = [];

  async read(connector: string, partitions: readonly SourcePartition[]): Promise<(SourceOffset | null)[]> {
    return partitions.map((p) => this.stored.get(`${connector} ${JSON.stringify(p)}`) ?? null);
  }
  async write(
    connector: string,
    offsets: readonly (readonly [SourcePartition | null, SourceOffset | null])[],
  ): Promise<void> {
    const error = this.errors.shift();
    if (error) throw error;
    if (this.hold) await this.hold;
    this.writes.push(offsets);
    for (const [partition, offset] of offsets) this.stored.set(`${connector} ${JSON.stringify(partition)}`, offset);
  }
  readonly copies: NewOffsets[] = [];
  /** Keys are the partition's JSON text, as `of` looks them up. */
  async encode(_connector: string, offsets: NewOffsets): Promise<OffsetRecords> {
    const bytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
    const records = offsets.map(([partition, offset]) => [bytes(partition), offset && bytes(offset)] as const);
    return { topic: 'offsets', records };
  }
  async copy(_connector: string, offsets: NewOffsets): Promise<void> {
    this.copies.push(offsets);
  }
  of(partition: SourcePartition | null, connector = 'c'): SourceOffset | null | undefined {
    return this.stored.get(`${connector} ${JSON.stringify(partition)}`);
  }
}

export class RecordingListener implements TaskListener {
  readonly events: string[] = [];
  trace = '';
  retriable: boolean | null = null;
  readonly topics: string[] = [];
  private name = (id: ConnectorTaskId): string => `${id.connector}-${id.task}`;
  onRunning = (id: ConnectorTaskId): void => void this.events.push(`running ${this.name(id)}`);
  onPaused = (id: ConnectorTaskId): void => void this.events.push(`paused ${this.name(id)}`);
  onResumed = (id: ConnectorTaskId): void => void this.events.push(`resumed ${this.name(id)}`);
  onRestarting = (id: ConnectorTaskId): void => void this.events.push(`restarting ${this.name(id)}`);
  onStopped = (id: ConnectorTaskId): void => void this.events.push(`stopped ${this.name(id)}`);
  onFailed = (id: ConnectorTaskId, trace: string, retriable: boolean): void => {
    this.events.push(`failed ${this.name(id)}`);
    this.trace = trace;
    this.retriable = retriable;
  };
  onTopicActive = (_id: ConnectorTaskId, topic: string): void => void this.topics.push(topic);
  readonly published: PublishedSeries[] = [];
  readonly clients: ClientAnnouncement[] = [];
  onClient = (_id: ConnectorTaskId, announcement: ClientAnnouncement): void => void this.clients.push(announcement);
  readonly conditions: TaskCondition[] = [];
  onCondition = (_id: ConnectorTaskId, condition: TaskCondition): void => void this.conditions.push(condition);
  onMetrics = (_id: ConnectorTaskId, series: readonly PublishedSeries[]): void => void this.published.push(...series);
  async until(event: string): Promise<void> {
    await eventually(
      () => this.events.includes(event),
      () => `${this.events.join()} ${this.trace}`,
    );
  }
}

export class RecordingLogger implements Logger {
  readonly lines: string[] = [];
  private put = (level: string) => (message: string) => void this.lines.push(`${level} ${message}`);
  error = this.put('error');
  warn = this.put('warn');
  info = this.put('info');
  debug = this.put('debug');
  trace = this.put('trace');
  child(): Logger {
    return this;
  }
}

export interface World extends TaskEnvironment {
  readonly producer: FakeProducer;
  readonly deadLetters: FakeProducer;
  readonly consumer: FakeConsumer;
  readonly admin: FakeAdmin;
  readonly offsets: MemoryOffsets;
  readonly logger: RecordingLogger;
  readonly clientConfigs: Record<string, string>[];
}

export class FakeAdmin {
  readonly topics = new Set<string>();
  readonly created: Parameters<Admin['createTopics']>[0][number][] = [];
  describeErrors: KafkaError[] = [];
  createError: KafkaError | null = null;
  async describeTopics(topics: readonly string[]): Promise<{ name: string; partitions: never[] }[]> {
    const error = this.describeErrors.shift();
    if (error) throw error;
    return topics.filter((t) => this.topics.has(t)).map((name) => ({ name, partitions: [] }));
  }
  async createTopics(topics: Parameters<Admin['createTopics']>[0]): Promise<string[]> {
    if (this.createError) throw this.createError;
    const fresh = topics.filter((t) => !this.topics.has(t.name));
    for (const topic of fresh) {
      this.topics.add(topic.name);
      this.created.push(topic);
    }
    return fresh.map((t) => t.name);
  }
  async close(): Promise<void> {}
}

/** A worker with one connector, text converters and the classes in `installed`. */
export function world(
  connector: Connector,
  workerSettings: Record<string, string> = {},
  installed: readonly BuiltInPlugin[] = [],
): World {
  const config = parseWorkerConfig({
    'bootstrap.servers': 'localhost:9092',
    'group.id': 'g',
    'config.storage.topic': 'c',
    'offset.storage.topic': 'o',
    'status.storage.topic': 's',
    'key.converter': 'org.apache.kafka.connect.storage.StringConverter',
    'value.converter': 'org.apache.kafka.connect.storage.StringConverter',
    'offset.flush.timeout.ms': '60000',
    ...workerSettings,
  });
  const producer = new FakeProducer();
  const deadLetters = new FakeProducer();
  const consumer = new FakeConsumer();
  const admin = new FakeAdmin();
  const clientConfigs: Record<string, string>[] = [];
  const use =
    <T>(client: T) =>
    (clientConfig: Readonly<Record<string, string>>) => {
      clientConfigs.push({ ...clientConfig });
      return client;
    };
  const clients = {
    producer: (c: Record<string, string>) =>
      use(c['client.id']?.startsWith('connector-dlq') ? deadLetters : producer)(c),
    groupConsumer: use(consumer),
    admin: use(admin),
  } as unknown as KafkaClients;
  const description = {
    type: connector.type,
    class: 'com.acme.Test',
    version: '1',
    aliases: [],
    taskClass: null,
    location: 'test',
  };
  const plugins = [...builtInPlugins, ...installed, { description, plugin: connector }];
  const registry: TaskEnvironment['registry'] = {
    list: () => plugins.map((p) => p.description),
    find: (name, type) => {
      const kinds: readonly string[] | undefined = typeof type === 'string' ? [type] : type;
      return (
        plugins.find((p) => p.description.class === name && (!kinds || kinds.includes(p.description.type)))
          ?.description ?? null
      );
    },
    load: async (d) => {
      const found = plugins.find((p) => p.description === d);
      if (!found) throw new Error('unknown');
      return found.plugin;
    },
    problems: () => [],
  };
  return {
    config,
    clients,
    registry,
    producer,
    deadLetters,
    consumer,
    admin,
    clientConfigs,
    offsets: new MemoryOffsets(),
    logger: new RecordingLogger(),
  };
}

export function sourceOf(task: SourceTask): SourceConnector {
  return { type: 'source', config: [], createTask: () => task };
}
export function sinkOf(task: SinkTask): SinkConnector {
  return { type: 'sink', config: [], createTask: () => task };
}

export function spec(
  type: 'source' | 'sink',
  config: Record<string, string> = {},
  over: Partial<TaskSpec> = {},
): TaskSpec {
  const all = { name: 'c', 'connector.class': 'com.acme.Test', ...(type === 'sink' ? { topics: 't' } : {}), ...config };
  return {
    id: { connector: 'c', task: 0 },
    type,
    connectorClass: 'com.acme.Test',
    connectorConfig: all,
    taskConfig: all,
    targetState: 'STARTED',
    consumerGroup: null,
    ...over,
  };
}

export function record(n: number, over: Partial<SourceRecord> = {}): SourceRecord {
  return {
    sourcePartition: PARTITION,
    sourceOffset: { n },
    topic: 't',
    keySchema: null,
    key: `k${n}`,
    valueSchema: null,
    value: `v${n}`,
    ...over,
  };
}
export const PARTITION: SourcePartition = { file: 'a' };

/** A source task that returns prepared batches, then nothing. */
export class ScriptedSource implements SourceTask {
  readonly log: string[] = [];
  readonly commits: ReadonlyMap<SourcePartition, SourceOffset | null>[] = [];
  signal: AbortSignal | null = null;
  commitRecord?: SourceTask['commitRecord'];
  constructor(
    private readonly answers: (readonly SourceRecord[] | null | Error | (() => readonly SourceRecord[] | null))[],
  ) {}
  start: SourceTask['start'] = (_config, context) => {
    this.signal = context.signal;
    this.log.push('start');
  };
  async poll(): Promise<readonly SourceRecord[] | null> {
    const answer = this.answers.shift();
    if (answer instanceof Error) throw answer;
    if (typeof answer === 'function') return answer();
    if (answer !== undefined) return answer;
    await new Promise((resolve) => setTimeout(resolve, 5));
    return null;
  }
  more(...answers: (readonly SourceRecord[] | null | Error)[]): void {
    this.answers.push(...answers);
  }
  commit(offsets: ReadonlyMap<SourcePartition, SourceOffset | null>): void {
    this.log.push('commit');
    this.commits.push(offsets);
  }
  stop(): void {
    this.log.push('stop');
  }
}
