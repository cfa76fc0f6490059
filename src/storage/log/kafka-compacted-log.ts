/** The compacted log over Kafka clients. Source: connect-runtime §1.1. */
import { ConnectError, sleep, withDeadline, messageOf, isRetriable } from '@millrace/sdk';
import {
  KafkaError,
  type Admin,
  type AssignedConsumer,
  type ClientConfig,
  type DeliveryCallback,
  type IsolationLevel,
  type KafkaClients,
  type Producer,
  type SendPermission,
  type TopicPartition,
} from '@millrace/kafka-client';
import type { Logger } from '../../logging/logger';
import type { CompactedLog, LogEntry, LogListener } from './compacted-log';
import { checkSinglePartition, ensureTopic } from './ensure-topic';
import { OwnRecords } from './own-records';
import type { StorageTopic } from './storage-topic';
import { isSlow, TopicPresence } from './topic-presence';

export interface KafkaCompactedLogOptions {
  readonly topic: StorageTopic;
  readonly clients: KafkaClients;
  /** May be shared with other logs; not closed here. */
  readonly admin: Admin;
  /** The worker's unprefixed client settings. */
  readonly client: ClientConfig;
  readonly clientId: string;
  /** Producer settings; they override `client`. */
  readonly producer?: ClientConfig;
  /** Consumer settings; they override `client`. */
  readonly consumer?: ClientConfig;
  /**
   * Overrides `isolation.level` of the clients. `read_committed`: reads to the end wait for transactions that are open
   * when they begin. (Default: the clients')
   */
  readonly isolation?: IsolationLevel;
  /** With `isolation`: the start reads only what is committed, and waits for no transaction. */
  readonly startsCommitted?: boolean;
  /** (Default: none, writes are always allowed) */
  readonly permission?: SendPermission;
  readonly logger: Logger;
}

/** Small, because storage topics are read on the main thread and contain small records. */
const DECOMPRESSED_BATCH_BYTES = String(32 * 1024 * 1024);
/** How long an idle poll waits; new requests wake it. */
const IDLE_POLL_MS = 60_000;
const CATCH_UP_POLL_MS = 1_000;
const RETRY_MS = 1_000;
const PARTITION_LOOKUP_MS = 30_000;
/** A record that was acknowledged has been read by then, unless Kafka has lost it or its topic. */
const OWN_RECORDS_MS = 1_000;
/** Equal to the timeout of topic creation, and to how long a Java worker waits for the cluster id. */
const CONNECT_MS = 60_000;

interface ReadRequest {
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * If Kafka has not acknowledged the last writes by then, it is unavailable. Supervisors kill a stopping worker long
 * before the producer's timeout.
 */
const CLOSE_TIMEOUT_MS = 3_000;

export class KafkaCompactedLog implements CompactedLog {
  private readonly producer: Producer;
  private readonly consumer: AssignedConsumer;
  private readonly stopping = new AbortController();
  private assignment: TopicPartition[] = [];
  private requests: ReadRequest[] = [];
  private readonly own = new OwnRecords();
  private listener: LogListener = () => undefined;
  private readonly presence: TopicPresence;
  private loop: Promise<void> | null = null;

  /** The last write that waits for the producer; null: none waits. */
  private waiting: Promise<void> | null = null;

  constructor(private readonly options: KafkaCompactedLogOptions) {
    const { client, clientId, clients, topic, admin, logger } = options;
    this.presence = new TopicPresence(topic, admin, logger);
    this.producer = clients.producer(
      {
        ...client,
        'client.id': clientId,
        'delivery.timeout.ms': '2147483647',
        ...options.producer,
        acks: 'all',
        'max.in.flight.requests.per.connection': '1',
        'enable.idempotence': 'false',
        // The broker would create it without the settings that a storage topic needs.
        'allow.auto.create.topics': 'false',
      },
      options.permission,
    );
    this.consumer = clients.assignedConsumer({
      'decompressed.batch.max.bytes': DECOMPRESSED_BATCH_BYTES,
      ...client,
      'client.id': clientId,
      ...options.consumer,
      ...(options.isolation ? { 'isolation.level': options.isolation } : {}),
      'auto.offset.reset': 'earliest',
      'enable.auto.commit': 'false',
    });
  }

  get problem(): string | null {
    return this.presence.problem;
  }

  get partitions(): number {
    return this.assignment.length;
  }

  async start(listener: LogListener): Promise<void> {
    const { topic, admin, logger, startsCommitted } = this.options;
    this.listener = listener;
    const [count] = await Promise.all([
      ensureTopic(admin, topic, { logger }).then(async () => await this.partitionCount()),
      this.connect(this.producer),
      this.connect(this.consumer),
    ]);
    checkSinglePartition(topic, count);
    this.assignment = Array.from({ length: count }, (_, partition) => ({ topic: topic.name, partition }));
    this.consumer.assign(this.assignment);
    const [ends] = await Promise.all([
      this.endOffsets(startsCommitted ? 'read_committed' : 'read_uncommitted'),
      this.producer.prepare([topic.name]),
      this.consumer.seekToBeginning(this.assignment),
    ]);
    await this.catchUp(ends);
    this.loop = this.follow();
  }

