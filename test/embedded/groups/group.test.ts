/** The group state machine against Kafka's rules for the classic protocol (kafka-client §4). */
import { ErrorCode } from '../../../packages/embedded/src/protocol/errors';
import { got, GroupHarness, REBALANCE_MS, SESSION_MS } from './group-harness';

const text = (bytes: Buffer): string => bytes.toString();

describe('joining', () => {
  it('kafka-client 4: the first member leads generation 1 and gets the list of members', () => {
    const h = new GroupHarness();
    const joined = got(h.join());
    expect(joined).toMatchObject({ errorCode: 0, generationId: 1, protocolType: 'consumer', protocolName: 'range' });
    expect(joined.leader).toBe(joined.memberId);
    expect(joined.memberId).toMatch(/^client-[0-9a-f-]{36}$/);
    expect(joined.members).toEqual([{ memberId: joined.memberId, groupInstanceId: null, metadata: Buffer.from('m') }]);
    expect(h.group.state).toBe('CompletingRebalance');
  });

  it('kafka-client 4: JoinGroup v4: MEMBER_ID_REQUIRED first, then a join with the assigned id', () => {
    const h = new GroupHarness();
    const first = got(h.join({ requireKnownMemberId: true }));
    expect(first.errorCode).toBe(ErrorCode.MEMBER_ID_REQUIRED);
    expect(h.group.members.size).toBe(0);
    const second = got(h.join({ requireKnownMemberId: true, memberId: first.memberId }));
    expect(second).toMatchObject({ errorCode: 0, memberId: first.memberId, generationId: 1 });
  });

  it('member id: unused for the session timeout, it is removed', () => {
    const h = new GroupHarness();
    const { memberId } = got(h.join({ requireKnownMemberId: true }));
    h.clock.advance(SESSION_MS);
    expect(got(h.join({ memberId })).errorCode).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
    expect(h.group.isIdle).toBe(true);
    expect(h.clock.waiting).toBe(0);
  });

  it('member id: one that was never assigned is UNKNOWN_MEMBER_ID', () => {
    expect(got(new GroupHarness().join({ memberId: 'invented' })).errorCode).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
  });

  it.each([
    ['no protocols', { protocols: [] }],
    ['no protocol type', { protocolType: '' }],
    ['another protocol type', { protocolType: 'connect' }],
    ['no protocol that all speak', { protocols: [{ name: 'sticky', metadata: Buffer.alloc(0) }] }],
  ])('%s: INCONSISTENT_GROUP_PROTOCOL', (_, request) => {
    const h = new GroupHarness();
    h.stable(1);
    expect(got(h.join(request)).errorCode).toBe(ErrorCode.INCONSISTENT_GROUP_PROTOCOL);
    expect(h.group.state).toBe('Stable');
  });

  it('any protocol type has a group: connect', () => {
    const protocols = [
      { name: 'sessioned', metadata: Buffer.from([1]) },
      { name: 'default', metadata: Buffer.from([2]) },
    ];
    expect(got(new GroupHarness().join({ protocolType: 'connect', protocols }))).toMatchObject({
      errorCode: 0,
      protocolType: 'connect',
      protocolName: 'sessioned',
      members: [{ metadata: Buffer.from([1]) }],
    });
  });

  it('protocol: each member votes for its first one that all members support', () => {
    const offer = (...names: string[]) => ({ protocols: names.map((name) => ({ name, metadata: Buffer.from(name) })) });
    const h = new GroupHarness();
    const joined = h.stable(3, (i) => [offer('a', 'b', 'c'), offer('c', 'b'), offer('c', 'b', 'x')][i] ?? {});
    expect(joined.map(({ protocolName }) => protocolName)).toEqual(['c', 'c', 'c']);
  });

  it('group.initial.rebalance.delay.ms: new members extend the delay, up to the rebalance timeout', () => {
    const h = new GroupHarness(3_000);
    const a = h.join();
    h.clock.advance(2_000);
    const b = h.join();
    h.clock.advance(2_000);
    expect(a.value).toBeNull();
    h.clock.advance(2_000);
    expect(got(a)).toMatchObject({ errorCode: 0, generationId: 1 });
    expect(got(a).members).toHaveLength(2);
    expect(got(b)).toMatchObject({ generationId: 1, members: [], leader: got(a).memberId });
  });

  it('group.initial.rebalance.delay.ms: a single member waits for one delay', () => {
    const h = new GroupHarness(3_000);
    const a = h.join();
    h.clock.advance(2_999);
    expect(a.value).toBeNull();
    h.clock.advance(1);
    expect(got(a).generationId).toBe(1);
  });
});

