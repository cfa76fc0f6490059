/**
 * Kafka in memory, with the interface of the port: enough of topics, assigned consumers and groups for the storage logs
 * and the herder. Positions skip gaps; a group rebalances when a member joins, leaves or requests it.
 */
import { KafkaError } from '../../packages/kafka-client/src/errors';
import { partitionForKey } from '../../packages/kafka-client/src/producer/partitioner';
import type {
  Admin,
  AssignedConsumer,
  ConsumerRecord,
  FetchedBatch,
  GroupMember,
  GroupMemberOptions,
  GroupProtocol,
  JoinedGroup,
  KafkaClients,
  Producer,
  RecordHeader,
  SendPermission,
  TopicPartition,
} from '../../packages/kafka-client/src/port';

interface Partition {
  readonly records: ConsumerRecord[];
  end: number;
}
interface Topic {
  readonly partitions: Partition[];
  readonly configs: Record<string, string>;
}

export class MemoryKafka implements KafkaClients {
  readonly topics = new Map<string, Topic>();
  readonly groups = new Map<string, MemoryGroup>();
  readonly members: MemoryMember[] = [];
  private readonly readers = new Set<() => void>();

  createTopic(name: string, partitions = 1, configs: Record<string, string> = { 'cleanup.policy': 'compact' }): void {
    this.topics.set(name, {
      partitions: Array.from({ length: partitions }, () => ({ records: [], end: 0 })),
      configs,
    });
  }
  partition({ topic, partition }: TopicPartition): Partition {
    const found = this.topics.get(topic)?.partitions[partition];
    if (!found) throw new KafkaError('UNKNOWN_TOPIC_OR_PARTITION', topic);
    return found;
  }
  append(
    topic: string,
    partition: number,
    key: Uint8Array | null,
    value: Uint8Array | null,
    headers: readonly RecordHeader[] = [],
  ): number {
    const log = this.partition({ topic, partition });
    const offset = log.end++;
    log.records.push({
      offset,
      timestamp: Date.now(),
      key: key && Buffer.from(key),
      value: value && Buffer.from(value),
      headers,
    });
    for (const wake of [...this.readers]) wake();
    return offset;
  }
  /** Offsets without a data record: a transaction marker, or a record removed by compaction. */
  appendHole(topic: string, partition = 0): void {
    this.partition({ topic, partition }).end++;
    for (const wake of [...this.readers]) wake();
  }
  /** Retains the last record of each key, tombstones included. */
  compact(topic: string): void {
    for (const { records } of this.topics.get(topic)?.partitions ?? []) {
      const last = new Map(records.map(({ key, offset }) => [key?.toString() ?? '', offset]));
      records.splice(
        0,
        records.length,
        ...records.filter(({ key, offset }) => last.get(key?.toString() ?? '') === offset),
      );
    }
  }
  texts(topic: string): string[] {
    return (this.topics.get(topic)?.partitions ?? []).flatMap(({ records }) =>
      records.map(({ key, value }) => `${key?.toString() ?? '∅'}=${value?.toString() ?? '∅'}`),
    );
  }

  admin(): Admin {
    return {
      createTopics: async (...[topics, options]: Parameters<Admin['createTopics']>) => {
        const created = topics.filter(({ name }) => !this.topics.has(name));
        for (const { name, partitions, configs } of options?.validateOnly ? [] : created)
          this.createTopic(name, partitions < 0 ? 1 : partitions, { ...configs });
        return created.map(({ name }) => name);
      },
      describeTopics: async (names: readonly string[]) =>
        names.flatMap((name) => {
          const topic = this.topics.get(name);
          if (!topic) return [];
          return [
            { name, partitions: topic.partitions.map((_, partition) => ({ partition, leader: 1, replicas: [1] })) },
          ];
        }),
      topicConfig: async (name: string) => this.topics.get(name)?.configs ?? {},
      listOffsets: async (partitions: readonly TopicPartition[]) =>
        partitions.map((partition) => ({ ...partition, offset: this.partition(partition).end })),
      describeCluster: async () => ({ clusterId: 'memory', controllerId: 1, brokers: [] }),
      close: async () => undefined,
    } as unknown as Admin;
  }