  async write(records: readonly LogEntry[], epoch = this.options.permission?.epoch ?? 0): Promise<void> {
    if (this.stopping.signal.aborted) throw this.stopped();
    let open = records.length;
    if (open === 0) return;
    let failure: KafkaError | null = null;
    let isPartial = false;
    let settle: () => void = () => undefined;
    const settled = new Promise<void>((resolve) => (settle = resolve));
    const onDelivery = (error: KafkaError | null, _: number, __: string, partition: number, offset: number): void => {
      if (error === null) {
        isPartial = true;
        this.own.acknowledged(partition, offset);
      } else if (failure === null || error.inDoubt) failure = error;
      if (--open === 0) settle();
    };
    const enqueue = (): Promise<void> | null => this.enqueue(records, 0, epoch, onDelivery);
    const waiting = this.waiting === null ? enqueue() : this.waiting.then(enqueue);
    if (waiting !== null) await this.inTurn(waiting as Promise<void>);
    await settled;
    if (failure !== null) throw isPartial ? (failure as KafkaError).asInDoubt() : failure;
  }

  /** Synchronous if possible, so that a flush covers all earlier writes. Null: all records are enqueued. */
  private enqueue(
    records: readonly LogEntry[],
    from: number,
    epoch: number,
    onDelivery: DeliveryCallback,
  ): Promise<void> | null {
    if (this.options.permission?.check(epoch) === 'never') throw this.outdated(from > 0);
    for (let at = from; at < records.length; at++) {
      const unready = this.unready();
      if (unready !== null) return unready.then(() => this.enqueue(records, at, epoch, onDelivery) ?? undefined);
      const [key, value, headers = null] = records[at] as LogEntry;
      this.producer.send({ topic: this.options.topic.name, key, value, headers }, onDelivery, 0, epoch);
    }
    return null;
  }

  /** Null: the producer accepts a record now. */
  private unready(): Promise<void> | null {
    return this.producer.isPrepared(this.options.topic.name) ? this.producer.whenReady() : this.findTopic();
  }

  /** Later writes wait for this one, so that the order is kept. */
  private async inTurn(waiting: Promise<void>): Promise<void> {
    const turn = waiting
      .catch(() => undefined)
      .then(() => {
        if (this.waiting === turn) this.waiting = null;
      });
    this.waiting = turn;
    await waiting;
  }

  /** The producer drops a topic that was deleted, or that a broker did not know temporarily. */
  private async findTopic(): Promise<void> {
    await this.checkTopic();
    await this.producer.prepare([this.options.topic.name]);
  }

  async checkTopic(): Promise<void> {
    await this.isAnother();
  }

  /** Positions in a deleted topic lie past the end of the new one. */
  private async isAnother(): Promise<boolean> {
    const isAnother = await this.presence.check();
    if (isAnother) await this.consumer.seekToBeginning(this.assignment);
    return isAnother;
  }

  async readToEnd(): Promise<void> {
    if (this.stopping.signal.aborted) throw this.stopped();
    await new Promise<void>((resolve, reject) => {
      this.requests.push({ resolve, reject });
      this.consumer.wakeup();
    });
  }

  async readWritten(): Promise<void> {
    if (this.stopping.signal.aborted) throw this.stopped();
    const unread = await this.own.unread(this.isRead, OWN_RECORDS_MS);
    if (unread === null) return;
    await this.readToEnd();
    this.own.forget(unread);
  }

  async flush(): Promise<void> {
    await this.waiting;
    await this.producer.flush();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.consumer.wakeup();
    const { name } = this.options.topic;
    try {
      const late = new ConnectError(
        `The last records for storage topic '${name}' may be missing: Kafka did not acknowledge them within ${CLOSE_TIMEOUT_MS} ms.`,
        { code: 'STORAGE_NOT_WRITTEN', place: { topic: name } },
      );
      await withDeadline(this.flush(), CLOSE_TIMEOUT_MS, () => late);
    } finally {
      // Pending reads may wait for records that were not written, or for a response from Kafka.
      await Promise.all([this.producer.close(0), this.consumer.close(), this.loop]);
      for (const request of this.requests.splice(0)) request.reject(this.stopped());
      this.own.giveUp();
    }
  }

