/**
 * The only Kafka types the rest of the runtime may see. Bytes in, bytes out; offsets and timestamps are numbers (safe
 * below 2^53). Roles: admin, producer, assigned consumer, group consumer, group member. Source: kafka-client §2.
 */
import type { TopicPartition, TopicPartitionOffset } from '@millrace/sdk';
import type { KafkaError } from './errors';
import type { ConsumerMetrics, GroupMetrics, PartitionLags, ProducerMetrics } from './client-metrics';

export type { TopicPartition, TopicPartitionOffset };
export type IsolationLevel = 'read_uncommitted' | 'read_committed';

/** Header values are bytes; a null value stays null. */
export interface RecordHeader {
  readonly key: string;
  readonly value: Uint8Array | null;
}

/** Java client settings, unprefixed (`bootstrap.servers`, `security.protocol`, `sasl.jaas.config`, `linger.ms`, …). */
export type ClientConfig = Readonly<Record<string, string>>;

/** Creates clients; implemented by `create-clients.ts`. Each client owns its sockets, and the caller closes it. */
export interface KafkaClients {
  admin(config: ClientConfig): Admin;
  /**
   * @param permission (Default: sending is always permitted)
   * @param metrics where the client counts what it does; also of the consumers below (Default: nowhere)
   */
  producer(
    config: ClientConfig,
    permission?: SendPermission,
    metrics?: ProducerMetrics,
    options?: ProducerOptions,
  ): Producer;
  assignedConsumer(config: ClientConfig, metrics?: ConsumerMetrics): AssignedConsumer;
  groupConsumer(config: ClientConfig, metrics?: ConsumerMetrics): GroupConsumer;
  groupMember(config: ClientConfig, options: GroupMemberOptions): GroupMember;
  /** For the clients of a connector, whose log lines may quote its config. (Default: these) */
  of?(connector: string): KafkaClients;
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
  /** Resolves to the names of the created topics, without those that already exist. Rejects for other failures. */
  createTopics(
    topics: readonly NewTopic[],
    options?: { timeoutMs?: number; validateOnly?: boolean },
  ): Promise<string[]>;
  deleteTopics(topics: readonly string[]): Promise<void>;
  listTopics(): Promise<string[]>;
  /** Omits unknown topics. */
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
  /** Finalized features and their levels, such as `metadata.version`. Empty if the cluster has or shows none. */
  features(): Promise<ReadonlyMap<string, number>>;
  listGroups(): Promise<{ groupId: string; protocolType: string }[]>;
  describeGroup(groupId: string): Promise<GroupDescription>;
  listGroupOffsets(groupId: string): Promise<TopicPartitionOffset[]>;
  alterGroupOffsets(groupId: string, offsets: readonly TopicPartitionOffset[]): Promise<void>;
  deleteGroupOffsets(groupId: string, partitions: readonly TopicPartition[]): Promise<void>;
  /** Succeeds for an unknown group. */
  deleteGroup(groupId: string): Promise<void>;
  /** Sends InitProducerId for each id, which fences older producers with that id. */
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
   * Freeze a list that many records share: it is then encoded only once. Its keys and values must not change either.
   */
  readonly headers?: readonly RecordHeader[] | null;
  /** Milliseconds; null or absent: now. */
  readonly timestamp?: number | null;
}

/**
 * Called once per record, in order per partition. `token` is the one passed to `send`, so that one function serves all
 * records; `offset` is -1 on error.
 */
export type DeliveryCallback = (
  error: KafkaError | null,
  token: number,
  topic: string,
  partition: number,
  offset: number,
) => void;

/**
 * The order is kept under every fault: without idempotence, one batch of a partition is in flight, otherwise up to
 * five. Settings have Java's names: `acks`, `linger.ms`, `batch.size`, `buffer.memory`, `max.request.size`,
 * `delivery.timeout.ms`, `request.timeout.ms`, `compression.type`, `enable.idempotence`, `transactional.id`,
 * `transaction.timeout.ms`, `max.in.flight.requests.per.connection`.
 */
