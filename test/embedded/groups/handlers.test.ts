/** Groups and offsets as clients meet them (kafka-client §4). */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as api from '@millrace/kafka-protocol';
import { TXN_OFFSET_COMMIT } from '@millrace/kafka-protocol';
import { ErrorCode } from '../../../packages/embedded/src/protocol/errors';
import { CoordinatorsHarness } from '../coordinators-harness';

const consumerMetadata = (...topics: string[]): Buffer =>
  Buffer.concat([
    Buffer.from([0, 1, 0, 0, 0, topics.length]),
    ...topics.map((topic) => Buffer.concat([Buffer.from([0, topic.length]), Buffer.from(topic)])),
    Buffer.alloc(4),
  ]);
const JOIN = {
  groupId: 'g',
  sessionTimeoutMs: 10_000,
  rebalanceTimeoutMs: 60_000,
  protocolType: 'consumer',
  protocols: [{ name: 'range', metadata: consumerMetadata('t') }],
};
const offset = (partitionIndex: number, committedOffset: number, committedMetadata: string | null = '') => ({
  partitionIndex,
  committedOffset,
  committedLeaderEpoch: 3,
  committedMetadata,
});
const commitOf = (...partitions: ReturnType<typeof offset>[]) => ({
  groupId: 'g',
  topics: [{ name: 't', partitions }],
});
/** The last version of OffsetFetch that asks about one group only. */
const ONE_GROUP = 7;
const askFor = (...partitionIndexes: number[]) => ({ groupId: 'g', topics: [{ name: 't', partitionIndexes }] });

async function member(h: CoordinatorsHarness, request: object = {}) {
  const { memberId } = await h.ask(api.JOIN_GROUP, { ...JOIN, ...request }, 4);
  const joined = await h.ask(api.JOIN_GROUP, { ...JOIN, ...request, memberId }, 4);
  const assignments = [{ memberId, assignment: Buffer.from('mine') }];
  await h.ask(api.SYNC_GROUP, { groupId: 'g', memberId, generationId: joined.generationId, assignments });
  return { groupId: 'g', memberId, generationId: joined.generationId };
}

async function codes(h: CoordinatorsHarness, request: object): Promise<number[]> {
  const { topics } = await h.ask(api.OFFSET_COMMIT, request);
  return topics.flatMap(({ partitions }) => partitions.map(({ errorCode }) => errorCode));
}

async function fetched(h: CoordinatorsHarness, request: object = askFor(0, 1)): Promise<number[]> {
  const { topics } = await h.ask(api.OFFSET_FETCH, request, ONE_GROUP);
  return topics.flatMap(({ partitions }) => partitions.map(({ committedOffset }) => committedOffset));
}

