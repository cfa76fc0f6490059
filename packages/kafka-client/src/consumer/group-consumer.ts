/**
 * A consumer that shares its topics with the other members of a group. Rebalances and their awaited callbacks run
 * inside `poll`; heartbeats are sent in the background. Source: kafka-client §2 and §3, connect-runtime §5.1.
 */
import { startTimer, sleep, type Logger } from '@millrace/sdk';
import type { ConsumerMetrics, PartitionLags } from '../client-metrics';
import type { Assignor } from './assignors/assignor';
import {
  decodeAssignment,
  decodeSubscription,
  encodeAssignment,
  encodeSubscription,
} from './assignors/consumer-protocol';
import { parseAssignors } from './assignors/index';
import { bool } from '../client-settings';
import { CommittedOffsets } from './committed-offsets';
import { readFetchSettings, readGroupSettings, type FetchSettings, type GroupSettings } from './consumer-settings';
import { KafkaError } from '../errors';
import { Fetcher } from './fetcher';
import { KafkaGroupMember, readGroupTimings } from '../group/group-member';
import { partitionName } from '../protocol/offset-lookup';
import type {
  ClientConfig,
  FetchedBatch,
  GroupConsumer,
  GroupMemberInfo,
  GroupProtocol,
  JoinedGroup,
  ReadBatch,
  RebalanceListener,
  TopicPartition,
  TopicPartitionOffset,
} from '../port';
import { retrying, type RetryPolicy } from '../retry';
import { SubscribedTopics } from './subscribed-topics';
import type { Wire } from '../wire';

const CLOSE_TIMEOUT_MS = 30_000;

const noopListener: RebalanceListener = {
  onAssigned: () => undefined,
  onRevoked: () => undefined,
  onLost: () => undefined,
};

/** Committed offsets of partitions; those without one are absent. */
interface FoundOffsets {
  readonly of: readonly TopicPartition[];
  readonly offsets: readonly TopicPartitionOffset[];
}

class KafkaGroupConsumer implements GroupConsumer {
  private readonly fetcher: Fetcher;
  private readonly member: KafkaGroupMember;
  private readonly offsets: CommittedOffsets;
  private readonly topics: SubscribedTopics;
  private readonly assignors: readonly Assignor[];
  private readonly cooperative: boolean;
  private readonly policy: RetryPolicy;
  private readonly closing = new AbortController();
  private listener: RebalanceListener = noopListener;
  private owned: readonly TopicPartition[] = [];
  /** Assigned partitions that have no position yet and that the listener does not know. */
  private unannounced: readonly TopicPartition[] = [];
  /** `unannounced`, while their committed offsets are read. */
  private finding: readonly TopicPartition[] | null = null;
  private found: FoundOffsets | null = null;
  private joining = false;
  private joined: JoinedGroup | null = null;
  private preparing = false;
  /** Thrown by the next poll. */
  private failure: unknown;
  private lost: KafkaError | null = null;
  private wakeups = 0;
  private pollTimer: NodeJS.Timeout | null = null;

  constructor(
    private readonly wire: Wire,
    config: ClientConfig,
    private readonly settings: FetchSettings,
    private readonly group: GroupSettings,
    private readonly logger: Logger,
    private readonly metrics?: ConsumerMetrics,
  ) {
    metrics?.inGroup.set(1);
    this.assignors = parseAssignors(group.assignors);
    this.cooperative = this.assignors.every((assignor) => assignor.rebalance === 'cooperative');
    this.fetcher = new Fetcher(wire, { ...settings, views: true }, logger, metrics);
    const { groupId, groupInstanceId, sessionTimeoutMs, heartbeatIntervalMs, maxPollIntervalMs } = group;
    this.member = new KafkaGroupMember(
      wire,
      {
        groupId,
        groupInstanceId,
        sessionTimeoutMs,
        heartbeatIntervalMs,
        protocolType: 'consumer',
        metrics: metrics?.group,
        rebalanceTimeoutMs: maxPollIntervalMs,
        protocols: () => this.protocols(),
        assign: (protocol, members) => this.assignPartitions(protocol, members),
      },
      readGroupTimings(config),
      logger,
    );
    this.topics = new SubscribedTopics(
      wire,
      { maxAgeMs: group.metadataMaxAgeMs, autoCreate: bool(config, 'allow.auto.create.topics', true) },
      (reason) => this.member.requestRejoin(reason),
      logger,
    );
    this.member.onLost = (error) => this.onLost(error);
    this.policy = { ...settings, timeoutMs: settings.apiTimeoutMs };
    this.offsets = new CommittedOffsets(wire, this.member, groupId, this.policy, metrics);
  }