export interface Producer {
  /** Connects and, when idempotent, obtains a producer id. `send` before `connect` has resolved is an error. */
  connect(): Promise<void>;
  /**
   * Copies the record's bytes before it returns, so the caller may reuse its buffers. Throws KafkaError for a record
   * that can never be sent (too large, invalid topic); later errors are passed to the callback. The topic's metadata
   * must be known, see `prepare`.
   * @param permissionEpoch the epoch to check the permission with. (Default: its current epoch)
   */
  send(record: ProducerRecord, onDelivery?: DeliveryCallback, token?: number, permissionEpoch?: number): void;
  /**
   * Loads metadata of topics that are not cached; resolves at once when all are. Rejects for a topic that is unknown
   * even after auto-creation.
   */
  prepare(topics: readonly string[]): Promise<void>;
  /** True when metadata of the topic is known, so that `send` may be called. */
  isPrepared(topic: string): boolean;
  /** Bytes appended and not yet acknowledged. */
  readonly bufferedBytes: number;
  /** Resolves when `bufferedBytes` is below `buffer.memory`; null when it already is. */
  whenReady(): Promise<void> | null;
  /**
   * Nothing follows for now, so waiting for more records would only delay those buffered: they are sent as soon as no
   * request is in flight. Does nothing where `linger.ms` is set.
   */
  push(): void;
  /**
   * Sends everything buffered; resolves when each record was acknowledged or failed. Never rejects for record errors.
   */
  flush(): Promise<void>;
  initTransactions(): Promise<void>;
  /**
   * @param expected partitions that the transaction will also write to: they are added with the first one, which saves
   *   a round trip. (Default: none)
   */
  beginTransaction(expected?: readonly TopicPartition[]): void;
  sendOffsetsToTransaction(groupId: string, offsets: readonly TopicPartitionOffset[]): Promise<void>;
  commitTransaction(): Promise<void>;
  abortTransaction(): Promise<void>;
  /**
   * Flushes for at most `timeoutMs` (default 30 s), then fails the remaining records and a commit that waits for them.
   */
  close(timeoutMs?: number): Promise<void>;
}

export interface ProducerOptions {
  /**
   * Idempotent, with up to five batches of a partition in flight, if the broker allows it, regardless of
   * `enable.idempotence` and `max.in.flight.requests.per.connection`. Needs `acks=all`; not for transactions.
   */
  readonly idempotentIfAllowed?: boolean;
  /**
   * `connect` resolves without a connection of this producer if one with the same settings but `client.id` has just
   * connected; the first use connects. One that fails meanwhile rejects this `connect`, too.
   */
  readonly mayConnectLater?: boolean;
}

/** Checked just before a request is sent, however long its records have waited in the producer. */
export interface SendPermission {
  /** Records get this epoch unless `send` specifies another. */
  readonly epoch: number;
  /** Whether records of that epoch may be sent. `never` fails them with SESSION_LOST. */
  check(epoch: number): 'now' | 'later' | 'never';
}

// ---------------------------------------------------------------- consumers

export interface ConsumerRecord {
  readonly offset: number;
  readonly timestamp: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: readonly RecordHeader[];
}

/** A record whose key and value are positions in the bytes of its batch until they are asked for. */
export interface RecordView extends ConsumerRecord {
  readonly bytes: Buffer;
  /** -1: the key is null. */
  readonly keyStart: number;
  readonly keyEnd: number;
  /** -1: the value is null. */
  readonly valueStart: number;
  readonly valueEnd: number;
}

/**
 * Records of one partition, in offset order. Buffers are views on the fetched response: keep them only as long as
 * needed.
 */
export interface FetchedBatch {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly ConsumerRecord[];
  /** The same records, from consumers that return views. */
  readonly views?: readonly RecordView[];
  readonly timestampType: 'CreateTime' | 'LogAppendTime' | 'NoTimestampType';
  /** Position after this batch, and after any control batches, aborted batches and compaction holes. */
  readonly nextOffset: number;
  /** Bytes of keys and values. */
  readonly bytes: number;
  /** Id of the topic that the records are from; absent: the broker reports none. */
  readonly topicId?: string | undefined;
}

/** Records that are fetched and not polled yet. */
export interface ReadBatch extends Pick<FetchedBatch, 'topic' | 'partition' | 'timestampType'> {
  readonly views: readonly RecordView[];
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
   * Returns fetched records, at most `max.poll.records`; waits up to `timeoutMs` for the first. Empty after `wakeup`.
   */
  poll(timeoutMs: number): Promise<FetchedBatch[]>;
  /** Makes the pending or the next `poll` return at once. */
  wakeup(): void;
  close(): Promise<void>;
}