describe('syncing', () => {
  it('followers wait for the assignments of the leader', () => {
    const h = new GroupHarness();
    const [leader, follower] = h.stable(2);
    expect(h.group.state).toBe('Stable');
    expect(text(got(h.sync(follower!)).assignment)).toBe('a1');
    expect(text(got(h.sync(leader!)).assignment)).toBe('a0');
    expect(h.settled).toEqual(['Stable 2']);
  });

  it('SyncGroup: a member without an assignment of the leader gets an empty one', () => {
    const h = new GroupHarness();
    const joined = got(h.join());
    expect(got(h.sync(joined)).assignment).toHaveLength(0);
  });

  it('SyncGroup: wrong generation, member or protocol is an error', () => {
    const h = new GroupHarness();
    const [joined] = h.stable(1);
    const sync = (request: object) => {
      let errorCode: number | null = null;
      const base = { memberId: joined!.memberId, groupInstanceId: null, generationId: 1, assignments: [] };
      h.group.sync({ ...base, protocolType: null, protocolName: null, ...request }, (r) => (errorCode = r.errorCode));
      return errorCode;
    };
    expect(sync({})).toBe(0);
    expect(sync({ protocolType: 'consumer', protocolName: 'range' })).toBe(0);
    expect(sync({ generationId: 0 })).toBe(ErrorCode.ILLEGAL_GENERATION);
    expect(sync({ memberId: 'other' })).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
    expect(sync({ groupInstanceId: 'i' })).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
    expect(sync({ protocolType: 'connect' })).toBe(ErrorCode.INCONSISTENT_GROUP_PROTOCOL);
    expect(sync({ protocolName: 'sticky' })).toBe(ErrorCode.INCONSISTENT_GROUP_PROTOCOL);
  });

  it('SyncGroup: a waiting follower gets REBALANCE_IN_PROGRESS when a rebalance starts', () => {
    const h = new GroupHarness();
    const [leader, follower] = h.stable(2);
    h.join({ memberId: leader!.memberId });
    const again = got(h.join({ memberId: follower!.memberId }));
    const waiting = h.sync(again);
    expect(waiting.value).toBeNull();
    h.join();
    expect(got(waiting).errorCode).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
  });

  it('SyncGroup: members that do not send it are removed after the rebalance timeout', () => {
    const h = new GroupHarness();
    const [leader, follower] = h.stable(2, () => ({ sessionTimeoutMs: 10 * REBALANCE_MS }));
    const a = h.join({ memberId: leader!.memberId, sessionTimeoutMs: 10 * REBALANCE_MS });
    h.join({ memberId: follower!.memberId, sessionTimeoutMs: 10 * REBALANCE_MS });
    h.sync(got(a));
    h.clock.advance(REBALANCE_MS);
    expect([...h.group.members.keys()]).toEqual([leader!.memberId]);
    expect(h.heartbeat(got(a))).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
  });
});

