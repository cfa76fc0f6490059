/**
 * The only Kafka types the rest of the runtime may see. Bytes in, bytes out; offsets and timestamps are numbers (safe
 * below 2^53). Roles: admin, producer, assigned consumer, group consumer, group member. Source: kafka-client §2.
 */
import type { TopicPartition, TopicPartitionOffset } from '@millrace/sdk';
import type { KafkaError } from './errors';
import type { GroupMetrics } from '../metrics/group-metrics';

export type { TopicPartition, TopicPartitionOffset };
export type IsolationLevel = 'read_uncommitted' | 'read_committed';

/** Header values are bytes; a null value stays null. */
export interface RecordHeader {
  readonly key: string;
  readonly value: Uint8Array | null;
}

/** Java client settings, unprefixed (`bootstrap.servers`, `security.protocol`, `sasl.jaas.config`, `linger.ms`, …). */
export type ClientConfig = Readonly<Record<string, string>>;

/** Builds clients. One implementation: `kafkajs-*`. Each client owns its sockets and is closed by whoever made it. */
export interface KafkaClients {
  admin(config: ClientConfig): Admin;
  /** (Default permission: to send at any time) */
  producer(config: ClientConfig, permission?: SendPermission): Producer;
  assignedConsumer(config: ClientConfig): AssignedConsumer;
  groupConsumer(config: ClientConfig): GroupConsumer;
  groupMember(config: ClientConfig, options: GroupMemberOptions): GroupMember;
}

// ---------------------------------------------------------------- admin

export interface NewTopic {
  readonly name: string;
  /** -1: the broker's default. */
  readonly partitions: number;
  /** -1: the broker's default. */
  readonly replicationFactor: number;
  readonly configs?: Readonly<Record<string, string>>;
}

export interface TopicDescription {
  readonly name: string;
  readonly partitions: readonly {
    readonly partition: number;
    readonly leader: number;
    readonly replicas: readonly number[];
  }[];
}

export interface ClusterDescription {
  readonly clusterId: string | null;
  readonly controllerId: number | null;
  readonly brokers: readonly { readonly id: number; readonly host: string; readonly port: number }[];
}