describe('membership', () => {
  it('MEMBER_ID_REQUIRED since v4, not before', async () => {
    const h = await CoordinatorsHarness.open();
    expect((await h.ask(api.JOIN_GROUP, JOIN, 4)).errorCode).toBe(ErrorCode.MEMBER_ID_REQUIRED);
    expect((await h.ask(api.JOIN_GROUP, { ...JOIN, groupId: 'old' }, 3)).errorCode).toBe(0);
  });

  it.each([
    ['no group id', { groupId: '' }, ErrorCode.INVALID_GROUP_ID],
    ['a session too short', { sessionTimeoutMs: 5_999 }, ErrorCode.INVALID_SESSION_TIMEOUT],
    ['a session too long', { sessionTimeoutMs: 1_800_001 }, ErrorCode.INVALID_SESSION_TIMEOUT],
    ['a member of a group that is not there', { memberId: 'm' }, ErrorCode.UNKNOWN_MEMBER_ID],
  ])('joining with %s', async (_, request, errorCode) => {
    const h = await CoordinatorsHarness.open();
    expect((await h.ask(api.JOIN_GROUP, { ...JOIN, ...request })).errorCode).toBe(errorCode);
  });

  it('a missing group: UNKNOWN_MEMBER_ID for members that claim to be in it', async () => {
    const h = await CoordinatorsHarness.open();
    const me = { groupId: 'g', memberId: 'm', generationId: 1 };
    expect((await h.ask(api.HEARTBEAT, me)).errorCode).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
    expect((await h.ask(api.SYNC_GROUP, me)).errorCode).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
    expect((await h.ask(api.LEAVE_GROUP, me, 2)).errorCode).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
    const members = [{ memberId: 'm', groupInstanceId: null, reason: null }];
    expect(await h.ask(api.LEAVE_GROUP, { groupId: 'g', members })).toEqual({
      errorCode: 0,
      members: [{ memberId: 'm', groupInstanceId: null, errorCode: ErrorCode.UNKNOWN_MEMBER_ID }],
    });
  });

  it('LeaveGroup v3: several members at once', async () => {
    const h = await CoordinatorsHarness.open();
    const { memberId } = await member(h);
    const members = ['nobody', memberId].map((id) => ({ memberId: id, groupInstanceId: null, reason: null }));
    const left = await h.ask(api.LEAVE_GROUP, { groupId: 'g', members });
    expect(left.members.map(({ errorCode }) => errorCode)).toEqual([ErrorCode.UNKNOWN_MEMBER_ID, 0]);
    expect((await h.ask(api.DESCRIBE_GROUPS, { groups: ['g'] })).groups[0]!.groupState).toBe('Empty');
  });
});

describe('administration', () => {
  it('DescribeGroups: a stable group, an unstable one without metadata, a missing one as Dead', async () => {
    const h = await CoordinatorsHarness.open();
    const { memberId } = await member(h);
    const described = async () => (await h.ask(api.DESCRIBE_GROUPS, { groups: ['g', 'x'] })).groups;
    const [stable, absent] = await described();
    expect(stable).toMatchObject({ groupState: 'Stable', protocolType: 'consumer', protocolData: 'range' });
    expect(stable!.members).toEqual([
      {
        memberId,
        groupInstanceId: null,
        clientId: 'client',
        clientHost: '/127.0.0.1',
        memberMetadata: consumerMetadata('t'),
        memberAssignment: Buffer.from('mine'),
      },
    ]);
    expect(absent).toMatchObject({ errorCode: 0, groupState: 'Dead', members: [] });
    void h.ask(api.JOIN_GROUP, JOIN, 3);
    expect((await described())[0]).toMatchObject({ groupState: 'PreparingRebalance', protocolData: '' });
  });

  it('lists groups, by state since v4', async () => {
    const h = await CoordinatorsHarness.open();
    await member(h);
    await h.ask(api.OFFSET_COMMIT, { ...commitOf(offset(0, 1)), groupId: 'offsets-only' });
    const listed = async (...statesFilter: string[]) =>
      (await h.ask(api.LIST_GROUPS, { statesFilter })).groups.map(
        ({ groupId, groupState }) => `${groupId} ${groupState}`,
      );
    expect(await listed()).toEqual(['g Stable', 'offsets-only Empty']);
    expect(await listed('empty')).toEqual(['offsets-only Empty']);
  });

  it('DeleteGroups: empty groups only, with their offsets', async () => {
    const h = await CoordinatorsHarness.open();
    const me = await member(h);
    await h.ask(api.OFFSET_COMMIT, { ...commitOf(offset(0, 1)), ...me, generationIdOrMemberEpoch: 1 });
    const doomed = async () =>
      (await h.ask(api.DELETE_GROUPS, { groupsNames: ['g', 'x'] })).results.map((r) => r.errorCode);
    expect(await doomed()).toEqual([ErrorCode.NON_EMPTY_GROUP, ErrorCode.GROUP_ID_NOT_FOUND]);
    await h.ask(api.LEAVE_GROUP, me, 2);
    expect(await doomed()).toEqual([0, ErrorCode.GROUP_ID_NOT_FOUND]);
    expect(await fetched(h)).toEqual([-1, -1]);
    expect((await h.ask(api.LIST_GROUPS, {})).groups).toEqual([]);
  });

  it('deletes offsets of topics without consumers', async () => {
    const h = await CoordinatorsHarness.open();
    h.partitions.topics.add('other');
    const request = {
      groupId: 'g',
      topics: ['t', 'other', 'gone'].map((name) => ({ name, partitions: [{ partitionIndex: 0 }] })),
    };
    const deleted = async () => {
      const { errorCode, topics } = await h.ask(api.OFFSET_DELETE, request);
      return [errorCode, ...(topics ?? []).map(({ partitions }) => partitions[0]!.errorCode)];
    };
    expect(await deleted()).toEqual([ErrorCode.GROUP_ID_NOT_FOUND]);
    await h.ask(api.OFFSET_COMMIT, { groupId: 'g', topics: [{ name: 'other', partitions: [offset(0, 5)] }] });
    await member(h);
    const [none, subscribed, unknown] = [0, ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION];
    expect(await deleted()).toEqual([none, subscribed, none, unknown]);
    expect(await fetched(h, { groupId: 'g', topics: [{ name: 'other', partitionIndexes: [0] }] })).toEqual([-1]);
  });

  it('deletes no offsets of a group with members of another type', async () => {
    const h = await CoordinatorsHarness.open();
    await member(h, { protocolType: 'connect' });
    expect((await h.ask(api.OFFSET_DELETE, { groupId: 'g', topics: [] })).errorCode).toBe(ErrorCode.NON_EMPTY_GROUP);
  });
});