describe('rebalancing', () => {
  it('new member: heartbeats of the others return REBALANCE_IN_PROGRESS until they rejoin', () => {
    const h = new GroupHarness();
    const [a, b] = h.stable(2);
    const c = h.join();
    expect(c.value).toBeNull();
    expect(h.heartbeat(a!)).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
    expect(got(h.sync(a!)).errorCode).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
    const again = h.join({ memberId: a!.memberId });
    h.join({ memberId: b!.memberId });
    expect(got(c)).toMatchObject({ errorCode: 0, generationId: 3, leader: a!.memberId, members: [] });
    expect(got(again).members).toHaveLength(3);
    expect(h.heartbeat(a!)).toBe(ErrorCode.ILLEGAL_GENERATION);
    expect(h.heartbeat(got(again))).toBe(0);
  });

  it('rebalance timeout: a member that does not rejoin is removed, the leader too', () => {
    const h = new GroupHarness();
    const long = { sessionTimeoutMs: 10 * REBALANCE_MS };
    const [a, b] = h.stable(2, () => long);
    const back = h.join({
      ...long,
      memberId: b!.memberId,
      protocols: [{ name: 'range', metadata: Buffer.from('new') }],
    });
    h.clock.advance(REBALANCE_MS - 1);
    expect(back.value).toBeNull();
    h.clock.advance(1);
    expect(got(back)).toMatchObject({ generationId: 3, leader: b!.memberId });
    expect(h.heartbeat(a!)).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
  });

  it('JoinGroup with unchanged metadata: of a follower no rebalance, of the leader a rebalance', () => {
    const h = new GroupHarness();
    const [leader, follower] = h.stable(2);
    expect(got(h.join({ memberId: follower!.memberId }))).toMatchObject({ generationId: 2, members: [] });
    expect(h.group.state).toBe('Stable');
    expect(h.join({ memberId: leader!.memberId }).value).toBeNull();
    expect(h.group.state).toBe('PreparingRebalance');
  });

  it('JoinGroup: a lost response is repeated', () => {
    const h = new GroupHarness();
    const joined = got(h.join());
    expect(got(h.join({ memberId: joined.memberId }))).toEqual(joined);
  });

  it('JoinGroup: a join that is sent twice answers both requests', () => {
    const h = new GroupHarness();
    const [a] = h.stable(2);
    h.join();
    const lost = h.join({ memberId: a!.memberId });
    h.join({ memberId: a!.memberId });
    expect(got(lost).errorCode).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
  });
});

describe('sessions', () => {
  it('session timeout: without heartbeats a member is removed and the group rebalances', () => {
    const h = new GroupHarness();
    const [a, b] = h.stable(2);
    h.clock.advance(SESSION_MS / 2);
    expect(h.heartbeat(a!)).toBe(0);
    h.clock.advance(SESSION_MS / 2);
    expect(h.heartbeat(b!)).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
    expect(h.heartbeat(a!)).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
    expect(got(h.join({ memberId: a!.memberId }))).toMatchObject({ generationId: 3 });
  });

  it('session timeout: does not expire while JoinGroup waits for other members', () => {
    const h = new GroupHarness();
    const long = { sessionTimeoutMs: 10 * REBALANCE_MS };
    const [a, b] = h.stable(2, (i) => (i === 0 ? long : {}));
    const waiting = h.join({ memberId: b!.memberId, protocols: [{ name: 'range', metadata: Buffer.from('new') }] });
    h.clock.advance(2 * SESSION_MS);
    expect(waiting.value).toBeNull();
    h.join({ ...long, memberId: a!.memberId });
    expect(got(waiting)).toMatchObject({ errorCode: 0, generationId: 3 });
  });

  it('session timeout: continues after a rejected SyncGroup', () => {
    const h = new GroupHarness();
    const [a, b] = h.stable(2);
    h.join({ memberId: a!.memberId });
    const again = got(h.join({ memberId: b!.memberId }));
    h.sync(again);
    // While it waits its timer passes; the refusal must start it anew.
    h.clock.advance(SESSION_MS);
    h.join();
    h.clock.advance(SESSION_MS);
    expect(h.heartbeat(again)).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
  });

  it('last member leaves: the group is Empty in the next generation, without timers', () => {
    const h = new GroupHarness();
    h.stable(1);
    h.clock.advance(SESSION_MS);
    expect([h.group.state, h.group.generation, h.group.protocolName, h.group.leaderId]).toEqual([
      'Empty',
      2,
      null,
      null,
    ]);
    expect(h.settled).toEqual(['Stable 1', 'Empty 2']);
    expect(h.clock.waiting).toBe(0);
  });
});

