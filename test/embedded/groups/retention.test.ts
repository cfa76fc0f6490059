/** Committed offsets and groups are forgotten as in Apache Kafka, KIP-211. */
import * as api from '@millrace/kafka-protocol';
import { expiredOffsets } from '../../../packages/embedded/src/groups/retention';
import type { OffsetCommit } from '../../../packages/embedded/src/groups/offset-store';
import { CoordinatorsHarness, settle } from '../coordinators-harness';

const RETENTION_MS = 10_000;
const NOW = 100_000;
const commit = (topic: string, age: number): OffsetCommit => ({
  topic,
  partition: 0,
  value: { offset: 1, leaderEpoch: -1, metadata: '', committedAt: NOW - age },
});

const OLD = commit('old', 10_000);
const YOUNG = commit('young', 9_999);
const reads = (topic: string): boolean => topic === 'read';

test.each([
  ['that only commits: after the commit', { state: 'Empty', protocolType: '', emptySince: NOW }, ['old', 'read']],
  ['just left: none', { state: 'Empty', protocolType: 'consumer', emptySince: NOW - 9_999 }, []],
  [
    'left long ago: what was committed long ago',
    { state: 'Empty', protocolType: 'connect', emptySince: 0 },
    ['old', 'read'],
  ],
  ['at work: of topics it does not read', { state: 'Stable', protocolType: 'consumer', emptySince: null }, ['old']],
  ['active with an unknown subscription: none', { state: 'Stable', protocolType: 'connect', emptySince: null }, []],
  ['that rebalances: none', { state: 'PreparingRebalance', protocolType: 'consumer', emptySince: null }, []],
] as const)('offsets of a group %s', (_, group, expired) => {
  const found = expiredOffsets(
    { ...group, isSubscribedTo: reads },
    [OLD, YOUNG, commit('read', 20_000)],
    RETENTION_MS,
    NOW,
  );
  expect(found.map(({ topic }) => topic)).toEqual(expired);
});

const SETTINGS = { offsetsRetentionMs: RETENTION_MS, retentionCheckMs: 1_000 };

async function pass(h: CoordinatorsHarness, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 1_000) {
    h.clock.advance(1_000);
    await settle();
  }
}
const listed = async (h: CoordinatorsHarness): Promise<string[]> =>
  (await h.ask(api.LIST_GROUPS, {})).groups.map(({ groupId }) => groupId);

async function committed(h: CoordinatorsHarness, groupId: string): Promise<number> {
  const request = { groups: [{ groupId, topics: [{ name: 't', partitionIndexes: [0] }] }] };
  const { groups } = await h.ask(api.OFFSET_FETCH, request);
  return groups[0]!.topics[0]!.partitions[0]!.committedOffset;
}

test('retention: a group is deleted with its last offset, and one without offsets at once', async () => {
  const h = await CoordinatorsHarness.open(null, SETTINGS);
  const partitions = [{ partitionIndex: 0, committedOffset: 7, committedLeaderEpoch: -1, committedMetadata: '' }];
  await h.ask(api.OFFSET_COMMIT, { groupId: 'g', topics: [{ name: 't', partitions }] });
  await h.ask(api.OFFSET_COMMIT, { groupId: 'unused', topics: [{ name: 'unknown', partitions }] });
  expect(await listed(h)).toEqual(['g', 'unused']);
  await pass(h, 9_000);
  expect([await listed(h), await committed(h, 'g')]).toEqual([['g'], 7]);
  await pass(h, 2_000);
  expect([await listed(h), await committed(h, 'g')]).toEqual([[], -1]);
  expect(h.lines).toEqual([]);
  await h.broker.close();
});

test('retention: a member that joins at that moment keeps the group', async () => {
  const h = await CoordinatorsHarness.open(null, SETTINGS);
  const join = { groupId: 'g', sessionTimeoutMs: 6_000, rebalanceTimeoutMs: 6_000, protocolType: 'consumer' };
  const protocols = [{ name: 'range', metadata: Buffer.alloc(6) }];
  const { memberId } = await h.ask(api.JOIN_GROUP, { ...join, protocols }, 4);
  await pass(h, 2_000);
  expect(await listed(h)).toEqual(['g']);
  expect((await h.ask(api.JOIN_GROUP, { ...join, protocols, memberId }, 4)).errorCode).toBe(0);
  await h.broker.close();
});
