/** Whether the leader waits until the others know what they must stop. */
import { encodeMetadata, type MemberMetadata } from '../../../src/cluster/group/connect-protocol';
import { Membership } from '../../../src/cluster/group/membership';
import { NO_WORK, type Work } from '../../../src/cluster/group/work';
import type {
  GroupMember,
  GroupMemberInfo,
  GroupMemberOptions,
  JoinedGroup,
} from '../../../packages/kafka-client/src/port';
import { SessionLease } from '../../../src/tasks/session-lease';
import { silentLogger } from '../../../src/logging/logger';
import { GroupMetrics } from '../../../src/metrics/group-metrics';
import { DEFAULT_SAMPLE_WINDOWS } from '../../../src/metrics/task-metrics';
import { ConfigSnapshot } from '../../../src/storage/config/config-snapshot';
import { MemoryKafka } from '../memory-kafka';

const OWN = 'leader';
const snapshot = new ConfigSnapshot({
  offset: 1,
  connectorConfigs: new Map([['c', {}]]),
  targetStates: new Map(),
  taskConfigs: new Map(),
  taskCounts: new Map(),
  inconsistent: new Set(),
  uncommitted: new Set(),
  appliedConfigs: new Map(),
  generations: new Map(),
  taskCountRecords: new Map(),
  pendingFencing: new Set(),
  sessionKey: null,
});

/** A group in which `other` joins with its reported work, and this worker leads and runs connector c. */
class LeadMember implements GroupMember {
  current: JoinedGroup | null = null;
  needsJoin = false;
  onLost = null;
  readonly sinceHeartbeatMs = 0;
  readonly joinFailure = null;
  other: Work = NO_WORK;
  announce: () => void = () => undefined;
  waitedFor = false;

  constructor(private readonly options: GroupMemberOptions) {}
  heartbeatAtLeastEvery(): void {}
  async join(): Promise<JoinedGroup> {
    const [{ name, metadata }] = this.options.protocols() as [{ name: string; metadata: Buffer }];
    const generation = (this.current?.generation ?? 0) + 1;
    const assignment = { configMismatch: false, leader: OWN, leaderUrl: 'http://w1/', configOffset: 1, delay: 0 };
    const said: MemberMetadata = {
      url: 'http://w2/',
      configOffset: 1,
      allocation: { ...assignment, assigned: this.other, revoked: NO_WORK },
    };
    const member = (memberId: string, bytes: Buffer): GroupMemberInfo => ({
      memberId,
      groupInstanceId: null,
      metadata: bytes,
    });
    const members = [member(OWN, metadata)];
    if (generation > 1) members.push(member('other', encodeMetadata('sessioned', said)));
    const assignments = await this.options.assign(name, members, generation);
    this.current = {
      generation,
      memberId: OWN,
      leaderId: OWN,
      protocol: name,
      assignment: assignments.get(OWN) ?? Buffer.alloc(0),
    };
    return this.current;
  }
  requestRejoin(): void {}
  async whenNeedsJoin(): Promise<void> {
    this.waitedFor = true;
    await new Promise<void>((resolve) => (this.announce = resolve));
  }
  async leave(): Promise<void> {}
  async close(): Promise<void> {}
}

async function leading(other: Work): Promise<{ membership: Membership; member: LeadMember }> {
  let member: LeadMember | undefined;
  const kafka = new MemoryKafka();
  const membership = new Membership({
    clients: Object.assign(kafka, {
      groupMember: (_: unknown, options: GroupMemberOptions) => (member = new LeadMember(options)),
    }),
    client: {},
    settings: {
      groupId: 'g',
      connectProtocol: 'sessioned',
      sessionTimeoutMs: 1,
      heartbeatIntervalMs: 1,
      rebalanceTimeoutMs: 1,
      scheduledRebalanceMaxDelayMs: 0,
    },
    workerUrl: 'http://w1/',
    ranOn: () => null,
    configs: { newest: () => snapshot, coverByRebalance: () => snapshot, offset: snapshot.offset },
    lease: new SessionLease(1),
    onMember: () => undefined,
    wake: () => undefined,
    metrics: GroupMetrics.create(DEFAULT_SAMPLE_WINDOWS),
    logger: silentLogger,
  });
  const found = member as unknown as LeadMember;
  await membership.join({ stop: async () => undefined, cancelLost: async () => undefined });
  expect(membership.work.connectors).toEqual(['c']);
  found.other = other;
  await membership.join({ stop: async () => undefined, cancelLost: async () => undefined });
  return { membership, member: found };
}

test('connect-runtime 42: work reported twice is revoked from both, and the leader waits for the other member before it rejoins', async () => {
  const { membership, member } = await leading({ connectors: ['c'], tasks: [] });
  expect(membership.assignment?.revoked.connectors).toEqual(['c']);
  let heard = false;
  const waiting = membership.awaitRevocations().then(() => (heard = true));
  // Not by a turn of the event loop: on a slow machine the timeout has expired by then.
  for (let step = 0; step < 100; step++) await null;
  expect(heard).toBe(false);
  member.announce();
  await waiting;
});

test('there is no wait when the other members lose nothing', async () => {
  const { membership, member } = await leading(NO_WORK);
  member.waitedFor = false;
  await membership.awaitRevocations();
  expect(member.waitedFor).toBe(false);
});