describe('leaving', () => {
  it('LeaveGroup: the other members rebalance at once', () => {
    const h = new GroupHarness();
    const [a, b] = h.stable(2);
    expect(h.leave(a!.memberId)).toBe(0);
    expect(h.leave(a!.memberId)).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
    expect(got(h.join({ memberId: b!.memberId }))).toMatchObject({ generationId: 3, leader: b!.memberId });
  });

  it('LeaveGroup: the pending JoinGroup of the member gets UNKNOWN_MEMBER_ID', () => {
    const h = new GroupHarness();
    h.stable(2);
    const waiting = h.join();
    h.leave([...h.group.members.keys()][2]!);
    expect(got(waiting).errorCode).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
  });

  it('LeaveGroup: an assigned id that never joined is removed, and the group does not wait for it', () => {
    const h = new GroupHarness();
    const [a] = h.stable(1);
    const { memberId } = got(h.join({ requireKnownMemberId: true }));
    const waiting = h.join({ memberId: a!.memberId });
    expect(waiting.value).toBeNull();
    expect(h.leave(memberId)).toBe(0);
    expect(got(waiting).generationId).toBe(2);
  });
});

describe('static members', () => {
  const named = (groupInstanceId: string) => ({ groupInstanceId });

  it('restart: the member keeps its assignment without a rebalance, and the old process is fenced', () => {
    const h = new GroupHarness();
    const [leader, old] = h.stable(2, (i) => named(`i${i}`));
    const reborn = got(h.join(named('i1')));
    expect(reborn).toMatchObject({ errorCode: 0, generationId: 2, leader: leader!.memberId, members: [] });
    expect(reborn.memberId).not.toBe(old!.memberId);
    expect(text(got(h.sync(reborn, {}, 'i1')).assignment)).toBe('a1');
    expect(h.heartbeat(reborn, 'i1')).toBe(0);
    expect(h.heartbeat(old!, 'i1')).toBe(ErrorCode.FENCED_INSTANCE_ID);
    expect(got(h.sync(old!, {}, 'i1')).errorCode).toBe(ErrorCode.FENCED_INSTANCE_ID);
    expect(h.leave(old!.memberId, 'i1')).toBe(ErrorCode.FENCED_INSTANCE_ID);
    expect(got(h.join({ ...named('i1'), memberId: old!.memberId })).errorCode).toBe(ErrorCode.FENCED_INSTANCE_ID);
  });

  it('restart of the leader: no new assignment, and it leads the next generation', () => {
    const h = new GroupHarness();
    const [old, follower] = h.stable(2, (i) => named(`i${i}`));
    const reborn = got(h.join(named('i0')));
    expect(reborn).toMatchObject({ generationId: 2, leader: old!.memberId, members: [] });
    expect(text(got(h.sync(reborn, {}, 'i0')).assignment)).toBe('a0');
    const newcomer = h.join();
    h.join({ ...named('i1'), memberId: follower!.memberId });
    h.join({ ...named('i0'), memberId: reborn.memberId });
    expect(got(newcomer)).toMatchObject({ generationId: 3, leader: reborn.memberId });
  });

  it('restart: a pending request of the replaced member is fenced at once', () => {
    const h = new GroupHarness();
    h.stable(2, (i) => named(`i${i}`));
    const newcomer = h.join(named('i2'));
    const waiting = h.join(named('i2'));
    expect(got(newcomer).errorCode).toBe(ErrorCode.FENCED_INSTANCE_ID);
    expect(waiting.value).toBeNull();
  });

  it('rebalance: an absent static member stays in the group until its session ends', () => {
    const h = new GroupHarness();
    const long = { sessionTimeoutMs: 10 * REBALANCE_MS };
    const [a, away] = h.stable(2, (i) => ({ ...named(`i${i}`), ...long }));
    const again = h.join({ ...named('i0'), ...long, memberId: a!.memberId });
    h.clock.advance(REBALANCE_MS);
    expect(got(again).members.map(({ groupInstanceId }) => groupInstanceId)).toEqual(['i0', 'i1']);
    expect(h.group.members.has(away!.memberId)).toBe(true);
  });

  it('rebalance: without a rejoined member there is no leader, and the group waits', () => {
    const h = new GroupHarness();
    const long = { sessionTimeoutMs: 10 * REBALANCE_MS };
    const [a, b] = h.stable(2, (i) => ({ ...named(`i${i}`), ...long }));
    const newcomer = h.join({ rebalanceTimeoutMs: REBALANCE_MS });
    expect(h.leave([...h.group.members.keys()][2]!)).toBe(0);
    expect(got(newcomer).errorCode).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
    h.clock.advance(REBALANCE_MS);
    expect(h.group.state).toBe('PreparingRebalance');
    const back = h.join({ ...named('i1'), ...long, memberId: b!.memberId });
    h.clock.advance(REBALANCE_MS);
    expect(got(back)).toMatchObject({ leader: b!.memberId, generationId: 3 });
    expect(h.group.members.has(a!.memberId)).toBe(true);
  });

  it('LeaveGroup by group.instance.id alone removes the member', () => {
    const h = new GroupHarness();
    h.stable(1, () => named('i0'));
    expect(h.leave('', 'other')).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
    expect(h.leave('', 'i0')).toBe(0);
    expect(h.group.state).toBe('Empty');
  });
});