export interface Admin {
  /** Resolves to the names created; topics that existed already are left out. Other failures reject. */
  createTopics(
    topics: readonly NewTopic[],
    options?: { timeoutMs?: number; validateOnly?: boolean },
  ): Promise<string[]>;
  deleteTopics(topics: readonly string[]): Promise<void>;
  listTopics(): Promise<string[]>;
  /** Unknown topics are left out. */
  describeTopics(topics: readonly string[]): Promise<TopicDescription[]>;
  createPartitions(topic: string, totalCount: number): Promise<void>;
  topicConfig(topic: string): Promise<Record<string, string | null>>;
  alterTopicConfig(topic: string, set: Readonly<Record<string, string>>, remove?: readonly string[]): Promise<void>;
  /** Log end offsets (`latest`), or first offsets (`earliest`), or the first offset at or after a timestamp. */
  listOffsets(
    partitions: readonly TopicPartition[],
    at: 'earliest' | 'latest' | { timestamp: number },
    isolation?: IsolationLevel,
  ): Promise<TopicPartitionOffset[]>;
  deleteRecords(before: readonly TopicPartitionOffset[]): Promise<void>;
  describeCluster(): Promise<ClusterDescription>;
  listGroups(): Promise<{ groupId: string; protocolType: string }[]>;
  describeGroup(groupId: string): Promise<GroupDescription>;
  listGroupOffsets(groupId: string): Promise<TopicPartitionOffset[]>;
  alterGroupOffsets(groupId: string, offsets: readonly TopicPartitionOffset[]): Promise<void>;
  deleteGroupOffsets(groupId: string, partitions: readonly TopicPartition[]): Promise<void>;
  /** An unknown group is success. */
  deleteGroup(groupId: string): Promise<void>;
  /** InitProducerId for each id, so that older producers with it are fenced. */
  fenceProducers(transactionalIds: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export interface GroupDescription {
  readonly groupId: string;
  /** `Dead` when unknown. */
  readonly state: string;
  readonly protocolType: string;
  readonly protocol: string;
  readonly members: readonly {
    readonly memberId: string;
    readonly clientId: string;
    readonly host: string;
    readonly metadata: Buffer;
    readonly assignment: Buffer;
  }[];
}

// ---------------------------------------------------------------- producer

export interface ProducerRecord {
  readonly topic: string;
  /** Null: murmur2 of the key; without a key, sticky. */
  readonly partition?: number | null;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  /**
   * Freeze a list that many records share: with its keys and values it is then taken to stay as it is, and made into
   * bytes once.
   */
  readonly headers?: readonly RecordHeader[] | null;
  /** Milliseconds; null or absent: now. */
  readonly timestamp?: number | null;
}

/**
 * Called once per record, in order per partition. `token` is what was given to `send`, so that one function serves
 * all records; `offset` is -1 on error.
 */
export type DeliveryCallback = (
  error: KafkaError | null,
  token: number,
  topic: string,
  partition: number,
  offset: number,
) => void;

/**
 * One batch in flight per partition, so order holds under every fault. Settings by Java's names: `acks`, `linger.ms`,
 * `batch.size`, `buffer.memory`, `max.request.size`, `delivery.timeout.ms`, `request.timeout.ms`, `compression.type`,
 * `enable.idempotence`, `transactional.id`, `transaction.timeout.ms`.
 */
export interface Producer {
  /** Connects and, when idempotent, obtains a producer id. `send` before `connect` has resolved is an error. */
  connect(): Promise<void>;
  /**
   * Copies the record's bytes before it returns: the caller may use its buffers again. Throws KafkaError for a record
   * that can never be sent (too large, bad topic); everything later arrives at the callback. The topic's metadata must
   * be known, see `prepare`. `term`: what the permission is asked with. (Default: the one that it has now)
   */
  send(record: ProducerRecord, onDelivery?: DeliveryCallback, token?: number, term?: number): void;
  /**
   * Loads metadata for topics not seen yet; resolves at once when all are known. Rejects for an unknown topic (after
   * auto-creation had its chance).
   */
  prepare(topics: readonly string[]): Promise<void>;
  /** True when metadata of the topic is known, so that `send` may be called. */
  isPrepared(topic: string): boolean;
  /** Bytes appended and not yet acknowledged. */
  readonly bufferedBytes: number;
  /** Resolves when `bufferedBytes` is below `buffer.memory`; null when it is already. */
  whenReady(): Promise<void> | null;
  /**
   * Sends everything buffered; resolves when each record was acknowledged or failed. Never rejects for record errors.
   */
  flush(): Promise<void>;
  initTransactions(): Promise<void>;
  beginTransaction(): void;
  sendOffsetsToTransaction(groupId: string, offsets: readonly TopicPartitionOffset[]): Promise<void>;
  commitTransaction(): Promise<void>;
  abortTransaction(): Promise<void>;
  /** Flushes for at most `timeoutMs` (default 30 s), then fails what is left. */
  close(timeoutMs?: number): Promise<void>;
}

/** Asked just before bytes leave the process, however long they have waited here. */
export interface SendPermission {
  /** What is handed in now is sent under this number, unless it is said to belong to another. */
  readonly term: number;
  /** Whether what was handed in under that number may be sent; `never` fails it with SESSION_LOST. */
  ask(term: number): 'now' | 'later' | 'never';
}

// ---------------------------------------------------------------- consumers

export interface ConsumerRecord {
  readonly offset: number;
  readonly timestamp: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: readonly RecordHeader[];
}

/**
 * Records of one partition, in offset order. Buffers are views on the fetched response: keep them only as long as
 * needed.
 */
export interface FetchedBatch {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly ConsumerRecord[];
  readonly timestampType: 'CreateTime' | 'LogAppendTime' | 'NoTimestampType';
  /** Position after this batch: past control batches, aborted batches and holes. */
  readonly nextOffset: number;
  /** Bytes of keys and values. */
  readonly bytes: number;
}

/** Reads partitions without a group. */
export interface AssignedConsumer {
  connect(): Promise<void>;
  /** Replaces the assignment; new partitions start at `auto.offset.reset` unless sought. */
  assign(partitions: readonly TopicPartition[]): void;
  seek(to: TopicPartitionOffset): void;
  seekToBeginning(partitions: readonly TopicPartition[]): Promise<void>;
  /**
   * Next offset to be returned by `poll`; advances past control batches, aborted batches and compaction holes.
   * Undefined before it is known.
   */
  position(partition: TopicPartition): number | undefined;
  pause(partitions: readonly TopicPartition[]): void;
  resume(partitions: readonly TopicPartition[]): void;
  /**
   * Whatever is fetched, at most `max.poll.records` records; waits up to `timeoutMs` for the first. Empty after
   * `wakeup`.
   */
  poll(timeoutMs: number): Promise<FetchedBatch[]>;
  /** Makes the pending or the next `poll` return at once. */
  wakeup(): void;
  close(): Promise<void>;
}

/** All are awaited inside `poll`, before the group protocol goes on. */
export interface RebalanceListener {
  onAssigned(partitions: readonly TopicPartition[]): Promise<void> | void;
  /** Still the owner: offsets may be committed. */
  onRevoked(partitions: readonly TopicPartition[]): Promise<void> | void;
  /** No longer the owner: offsets must not be committed. */
  onLost(partitions: readonly TopicPartition[]): Promise<void> | void;
}

/**
 * A consumer that shares topics with the other members of `group.id`. Heartbeats run in the background while the caller
 * works. Settings by Java's names (`group.id`, `group.instance.id`, `session.timeout.ms`, `heartbeat.interval.ms`,
 * `max.poll.interval.ms`, `max.poll.records`, `partition.assignment.strategy`, `auto.offset.reset`, `fetch.*`,
 * `isolation.level`).
 */
export interface GroupConsumer extends Omit<AssignedConsumer, 'assign' | 'seekToBeginning'> {
  subscribe(topics: readonly string[] | RegExp, listener: RebalanceListener): void;
  assignment(): readonly TopicPartition[];
  /**
   * Offsets are "next to read". Rejects with a KafkaError; ILLEGAL_GENERATION, UNKNOWN_MEMBER_ID and
   * REBALANCE_IN_PROGRESS are never sent again under a new generation.
   */
  commit(offsets: readonly TopicPartitionOffset[]): Promise<void>;
  committed(partitions: readonly TopicPartition[]): Promise<TopicPartitionOffset[]>;
  /** Revokes, leaves the group and closes. */
  close(options?: { timeoutMs?: number }): Promise<void>;
}

// ---------------------------------------------------------------- group member

export interface GroupProtocol {
  readonly name: string;
  readonly metadata: Buffer;
}

export interface GroupMemberInfo {
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  readonly metadata: Buffer;
}

export interface JoinedGroup {
  readonly generation: number;
  readonly memberId: string;
  readonly leaderId: string;
  readonly protocol: string;
  readonly assignment: Buffer;
}

/** A point in time by this thread's `performance.now()` and by the wall clock. Milliseconds. */
export interface ClockReading {
  readonly monotonic: number;
  readonly wall: number;
}

export function readClocks(): ClockReading {
  return { monotonic: performance.now(), wall: Date.now() };
}

export interface GroupMemberOptions {
  readonly groupId: string;
  readonly groupInstanceId?: string | null;
  readonly protocolType: string;
  readonly sessionTimeoutMs: number;
  readonly heartbeatIntervalMs: number;
  readonly rebalanceTimeoutMs: number;
  /** What is measured of the membership. (Default: nothing) */
  readonly metrics?: GroupMetrics;
  /** The coordinator confirmed the membership: the session lasts at least from when the request was sent. */
  readonly onSessionExtended?: (sent: ClockReading) => void;
  /** Asked anew for every join, in order of preference. */
  protocols(): GroupProtocol[];
  /** Leader only: member id → assignment bytes. May be asynchronous. */
  assign(
    protocol: string,
    members: readonly GroupMemberInfo[],
    generation: number,
  ): Promise<Map<string, Buffer>> | Map<string, Buffer>;
}

/**
 * join / sync / heartbeat / leave for any protocol type. Heartbeats run on a timer from the moment `join` resolves
 * until `leave`, or until the coordinator says otherwise.
 */
export interface GroupMember {
  /** Current generation; null while not a member. */
  readonly current: JoinedGroup | null;
  /** True when the next thing to do is `join`: a rebalance was announced, requested, or membership was lost. */
  readonly needsJoin: boolean;
  /**
   * Joins (again), through however many retries the coordinator asks for. Rejects for fatal errors and when aborted.
   */
  join(signal?: AbortSignal): Promise<JoinedGroup>;
  /** The next `join` is wanted; wakes `whenNeedsJoin`. */
  requestRejoin(reason: string): void;
  /** Resolves when `needsJoin` becomes true. */
  whenNeedsJoin(signal?: AbortSignal): Promise<void>;
  /** Time since the last successful heartbeat, milliseconds. */
  readonly sinceHeartbeatMs: number;
  /**
   * Called when membership was lost without a rebalance (session expired, fenced, coordinator unknown for a session):
   * what was owned is no longer ours.
   */
  onLost: ((error: KafkaError) => void) | null;
  leave(reason?: string): Promise<void>;
  /** Closes sockets without leaving. */
  close(): Promise<void>;
}