describe('committed offsets', () => {
  it('are kept per partition, with leader epoch and metadata; unknown ones are -1', async () => {
    const h = await CoordinatorsHarness.open();
    expect(await codes(h, commitOf(offset(0, 7, 'note'), offset(1, 8, null)))).toEqual([0, 0]);
    const { topics } = await h.ask(api.OFFSET_FETCH, askFor(0, 1, 2), ONE_GROUP);
    expect(topics[0]!.partitions).toEqual([
      { partitionIndex: 0, committedOffset: 7, committedLeaderEpoch: 3, metadata: 'note' },
      { partitionIndex: 1, committedOffset: 8, committedLeaderEpoch: 3, metadata: '' },
      { partitionIndex: 2, committedOffset: -1, committedLeaderEpoch: -1, metadata: '' },
    ]);
  });

  it('of several groups at once', async () => {
    const h = await CoordinatorsHarness.open();
    await h.ask(api.OFFSET_COMMIT, commitOf(offset(0, 7)));
    await h.ask(api.OFFSET_COMMIT, { ...commitOf(offset(0, 9)), groupId: 'h' });
    const { groups } = await h.ask(api.OFFSET_FETCH, { groups: [askFor(0), { groupId: 'h', topics: null }] });
    expect(groups).toMatchObject([
      { groupId: 'g', topics: [{ name: 't', partitions: [{ committedOffset: 7 }] }] },
      { groupId: 'h', topics: [{ name: 't', partitions: [{ committedOffset: 9 }] }] },
    ]);
  });

  it('of all topics at once, when none is named', async () => {
    const h = await CoordinatorsHarness.open();
    h.partitions.topics.add('other');
    await h.ask(api.OFFSET_COMMIT, commitOf(offset(0, 7), offset(1, 8)));
    await h.ask(api.OFFSET_COMMIT, { groupId: 'g', topics: [{ name: 'other', partitions: [offset(0, 9)] }] });
    expect(await fetched(h, { groupId: 'g', topics: null })).toEqual([7, 8, 9]);
    expect(await fetched(h, { groupId: 'unknown', topics: null })).toEqual([]);
  });

  it('of members: generation and member are checked', async () => {
    const h = await CoordinatorsHarness.open();
    const { memberId } = await member(h);
    const commit = (generation: number, id = memberId) =>
      codes(h, { ...commitOf(offset(0, 1)), memberId: id, generationIdOrMemberEpoch: generation });
    expect(await commit(1)).toEqual([0]);
    expect(await commit(0)).toEqual([ErrorCode.ILLEGAL_GENERATION]);
    expect(await commit(1, 'other')).toEqual([ErrorCode.UNKNOWN_MEMBER_ID]);
    expect(await commit(-1, '')).toEqual([ErrorCode.UNKNOWN_MEMBER_ID]);
  });

  it('a generation of a missing group: ILLEGAL_GENERATION', async () => {
    const h = await CoordinatorsHarness.open();
    expect(await codes(h, { ...commitOf(offset(0, 1)), memberId: 'm', generationIdOrMemberEpoch: 4 })).toEqual([
      ErrorCode.ILLEGAL_GENERATION,
    ]);
  });

  it('an error of one partition does not affect the others', async () => {
    const h = await CoordinatorsHarness.open();
    const partitions = [offset(0, 1), offset(1, 2, 'x'.repeat(4097)), offset(9, 3)];
    const tooLarge = ErrorCode.OFFSET_METADATA_TOO_LARGE;
    expect(await codes(h, commitOf(...partitions))).toEqual([0, tooLarge, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]);
    expect(await fetched(h, askFor(0, 1, 9))).toEqual([1, -1, -1]);
  });

  it('are deleted with their topic', async () => {
    const h = await CoordinatorsHarness.open();
    await h.ask(api.OFFSET_COMMIT, commitOf(offset(0, 7)));
    await h.broker.deleteCommittedOffsets('t');
    expect(await fetched(h)).toEqual([-1, -1]);
  });
});