describe('commits', () => {
  const nobody = { memberId: '', groupInstanceId: null };

  it('OffsetCommit: without a member id only while the group is empty', () => {
    const h = new GroupHarness();
    expect(h.group.checkCommit(nobody, -1, false)).toBe(0);
    const [joined] = h.stable(1);
    const me = { memberId: joined!.memberId, groupInstanceId: null };
    expect(h.group.checkCommit(nobody, -1, false)).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
    expect(h.group.checkCommit(me, 1, false)).toBe(0);
    expect(h.group.checkCommit(me, 0, false)).toBe(ErrorCode.ILLEGAL_GENERATION);
    expect(h.group.checkCommit({ ...me, memberId: 'other' }, 1, false)).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
    expect(h.group.checkCommit(nobody, -1, true)).toBe(0);
  });

  it('OffsetCommit during a rebalance: accepted before the join completes, REBALANCE_IN_PROGRESS until the sync', () => {
    const h = new GroupHarness();
    const [joined] = h.stable(1);
    const newcomer = h.join();
    const me = { memberId: joined!.memberId, groupInstanceId: null };
    expect(h.group.checkCommit(me, 1, false)).toBe(0);
    h.join({ memberId: joined!.memberId });
    expect(got(newcomer).generationId).toBe(2);
    expect(h.group.checkCommit(me, 2, false)).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
    expect(h.group.checkCommit(me, 1, false)).toBe(ErrorCode.ILLEGAL_GENERATION);
  });

  it('OffsetCommit renews the session', () => {
    const h = new GroupHarness();
    const [joined] = h.stable(1);
    h.clock.advance(SESSION_MS - 1);
    h.group.checkCommit({ memberId: joined!.memberId, groupInstanceId: null }, 1, false);
    h.clock.advance(SESSION_MS - 1);
    expect(h.heartbeat(joined!)).toBe(0);
  });
});

it('DeleteGroups: pending requests of the group are rejected', () => {
  const h = new GroupHarness();
  const [a] = h.stable(2);
  const waiting = h.join();
  h.group.close();
  expect(got(waiting).errorCode).toBe(ErrorCode.COORDINATOR_NOT_AVAILABLE);
  expect(h.heartbeat(a!)).toBe(ErrorCode.COORDINATOR_NOT_AVAILABLE);
  expect(got(h.join()).errorCode).toBe(ErrorCode.COORDINATOR_NOT_AVAILABLE);
  expect(h.clock.waiting).toBe(0);
});