/** `poll` awaits each call before it continues the group protocol. */
export interface RebalanceListener {
  onAssigned(partitions: readonly TopicPartition[]): Promise<void> | void;
  /** Still the owner: offsets may be committed. */
  onRevoked(partitions: readonly TopicPartition[]): Promise<void> | void;
  /** No longer the owner: offsets must not be committed. */
  onLost(partitions: readonly TopicPartition[]): Promise<void> | void;
}

/**
 * A consumer that shares topics with the other members of `group.id`. Heartbeats run in the background while the caller
 * processes records. Settings have Java's names (`group.id`, `group.instance.id`, `session.timeout.ms`,
 * `heartbeat.interval.ms`, `max.poll.interval.ms`, `max.poll.records`, `partition.assignment.strategy`,
 * `auto.offset.reset`, `fetch.*`, `isolation.level`).
 */
export interface GroupConsumer extends Omit<AssignedConsumer, 'assign' | 'seekToBeginning' | 'poll'> {
  /** Where the caller reports what it has processed. Absent: it is not measured. */
  readonly lags?: PartitionLags;
  /**
   * As that of `AssignedConsumer`.
   * @param times how often `max.poll.records` are returned at most (Default: once)
   */
  poll(timeoutMs: number, times?: number): Promise<FetchedBatch[]>;
  /**
   * What the next `poll` returns if nothing comes between, the same records in the same batches. Only if that are all
   * that it may return, and decoded; otherwise nothing.
   */
  peek?(times?: number): readonly ReadBatch[];
  subscribe(topics: readonly string[] | RegExp, listener: RebalanceListener): void;
  assignment(): readonly TopicPartition[];
  /**
   * Offsets are those of the next record to read. Rejects with a KafkaError. After ILLEGAL_GENERATION,
   * UNKNOWN_MEMBER_ID or REBALANCE_IN_PROGRESS the commit is not retried under a new generation. Resolves when these
   * offsets or newer ones are committed, to the partitions whose offsets were dropped because no broker knows their
   * topic.
   */
  commit(offsets: readonly TopicPartitionOffset[]): Promise<readonly TopicPartition[]>;
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
  /** Where rebalances, joins, syncs and heartbeats are recorded. (Default: nowhere) */
  readonly metrics?: GroupMetrics;
  /** The coordinator confirmed the membership: the session timeout counts from when the request was sent, or later. */
  readonly onSessionExtended?: (sent: ClockReading) => void;
  /** Called for every join. In order of preference. */
  protocols(): GroupProtocol[];
  /** Leader only: member id → assignment bytes. May be asynchronous. */
  assign(
    protocol: string,
    members: readonly GroupMemberInfo[],
    generation: number,
  ): Promise<Map<string, Buffer>> | Map<string, Buffer>;
}

/**
 * Join, sync, heartbeat and leave for any protocol type. Heartbeats run on a timer from when `join` resolves until
 * `leave`, or until the membership is lost.
 */
export interface GroupMember {
  /** Current generation; null while not a member. */
  readonly current: JoinedGroup | null;
  /** True when `join` must be called next: a rebalance started or was requested, or the membership was lost. */
  readonly needsJoin: boolean;
  /**
   * Joins or rejoins, and retries while errors are retriable. Rejects for fatal errors and when aborted.
   */
  join(signal?: AbortSignal): Promise<JoinedGroup>;
  /** Why the attempts of the join in progress have failed, the newest; null: none has. */
  readonly joinFailure: KafkaError | null;
  /** Sets `needsJoin`; resolves `whenNeedsJoin`. */
  requestRejoin(reason: string): void;
  /** Resolves when `needsJoin` becomes true. */
  whenNeedsJoin(signal?: AbortSignal): Promise<void>;
  /** Sends heartbeats more often than configured, to notice a rebalance sooner; null: as configured. */
  heartbeatAtLeastEvery(limitMs: number | null): void;
  /** Time since the last successful heartbeat, milliseconds. */
  readonly sinceHeartbeatMs: number;
  /**
   * Called when the membership was lost without a rebalance: the session expired, the member was fenced, or no
   * coordinator was found for a session timeout. Other members may own its assignment.
   */
  onLost: ((error: KafkaError) => void) | null;
  leave(reason?: string): Promise<void>;
  /** Closes sockets without leaving. */
  close(): Promise<void>;
}