  /** Rejects when the log is stopped, even if Kafka does not respond. */
  private async unlessStopped<T>(answer: Promise<T>): Promise<T> {
    const { signal } = this.stopping;
    answer.catch(() => undefined);
    let stop: () => void = () => undefined;
    const stopped = new Promise<never>((_, reject) => (stop = () => reject(this.stopped())));
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    try {
      return await Promise.race([answer, stopped]);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** For records written under a session that was lost while they waited. */
  private outdated(inDoubt: boolean): KafkaError {
    const { name } = this.options.topic;
    return new KafkaError(
      'SESSION_LOST',
      `Records for ${name} were not sent: this worker has lost its place in the group, and their connectors may be assigned to other workers.`,
      { topic: name, inDoubt },
    );
  }

  private stopped(): ConnectError {
    return new ConnectError(
      `The storage topic '${this.options.topic.name}' is closed because the worker is stopping.`,
      {
        code: 'STORAGE_CLOSED',
      },
    );
  }

  /** Retries longer than the client itself, because a broker may take longer to restart. */
  private async connect(client: Producer | AssignedConsumer): Promise<void> {
    const deadline = performance.now() + CONNECT_MS;
    for (;;) {
      try {
        return await client.connect();
      } catch (error) {
        const inTime = performance.now() + RETRY_MS <= deadline;
        if (!isRetriable(error) || !inTime || this.stopping.signal.aborted) throw error;
        await sleep(RETRY_MS, this.stopping.signal);
      }
    }
  }

  /** A new topic may be unknown to the broker that receives the request. */
  private async partitionCount(): Promise<number> {
    const { name } = this.options.topic;
    const deadline = performance.now() + PARTITION_LOOKUP_MS;
    for (let wait = 100; ; wait = Math.min(wait * 2, 1_000)) {
      const found = (await this.options.admin.describeTopics([name]))[0]?.partitions.length ?? 0;
      if (found > 0) return found;
      if (performance.now() + wait > deadline)
        throw new ConnectError(
          `Cannot look up the partitions of storage topic '${name}' within ${PARTITION_LOOKUP_MS} ms.`,
          {
            code: 'STORAGE_TOPIC_UNKNOWN',
            place: { topic: name },
          },
        );
      await sleep(wait, this.stopping.signal);
    }
  }

  private async follow(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      // Requests that arrive later wait for the next round: their writes may come after these end offsets.
      const requests = this.requests.splice(0);
      try {
        if (requests.length > 0) {
          await this.unlessStopped(this.producer.flush());
          await this.catchUp(await this.endOffsets());
          for (const request of requests) request.resolve();
        } else if (this.presence.isDue) await this.checkTopic();
        else await this.poll(IDLE_POLL_MS);
      } catch (error) {
        for (const request of requests) request.reject(error);
        if (this.stopping.signal.aborted) return;
        this.options.logger.error(
          `Cannot read storage topic '${this.options.topic.name}', retrying: ${messageOf(error)}`,
        );
        await sleep(RETRY_MS, this.stopping.signal);
      }
    }
  }

  /** Retries retriable errors without limit. */
  private async endOffsets(isolation: IsolationLevel = 'read_uncommitted'): Promise<number[]> {
    for (;;) {
      try {
        if (this.presence.problem !== null) await this.unlessStopped(this.checkTopic());
        const listed = this.options.admin.listOffsets(this.assignment, 'latest', isolation);
        const found = await this.unlessStopped(this.unlessDeleted(listed));
        const ends = new Array<number>(this.assignment.length).fill(0);
        for (const { partition, offset } of found) ends[partition] = offset;
        return ends;
      } catch (error) {
        if (this.stopping.signal.aborted) throw error;
        if (isUnknownTopic(error) && (await this.unlessStopped(this.isAnother()))) continue;
        if (!isRetriable(error)) throw error;
        this.options.logger.warn(
          `Cannot read the end offsets of storage topic '${this.options.topic.name}', retrying: ${messageOf(error)}`,
        );
        await sleep(RETRY_MS, this.stopping.signal);
      }
    }
  }

  /** A deleted topic is looked for only when Kafka does not answer at once. */
  private async unlessDeleted<T>(answer: Promise<T>): Promise<T> {
    if (await isSlow(answer)) await this.checkTopic();
    return await answer;
  }

  /** Compares positions, not record offsets: the log may end with a transaction marker or a compacted offset. */
  private async catchUp(ends: readonly number[]): Promise<void> {
    const isLagging = (partition: number): boolean => !this.isRead(partition, ends[partition] ?? 0);
    while (this.assignment.some(({ partition }) => isLagging(partition))) {
      if (this.stopping.signal.aborted) throw this.stopped();
      try {
        await this.poll(CATCH_UP_POLL_MS);
      } catch (error) {
        if (!isRetriable(error)) throw error;
        this.options.logger.warn(
          `Cannot read storage topic '${this.options.topic.name}' to its end, retrying: ${messageOf(error)}`,
        );
        await sleep(RETRY_MS, this.stopping.signal);
      }
    }
  }

  private readonly isRead = (partition: number, end: number): boolean => {
    const assigned = this.assignment[partition];
    return assigned !== undefined && (this.consumer.position(assigned) ?? 0) >= end;
  };

  private async poll(timeoutMs: number): Promise<void> {
    for (const { partition, records } of await this.consumer.poll(timeoutMs))
      for (const { offset, timestamp, key, value, headers } of records)
        this.listener({ partition, offset, timestamp, key, value, headers });
    this.own.update(this.isRead);
  }
}

function isUnknownTopic(error: unknown): boolean {
  return error instanceof KafkaError && error.code === 'UNKNOWN_TOPIC_OR_PARTITION';
}
