/**
 * A consumer that shares its topics with the other members of a group. The rebalance, with its awaited callbacks,
 * happens inside `poll`; heartbeats go on whatever the caller does. Source: kafka-client §2 and §3, connect-runtime
 * §5.1.
 */
import { startTimer, sleep } from '@millrace/sdk';
import type { Logger } from '../../logging/logger';
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
import { nameOf } from '../protocol/offset-lookup';
import type {
  ClientConfig,
  FetchedBatch,
  GroupConsumer,
  GroupMemberInfo,
  GroupProtocol,
  JoinedGroup,
  RebalanceListener,
  TopicPartition,
  TopicPartitionOffset,
} from '../port';
import { retrying, type RetryPolicy } from '../retry';
import { TopicWatch } from './topic-watch';
import type { Wire } from '../wire';

const CLOSE_TIMEOUT_MS = 30_000;

const quietListener: RebalanceListener = {
  onAssigned: () => undefined,
  onRevoked: () => undefined,
  onLost: () => undefined,
};

class KafkaGroupConsumer implements GroupConsumer {
  private readonly fetcher: Fetcher;
  private readonly member: KafkaGroupMember;
  private readonly offsets: CommittedOffsets;
  private readonly watch: TopicWatch;
  private readonly assignors: readonly Assignor[];
  private readonly cooperative: boolean;
  private readonly policy: RetryPolicy;
  private readonly closing = new AbortController();
  private listener: RebalanceListener = quietListener;
  private owned: readonly TopicPartition[] = [];
  /** Assigned, and neither positioned nor announced yet. */
  private arriving: readonly TopicPartition[] = [];
  private joining = false;
  private joined: JoinedGroup | null = null;
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
  ) {
    this.assignors = parseAssignors(group.assignors);
    this.cooperative = this.assignors.every((assignor) => assignor.rebalance === 'cooperative');
    this.fetcher = new Fetcher(wire, settings, logger);
    const { groupId, groupInstanceId, sessionTimeoutMs, heartbeatIntervalMs, maxPollIntervalMs } = group;
    this.member = new KafkaGroupMember(
      wire,
      {
        groupId,
        groupInstanceId,
        sessionTimeoutMs,
        heartbeatIntervalMs,
        protocolType: 'consumer',
        rebalanceTimeoutMs: maxPollIntervalMs,
        protocols: () => this.protocols(),
        assign: (protocol, members) => this.shareOut(protocol, members),
      },
      readGroupTimings(config),
      logger,
    );
    this.watch = new TopicWatch(
      wire,
      { maxAgeMs: group.metadataMaxAgeMs, autoCreate: bool(config, 'allow.auto.create.topics', true) },
      (reason) => this.member.requestRejoin(reason),
      logger,
    );
    this.member.onLost = (error) => this.lose(error);
    this.policy = { ...settings, timeoutMs: settings.apiTimeoutMs };
    this.offsets = new CommittedOffsets(wire, this.member, groupId, this.policy);
  }

  connect(): Promise<void> {
    return this.wire.connect();
  }

  subscribe(topics: readonly string[] | RegExp, listener: RebalanceListener): void {
    this.listener = listener;
    this.watch.subscribe(topics);
    this.member.requestRejoin('subscribed');
  }

  assignment(): readonly TopicPartition[] {
    return this.owned;
  }

  // ------------------------------------------------------------ reading

  async poll(timeoutMs: number): Promise<FetchedBatch[]> {
    const deadline = performance.now() + timeoutMs;
    this.watchPolls(null);
    try {
      await this.fetcher.wait(0);
      for (;;) {
        if (this.closing.signal.aborted) throw new KafkaError('CONSUMER_CLOSED', 'The consumer is closed');
        if (this.wakeups > 0) {
          this.wakeups = 0;
          return [];
        }
        if (this.watch.isSubscribed) await this.followGroup();
        const { batches, advanced } = this.fetcher.take(this.settings.maxPollRecords);
        const left = deadline - performance.now();
        if (batches.length > 0 || advanced || left <= 0) return batches;
        if (this.wakeups === 0) await this.fetcher.wait(left);
      }
    } finally {
      this.watchPolls(this.group.maxPollIntervalMs);
    }
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

  commit(offsets: readonly TopicPartitionOffset[]): Promise<void> {
    return this.offsets.commit(offsets);
  }

  committed(partitions: readonly TopicPartition[]): Promise<TopicPartitionOffset[]> {
    return this.offsets.committed(partitions);
  }

  // ------------------------------------------------------------ rebalancing

  /**
   * Takes the steps that are due. Never waits for other members: a join goes on in the background and its end wakes
   * `poll`.
   */
  private async followGroup(): Promise<void> {
    for (;;) {
      this.throwFailure();
      if (this.lost !== null) await this.giveUpLost();
      else if (this.joined !== null) await this.takeAssignment(this.joined);
      else if (this.arriving.length > 0) await this.welcome();
      else if (!this.joining && this.member.needsJoin && !this.closing.signal.aborted) await this.startJoin();
      else return;
    }
  }

  private throwFailure(): void {
    if (this.failure === undefined) return;
    const { failure } = this;
    this.failure = undefined;
    throw failure;
  }

  private async startJoin(): Promise<void> {
    await retrying(this.policy, () => this.watch.prepare(), this.closing.signal);
    if (!this.cooperative) await this.revoke(this.owned);
    // What was lost while the callback ran was not ours to revoke any more; the next round says so before it joins.
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
        // Aborted when polls stay out or on closing: the next poll joins anew.
        if (!(error instanceof KafkaError && error.code === 'ABORTED')) this.failure ??= error;
        this.fetcher.signal();
      },
    );
  }

  private async takeAssignment(joined: JoinedGroup): Promise<void> {
    this.joined = null;
    if (joined.leaderId !== joined.memberId) this.watch.follow();
    const assigned = decodeAssignment(joined.assignment);
    const names = new Set(assigned.map(nameOf));
    const gone = this.owned.filter((tp) => !names.has(nameOf(tp)));
    if (gone.length > 0) {
      await this.revoke(gone);
      // Others may have them in the next round (KIP-429).
      this.member.requestRejoin('partitions were revoked');
    }
    if (this.lost !== null) return;
    const kept = new Set(this.owned.map(nameOf));
    this.owned = assigned;
    this.arriving = assigned.filter((tp) => !kept.has(nameOf(tp)));
    this.fetcher.assign(assigned, null);
    this.logger.info(
      `Generation ${joined.generation} of group '${this.group.groupId}' assigns ${assigned.map(nameOf).join(', ') || 'nothing'}`,
    );
  }

  /** Positions come first, so that the listener can ask for them and move them. */
  private async welcome(): Promise<void> {
    const { arriving } = this;
    const offsets = await this.offsets.committed(arriving);
    if (this.lost !== null || this.arriving !== arriving) return;
    this.arriving = [];
    const found = new Set(offsets.map(nameOf));
    for (const offset of offsets) this.fetcher.seek(offset);
    this.fetcher.reset(arriving.filter((tp) => !found.has(nameOf(tp))));
    await this.tell(() => this.listener.onAssigned(arriving));
  }

  private async revoke(partitions: readonly TopicPartition[]): Promise<void> {
    if (partitions.length === 0) return;
    const announced = this.withoutArriving(partitions);
    if (announced.length > 0) await this.tell(() => this.listener.onRevoked(announced));
    if (this.lost === null) this.drop(partitions);
  }

  private async giveUpLost(): Promise<void> {
    this.lost = null;
    const partitions = this.owned;
    const announced = this.withoutArriving(partitions);
    this.drop(partitions);
    if (announced.length > 0) await this.tell(() => this.listener.onLost(announced));
  }

  /** The listener has not heard of these. */
  private withoutArriving(partitions: readonly TopicPartition[]): TopicPartition[] {
    const unannounced = new Set(this.arriving.map(nameOf));
    return partitions.filter((tp) => !unannounced.has(nameOf(tp)));
  }

  private drop(partitions: readonly TopicPartition[]): void {
    const names = new Set(partitions.map(nameOf));
    this.owned = this.owned.filter((tp) => !names.has(nameOf(tp)));
    this.arriving = this.arriving.filter((tp) => !names.has(nameOf(tp)));
    this.fetcher.assign(this.owned, null);
  }

  /** A failing listener does not stop the rebalance; `poll` rejects with its error at the end. */
  private async tell(callback: () => Promise<void> | void): Promise<void> {
    try {
      await callback();
    } catch (error) {
      this.failure ??= error;
    }
  }

  private lose(error: KafkaError): void {
    this.lost = error;
    // An assignment that was not taken yet belonged to the membership that is over; a later one will not be touched.
    this.joined = null;
    this.fetcher.signal();
  }

  // ------------------------------------------------------------ the protocol of type consumer

  private protocols(): GroupProtocol[] {
    const subscription = {
      topics: this.watch.topics,
      userData: null,
      owned: this.cooperative && this.lost === null ? this.owned : [],
      generation: this.member.current?.generation ?? -1,
    };
    return this.assignors.map(({ name }) => ({ name, metadata: encodeSubscription(subscription) }));
  }

  private async shareOut(protocol: string, infos: readonly GroupMemberInfo[]): Promise<Map<string, Buffer>> {
    const assignor = this.assignors.find(({ name }) => name === protocol);
    if (assignor === undefined) {
      throw new KafkaError(
        'INCONSISTENT_GROUP_PROTOCOL',
        `The group chose '${protocol}', which is not configured here`,
      );
    }
    const members = new Map(
      infos.map(({ memberId, groupInstanceId, metadata }) => [memberId, decodeSubscription(metadata, groupInstanceId)]),
    );
    const counts = await this.watch.lead([...new Set([...members.values()].flatMap(({ topics }) => topics))].sort());
    return new Map([...assignor.assign(counts, members)].map(([id, partitions]) => [id, encodeAssignment(partitions)]));
  }

  // ------------------------------------------------------------ watching polls

  private watchPolls(intervalMs: number | null): void {
    if (this.pollTimer !== null) clearTimeout(this.pollTimer);
    this.pollTimer = null;
    if (intervalMs === null || this.closing.signal.aborted) return;
    this.pollTimer = startTimer(() => this.pollIsOverdue(), intervalMs);
  }

  private pollIsOverdue(): void {
    if (this.member.current === null && !this.joining) return;
    const text = `poll() was not called for max.poll.interval.ms (${this.group.maxPollIntervalMs} ms): the consumer leaves group '${this.group.groupId}'`;
    this.logger.warn(text);
    this.lose(new KafkaError('MAX_POLL_INTERVAL_EXCEEDED', text));
    void this.member.leave('consumer poll timeout has expired.');
  }

  // ------------------------------------------------------------ closing

  async close(options: { timeoutMs?: number } = {}): Promise<void> {
    if (this.closing.signal.aborted) return;
    this.closing.abort();
    this.fetcher.signal();
    this.watchPolls(null);
    this.watch.close();
    const patience = new AbortController();
    const farewell = async (): Promise<void> => {
      if (this.lost !== null) await this.giveUpLost();
      else await this.revoke(this.owned);
      await this.member.leave('the consumer is being closed');
    };
    try {
      await Promise.race([farewell(), sleep(options.timeoutMs ?? CLOSE_TIMEOUT_MS, patience.signal)]);
    } finally {
      patience.abort();
      this.fetcher.close();
      await this.member.close();
    }
    this.throwFailure();
  }
}

/** Throws KafkaError INVALID_CLIENT_CONFIG. The consumer owns the wire and closes it. */
export function createGroupConsumer(wire: Wire, config: ClientConfig, logger: Logger): GroupConsumer {
  return new KafkaGroupConsumer(wire, config, readFetchSettings(config), readGroupSettings(config), logger);
}
