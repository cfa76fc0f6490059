/** What a member does and reports while the leader waits for departed workers. */
import { decodeMetadata, encodeAssignment } from '../../../src/cluster/group/connect-protocol';
import { Membership } from '../../../src/cluster/group/membership';
import { NO_WORK } from '../../../src/cluster/group/work';
import type { GroupMember, GroupMemberOptions, JoinedGroup } from '../../../packages/kafka-client/src/port';
import { silentLogger } from '../../../src/logging/logger';
import { GroupMetrics } from '../../../src/metrics/group-metrics';
import { DEFAULT_SAMPLE_WINDOWS } from '../../../src/metrics/task-metrics';
import { ConfigState } from '../../../src/storage/config/config-state';
import { SessionLease } from '../../../src/tasks/session-lease';
import { MemoryKafka } from '../memory-kafka';

/** Follows a leader that assigns nothing, because `missing` workers are expected back. */
class Follower implements GroupMember {
  current: JoinedGroup | null = null;
  needsJoin = true;
  onLost = null;
  readonly sinceHeartbeatMs = 0;
  readonly joinFailure = null;
  missing: ReadonlyMap<string, number> | undefined;
  /** Of each join: what it reports as missing. */
  readonly reported: (ReadonlyMap<string, number> | undefined)[] = [];
  readonly limits: (number | null)[] = [];

  constructor(private readonly options: GroupMemberOptions) {}
  async join(): Promise<JoinedGroup> {
    const [{ name, metadata }] = this.options.protocols() as [{ name: 'sessioned'; metadata: Buffer }];
    const { reserves, allocation } = decodeMetadata(metadata);
    expect(reserves).toBe(true);
    this.reported.push(allocation?.missing);
    const assignment = encodeAssignment(name, {
      ...{ configMismatch: false, leader: 'other', leaderUrl: 'http://w2:8083/', configOffset: 1 },
      ...{ assigned: NO_WORK, revoked: NO_WORK, delay: 0, missing: this.missing },
    });
    this.current = { generation: 1, memberId: 'own', leaderId: 'other', protocol: name, assignment };
    return this.current;
  }
  heartbeatAtLeastEvery(limitMs: number | null): void {
    this.limits.push(limitMs);
  }
  requestRejoin(): void {}
  async whenNeedsJoin(): Promise<void> {
    await new Promise(() => undefined);
  }
  async leave(): Promise<void> {}
  async close(): Promise<void> {}
}

test('reports how long the workers may still be away, and sends more heartbeats only while some are', async () => {
  let clock = 0;
  let follower: Follower | undefined;
  const snapshot = new ConfigState().snapshot();
  const membership = new Membership({
    clients: Object.assign(new MemoryKafka(), {
      groupMember: (_: unknown, options: GroupMemberOptions) => (follower = new Follower(options)),
    }),
    client: {},
    settings: {
      groupId: 'g',
      connectProtocol: 'sessioned',
      sessionTimeoutMs: 1,
      heartbeatIntervalMs: 1,
      rebalanceTimeoutMs: 1,
      scheduledRebalanceMaxDelayMs: 20_000,
    },
    workerUrl: 'http://w1:8083/',
    ranOn: () => null,
    configs: { newest: () => snapshot, coverByRebalance: () => snapshot, offset: snapshot.offset },
    lease: new SessionLease(1),
    onMember: () => undefined,
    wake: () => undefined,
    metrics: GroupMetrics.create(DEFAULT_SAMPLE_WINDOWS),
    logger: silentLogger,
    now: () => clock,
  });
  const member = follower as unknown as Follower;
  const join = async (missing?: Record<string, number>): Promise<void> => {
    member.missing = missing && new Map(Object.entries(missing));
    await membership.join({ stop: async () => undefined, cancelLost: async () => undefined });
  };
  await join({ 'w3:8083': 7_000, 'w4:8083': 1_000 });
  clock += 2_000;
  await join({});
  await join();
  await join();
  expect(member.reported).toEqual([
    undefined,
    new Map([
      ['w3:8083', 5_000],
      ['w4:8083', 0],
    ]),
    new Map(),
    undefined,
  ]);
  expect(member.limits).toEqual([500, null, null, null]);
});