  producer(_config?: unknown, permission?: SendPermission): Producer {
    const late = (): KafkaError => new KafkaError('SESSION_LOST', 'lost its place in the group');
    return {
      connect: async () => undefined,
      prepare: async () => undefined,
      isPrepared: () => true,
      bufferedBytes: 0,
      whenReady: () => null,
      send: (record, onDelivery, token = 0, epoch = permission?.epoch ?? 0) => {
        const { topic, key, value, headers } = record;
        const count = this.topics.get(topic)?.partitions.length ?? 1;
        const partition = key ? partitionForKey(key, count) : 0;
        const may = permission?.check(epoch) ?? 'now';
        if (may === 'now') {
          const offset = this.append(topic, partition, key, value, headers ?? []);
          queueMicrotask(() => onDelivery?.(null, token, topic, partition, offset));
        } else if (may === 'never') queueMicrotask(() => onDelivery?.(late(), token, topic, partition, -1));
        else throw new Error('a member of this group is always heard');
      },
      flush: async () => undefined,
      close: async () => undefined,
    } satisfies Partial<Producer> as unknown as Producer;
  }

  assignedConsumer(): AssignedConsumer {
    const positions = new Map<string, number>();
    const name = ({ topic, partition }: TopicPartition): string => `${topic}-${partition}`;
    let assigned: readonly TopicPartition[] = [];
    let woken = false;
    let wake: () => void = () => undefined;
    const fetch = (): FetchedBatch[] => {
      const batches: FetchedBatch[] = [];
      for (const { topic, partition } of assigned) {
        const log = this.partition({ topic, partition });
        const position = positions.get(name({ topic, partition })) ?? 0;
        if (position >= log.end) continue;
        const records = log.records.filter(({ offset }) => offset >= position);
        positions.set(name({ topic, partition }), log.end);
        batches.push({ topic, partition, records, timestampType: 'CreateTime', nextOffset: log.end, bytes: 0 });
      }
      return batches;
    };
    return {
      connect: async () => undefined,
      assign: (partitions) => (assigned = partitions),
      seek: (to) => positions.set(name(to), to.offset),
      seekToBeginning: async (partitions) => partitions.forEach((partition) => positions.set(name(partition), 0)),
      position: (partition) => positions.get(name(partition)),
      pause: () => undefined,
      resume: () => undefined,
      poll: async (timeoutMs) => {
        const ready = fetch();
        if (ready.length > 0 || woken) {
          woken = false;
          return ready;
        }
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, timeoutMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
          this.readers.add(wake);
        });
        this.readers.delete(wake);
        woken = false;
        return fetch();
      },
      wakeup: () => {
        woken = true;
        wake();
      },
      close: async () => undefined,
    };
  }

  groupConsumer(): never {
    throw new Error('not here');
  }

  groupMember(_: unknown, options: GroupMemberOptions): GroupMember {
    let group = this.groups.get(options.groupId);
    if (!group) this.groups.set(options.groupId, (group = new MemoryGroup()));
    const member = new MemoryMember(group, options, `member-${this.members.length}`);
    this.members.push(member);
    return member;
  }
}

interface Joining {
  readonly protocols: GroupProtocol[];
  resolve(joined: JoinedGroup): void;
}

/** A coordinator that answers a round of joins when every member has joined again. */
export class MemoryGroup {
  readonly members = new Set<MemoryMember>();
  generation = 0;
  private readonly joining = new Map<MemoryMember, Joining>();