  connect(): Promise<void> {
    return this.wire.connect();
  }

  get lags(): PartitionLags | undefined {
    return this.metrics?.lags ?? undefined;
  }

  subscribe(topics: readonly string[] | RegExp, listener: RebalanceListener): void {
    this.listener = listener;
    this.topics.subscribe(topics);
    this.member.requestRejoin('subscribed');
  }

  assignment(): readonly TopicPartition[] {
    return this.owned;
  }

  // ------------------------------------------------------------ reading

  async poll(timeoutMs: number, times = 1): Promise<FetchedBatch[]> {
    const deadline = performance.now() + timeoutMs;
    this.restartPollTimer(null);
    this.metrics?.polled(Date.now());
    try {
      await this.fetcher.wait(0);
      for (;;) {
        if (this.closing.signal.aborted) throw new KafkaError('CONSUMER_CLOSED', 'The consumer is closed');
        if (this.wakeups > 0) {
          this.wakeups = 0;
          return [];
        }
        if (this.topics.isSubscribed) await this.advanceRebalance();
        const { batches, advanced } = this.fetcher.take(this.settings.maxPollRecords * times);
        const left = deadline - performance.now();
        if (batches.length > 0 || advanced || left <= 0) return batches;
        if (this.wakeups === 0) await this.fetcher.wait(left);
      }
    } finally {
      this.restartPollTimer(this.group.maxPollIntervalMs);
    }
  }

  peek(times = 1): readonly ReadBatch[] {
    return this.fetcher.peek(this.settings.maxPollRecords * times);
  }

  position(tp: TopicPartition): number | undefined {
    return this.fetcher.position(tp);
  }

  seek(to: TopicPartitionOffset): void {
    this.fetcher.seek(to);
  }

  pause(partitions: readonly TopicPartition[]): void {
    this.fetcher.pause(partitions);
  }

  resume(partitions: readonly TopicPartition[]): void {
    this.fetcher.resume(partitions);
  }

  wakeup(): void {
    this.wakeups++;
    this.fetcher.signal();
  }

  async commit(offsets: readonly TopicPartitionOffset[]): Promise<readonly TopicPartition[]> {
    const ofTopics = offsets.map((at) => ({ ...at, topicId: this.fetcher.topicId(at) }));
    const gone = await this.offsets.commit(ofTopics);
    if (gone.length > 0) this.fetcher.restart(gone);
    return gone;
  }

  committed(partitions: readonly TopicPartition[]): Promise<TopicPartitionOffset[]> {
    return this.offsets.committed(partitions);
  }

  // ------------------------------------------------------------ rebalancing

  /** Runs the steps that are due. Joins run in the background, because they wait for other members, and wake `poll`. */
  private async advanceRebalance(): Promise<void> {
    for (;;) {
      this.throwFailure();
      if (this.lost !== null) await this.announceLost();
      else if (this.joined !== null) await this.applyAssignment(this.joined);
      else if (this.found !== null) await this.announceAssigned(this.found);
      else if (!this.joining && this.member.needsJoin && !this.closing.signal.aborted) {
        if (!this.topics.isPrepared) return this.prepare();
        await this.startJoin();
      } else return this.findOffsets();
    }
  }

  private throwFailure(): void {
    if (this.failure === undefined) return;
    const { failure } = this;
    this.failure = undefined;
    throw failure;
  }

  /** Evaluates a regular expression in the background, for as long as no broker responds. */
  private prepare(): void {
    if (this.preparing) return;
    this.preparing = true;
    void this.inBackground('list the topics', () =>
      retrying(this.policy, () => this.topics.prepare(), this.closing.signal),
    ).finally(() => {
      this.preparing = false;
      this.fetcher.signal();
    });
  }