describe('after a restart', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'millrace-groups-'));
  });
  afterEach(() => rm(dir, { recursive: true }));

  it('groups are Empty and keep their offsets; members rejoin in a later generation', async () => {
    const h = await CoordinatorsHarness.open(dir);
    const me = await member(h);
    await h.ask(api.OFFSET_COMMIT, { ...commitOf(offset(0, 7)), ...me, generationIdOrMemberEpoch: 1 });
    await h.ask(api.OFFSET_COMMIT, { ...commitOf(offset(1, 1)), groupId: 'offsets-only' });
    await h.broker.close();
    await h.start();
    expect((await h.ask(api.LIST_GROUPS, {})).groups).toEqual([
      { groupId: 'g', protocolType: 'consumer', groupState: 'Empty' },
      { groupId: 'offsets-only', protocolType: '', groupState: 'Empty' },
    ]);
    expect(await fetched(h)).toEqual([7, -1]);
    expect((await h.ask(api.HEARTBEAT, me)).errorCode).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
    expect((await member(h)).generationId).toBe(2);
    await h.broker.close();
  });

  it('deleted groups stay deleted', async () => {
    const h = await CoordinatorsHarness.open(dir);
    await h.ask(api.OFFSET_COMMIT, commitOf(offset(0, 7)));
    await h.ask(api.DELETE_GROUPS, { groupsNames: ['g'] });
    await h.broker.close();
    await h.start();
    expect((await h.ask(api.LIST_GROUPS, {})).groups).toEqual([]);
    await h.broker.close();
  });
});

it('broker close: a pending JoinGroup gets a response', async () => {
  const h = await CoordinatorsHarness.open();
  await member(h);
  const waiting = h.ask(api.JOIN_GROUP, JOIN, 3);
  await h.broker.close();
  expect((await waiting).errorCode).toBe(ErrorCode.COORDINATOR_NOT_AVAILABLE);
});

it('offsets for a transaction that was not started are rejected', async () => {
  const h = await CoordinatorsHarness.open();
  const request = { ...commitOf(offset(0, 1)), transactionalId: 'x', producerId: 1, producerEpoch: 0 };
  const { topics } = await h.ask(TXN_OFFSET_COMMIT, request);
  expect(topics[0]!.partitions[0]!.errorCode).toBe(ErrorCode.INVALID_PRODUCER_ID_MAPPING);
});