  join(member: MemoryMember, joining: Joining): void {
    this.joining.set(member, joining);
    this.members.add(member);
    this.announce();
    void this.maybeComplete();
  }
  leave(member: MemoryMember): void {
    this.members.delete(member);
    this.joining.delete(member);
    this.announce();
    void this.maybeComplete();
  }
  private announce(): void {
    for (const member of this.members) if (!this.joining.has(member)) member.requestRejoin('rebalance');
  }
  private async maybeComplete(): Promise<void> {
    if (this.members.size === 0 || [...this.members].some((member) => !this.joining.has(member))) return;
    const round = new Map(this.joining);
    this.joining.clear();
    const generation = ++this.generation;
    // As in Kafka, the leader stays leader while it is a member.
    const leader = [...this.members][0] as MemoryMember;
    const offers = [...round.values()].map(({ protocols }) => protocols);
    const protocol = (offers[0] ?? []).find(({ name }) => offers.every((offer) => offer.some((o) => o.name === name)));
    const name = protocol?.name ?? '';
    const assignments = await leader.options.assign(
      name,
      [...round].map(([member, { protocols }]) => ({
        memberId: member.id,
        groupInstanceId: null,
        metadata: protocols.find((offered) => offered.name === name)?.metadata ?? Buffer.alloc(0),
      })),
      generation,
    );
    for (const [member, { resolve }] of round)
      resolve({
        generation,
        memberId: member.id,
        leaderId: leader.id,
        protocol: name,
        assignment: assignments.get(member.id) ?? Buffer.alloc(0),
      });
  }
}

export class MemoryMember implements GroupMember {
  current: JoinedGroup | null = null;
  onLost: ((error: KafkaError) => void) | null = null;
  readonly sinceHeartbeatMs = 0;
  readonly joinFailure = null;
  private wanted = true;
  private held: { until: Promise<void>; release: () => void } | null = null;
  private readonly waiters = new Set<() => void>();

  constructor(
    private readonly group: MemoryGroup,
    readonly options: GroupMemberOptions,
    public id: string,
  ) {}

  get needsJoin(): boolean {
    return this.wanted;
  }
  heartbeatAtLeastEvery(): void {}
  async join(signal?: AbortSignal): Promise<JoinedGroup> {
    await this.held?.until;
    this.wanted = false;
    let abort: () => void = () => undefined;
    const joined = await new Promise<JoinedGroup>((resolve, reject) => {
      abort = () => {
        this.wanted = true;
        reject(new KafkaError('ABORTED', 'aborted'));
      };
      if (signal?.aborted) abort();
      signal?.addEventListener('abort', abort);
      this.group.join(this, { protocols: this.options.protocols(), resolve });
    }).finally(() => signal?.removeEventListener('abort', abort));
    this.current = joined;
    // In this implementation every later heartbeat is answered.
    this.options.onSessionExtended?.({ monotonic: Infinity, wall: Infinity });
    return joined;
  }
  requestRejoin(): void;
  requestRejoin(reason: string): void;
  requestRejoin(): void {
    this.wanted = true;
    for (const wake of [...this.waiters]) wake();
  }
  async whenNeedsJoin(signal?: AbortSignal): Promise<void> {
    if (this.wanted) return;
    let abort: () => void = () => undefined;
    await new Promise<void>((resolve, reject) => {
      abort = () => reject(new Error('aborted'));
      this.waiters.add(resolve);
      signal?.addEventListener('abort', abort);
    }).finally(() => signal?.removeEventListener('abort', abort));
  }
  async leave(): Promise<void> {
    this.current = null;
    this.wanted = true;
    this.group.leave(this);
  }
  async close(): Promise<void> {
    this.current = null;
  }
  /** Its next joins do not reach the coordinator until they are released. */
  hold(): void {
    let release: () => void = () => undefined;
    const until = new Promise<void>((resolve) => (release = resolve));
    this.held = { until, release };
  }
  release(): void {
    this.held?.release();
    this.held = null;
  }
  /** As if the session had expired: the coordinator knows its next join by another id. */
  expire(): void {
    this.current = null;
    this.group.leave(this);
    this.id += '*';
    this.onLost?.(new KafkaError('SESSION_EXPIRED', 'expired', { retriable: true }));
    this.requestRejoin();
  }
}