  /** Reads the committed offsets in the background: the coordinator may be away for long. */
  private findOffsets(): void {
    const { unannounced } = this;
    if (unannounced.length === 0 || this.finding === unannounced) return;
    this.finding = unannounced;
    void this.inBackground('read the committed offsets', async () => {
      const offsets = await this.offsets.committed(unannounced, this.closing.signal);
      if (this.unannounced === unannounced) this.found = { of: unannounced, offsets };
    }).finally(() => {
      if (this.finding === unannounced) this.finding = null;
      this.fetcher.signal();
    });
  }

  /** As in Java, `poll` waits for Kafka, however long: after a retriable error the next pass runs it again. */
  private async inBackground(doing: string, run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      if (this.closing.signal.aborted) return;
      if (!(error instanceof KafkaError && error.retriable)) this.failure ??= error;
      else this.logger.warn(`Group '${this.group.groupId}' cannot ${doing}, retrying: ${error.message}`);
    }
  }

  private async startJoin(): Promise<void> {
    if (!this.cooperative) await this.revoke(this.owned);
    // The partitions were lost while the callback ran: the next pass reports that first.
    if (this.lost !== null) return;
    this.joining = true;
    this.member.join(this.closing.signal).then(
      (joined) => {
        this.joining = false;
        this.joined = joined;
        this.fetcher.signal();
        void this.member.whenNeedsJoin(this.closing.signal).then(
          () => this.fetcher.signal(),
          () => undefined,
        );
      },
      (error: unknown) => {
        this.joining = false;
        // Aborted by a poll timeout or by `close`. After a poll timeout the next poll rejoins.
        if (!(error instanceof KafkaError && error.code === 'ABORTED')) this.failure ??= error;
        this.fetcher.signal();
      },
    );
  }

  private async applyAssignment(joined: JoinedGroup): Promise<void> {
    this.joined = null;
    if (joined.leaderId !== joined.memberId) this.topics.stopLeading();
    const assigned = decodeAssignment(joined.assignment);
    const names = new Set(assigned.map(partitionName));
    const revoked = this.owned.filter((tp) => !names.has(partitionName(tp)));
    if (revoked.length > 0) {
      await this.revoke(revoked);
      // The next rebalance may assign them to other members (KIP-429).
      this.member.requestRejoin('partitions were revoked');
    }
    if (this.lost !== null) return;
    const kept = new Set(this.announcedOf(this.owned).map(partitionName));
    this.owned = assigned;
    this.unannounced = assigned.filter((tp) => !kept.has(partitionName(tp)));
    this.fetcher.assign(assigned, null);
    this.logger.debug(
      `Generation ${joined.generation} of group '${this.group.groupId}' assigns ${assigned.map(partitionName).join(', ') || 'no partitions'}`,
    );
  }

  /** Sets the positions first, so that the listener can read and change them. */
  private async announceAssigned({ of: partitions, offsets }: FoundOffsets): Promise<void> {
    this.found = null;
    if (this.unannounced !== partitions) return;
    this.unannounced = [];
    const found = new Set(offsets.map(partitionName));
    for (const offset of offsets) this.fetcher.seek(offset);
    this.fetcher.reset(partitions.filter((tp) => !found.has(partitionName(tp))));
    await this.invokeListener(() => this.listener.onAssigned(partitions));
  }

  private async revoke(partitions: readonly TopicPartition[]): Promise<void> {
    if (partitions.length === 0) return;
    const announced = this.announcedOf(partitions);
    if (announced.length > 0) await this.invokeListener(() => this.listener.onRevoked(announced));
    if (this.lost === null) this.removePartitions(partitions);
  }

  private async announceLost(): Promise<void> {
    this.lost = null;
    const partitions = this.owned;
    const announced = this.announcedOf(partitions);
    this.removePartitions(partitions);
    if (announced.length > 0) await this.invokeListener(() => this.listener.onLost(announced));
  }

  /** Partitions that were announced to the listener. */
  private announcedOf(partitions: readonly TopicPartition[]): TopicPartition[] {
    const unannounced = new Set(this.unannounced.map(partitionName));
    return partitions.filter((tp) => !unannounced.has(partitionName(tp)));
  }

  private removePartitions(partitions: readonly TopicPartition[]): void {
    const names = new Set(partitions.map(partitionName));
    this.owned = this.owned.filter((tp) => !names.has(partitionName(tp)));
    this.unannounced = this.unannounced.filter((tp) => !names.has(partitionName(tp)));
    this.fetcher.assign(this.owned, null);
  }

  /** An error of the listener does not stop the rebalance; `poll` rejects with it afterwards. */
  private async invokeListener(callback: () => Promise<void> | void): Promise<void> {
    try {
      await callback();
    } catch (error) {
      this.failure ??= error;
    }
  }

  private onLost(error: KafkaError): void {
    this.lost = error;
    // A pending assignment belongs to the lost membership.
    this.joined = null;
    this.fetcher.signal();
  }

  // ------------------------------------------------------------ protocol type consumer

  private protocols(): GroupProtocol[] {
    const subscription = {
      topics: this.topics.names,
      userData: null,
      owned: this.cooperative && this.lost === null ? this.owned : [],
      generation: this.member.current?.generation ?? -1,
    };
    return this.assignors.map(({ name }) => ({ name, metadata: encodeSubscription(subscription) }));
  }

  private async assignPartitions(protocol: string, infos: readonly GroupMemberInfo[]): Promise<Map<string, Buffer>> {
    const assignor = this.assignors.find(({ name }) => name === protocol);
    if (assignor === undefined) {
      throw new KafkaError(
        'INCONSISTENT_GROUP_PROTOCOL',
        `The group chose assignor '${protocol}', which is not in partition.assignment.strategy of this member`,
      );
    }
    const members = new Map(
      infos.map(({ memberId, groupInstanceId, metadata }) => [memberId, decodeSubscription(metadata, groupInstanceId)]),
    );
    const counts = await this.topics.startLeading(
      [...new Set([...members.values()].flatMap(({ topics }) => topics))].sort(),
    );
    return new Map([...assignor.assign(counts, members)].map(([id, partitions]) => [id, encodeAssignment(partitions)]));
  }

  // ------------------------------------------------------------ max.poll.interval.ms

  private restartPollTimer(intervalMs: number | null): void {
    if (this.pollTimer !== null) clearTimeout(this.pollTimer);
    this.pollTimer = null;
    if (intervalMs === null || this.closing.signal.aborted) return;
    this.pollTimer = startTimer(() => this.onPollTimeout(), intervalMs);
  }

  private onPollTimeout(): void {
    if (this.member.current === null && !this.joining) return;
    const text = `poll() was not called for max.poll.interval.ms (${this.group.maxPollIntervalMs} ms): leaving group '${this.group.groupId}'`;
    this.logger.warn(text);
    this.onLost(new KafkaError('MAX_POLL_INTERVAL_EXCEEDED', text));
    void this.member.leave('consumer poll timeout has expired.');
  }

  // ------------------------------------------------------------ closing

  async close(options: { timeoutMs?: number } = {}): Promise<void> {
    if (this.closing.signal.aborted) return;
    this.closing.abort();
    this.fetcher.signal();
    this.restartPollTimer(null);
    this.topics.close();
    const timeout = new AbortController();
    const leave = async (): Promise<void> => {
      if (this.lost !== null) await this.announceLost();
      else await this.revoke(this.owned);
      await this.member.leave('the consumer is being closed');
    };
    try {
      await Promise.race([leave(), sleep(options.timeoutMs ?? CLOSE_TIMEOUT_MS, timeout.signal)]);
    } finally {
      timeout.abort();
      this.fetcher.close();
      await this.member.close();
    }
    this.throwFailure();
  }
}

/** Throws KafkaError INVALID_CLIENT_CONFIG. The consumer owns the wire and closes it. */
export function createGroupConsumer(
  wire: Wire,
  config: ClientConfig,
  logger: Logger,
  metrics?: ConsumerMetrics,
): GroupConsumer {
  return new KafkaGroupConsumer(wire, config, readFetchSettings(config), readGroupSettings(config), logger, metrics);
}
