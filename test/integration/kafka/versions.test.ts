import type { Api } from '@millrace/kafka-protocol';
import { createWire } from '../../../packages/kafka-client/src/network/network-client';
import { API_VERSIONS } from '../../../packages/kafka-client/src/protocol/api-versions';
import * as configs from '../../../packages/kafka-client/src/protocol/configs';
import { errorName } from '../../../packages/kafka-client/src/protocol/protocol-error';
import { FETCH, fetchRequest } from '../../../packages/kafka-client/src/protocol/fetch';
import { FIND_COORDINATOR, findCoordinatorRequest } from '../../../packages/kafka-client/src/protocol/find-coordinator';
import * as members from '../../../packages/kafka-client/src/protocol/group-membership';
import * as groupOffsets from '../../../packages/kafka-client/src/protocol/group-offsets';
import * as groups from '../../../packages/kafka-client/src/protocol/groups';
import {
  OFFSET_FOR_LEADER_EPOCH,
  offsetForLeaderEpochRequest,
} from '../../../packages/kafka-client/src/protocol/leader-epoch';
import { LATEST, LIST_OFFSETS, listOffsetsRequest } from '../../../packages/kafka-client/src/protocol/list-offsets';
import { METADATA, metadataRequest } from '../../../packages/kafka-client/src/protocol/metadata';
import * as topics from '../../../packages/kafka-client/src/protocol/topics';
import {
  DECOMPRESSED_BATCH_MAX_BYTES,
  decodeRecordBatches,
} from '../../../packages/kafka-client/src/records/record-batch-decoder';
import type { Wire, WireRequest } from '../../../packages/kafka-client/src/wire';
import { Clients } from '../../helpers/kafka-clients';
import { uniqueName } from '../../helpers/unique-name';

/**
 * Every supported version that the broker has is sent to it: with Kafka 2.x, 4.x or Event Hubs, any of them may be
 * negotiated.
 */
/** Timeout for an answer of the broker, milliseconds. */
const PATIENCE = 60_000;

describe('kafka-client 3: every version of every request', () => {
  const clients = new Clients();
  const groupId = uniqueName('group');
  let wire: Wire;
  let node: number;
  let topic: string;
  let topicId: string;
  beforeAll(async () => {
    topic = await clients.topic(1);
    await clients.send(topic, ['a', 'b']);
    await clients.admin.alterGroupOffsets(groupId, [{ topic, partition: 0, offset: 1 }]);
    wire = createWire({ 'bootstrap.servers': process.env['BOOTSTRAP_SERVERS'] as string, 'client.id': 'versions' });
    node = await wire.anyNode();
    topicId = (await wire.partitions(topic))[0]?.topicId ?? '';
  });
  afterAll(async () => {
    await wire?.close();
    await clients.close();
  });

  const nobody = { groupId: 'unused', memberId: 'nobody', groupInstanceId: null };
  const tp = () => ({ topic, partition: 0 });
  const name = (codes: number | undefined): string => errorName(codes as number);
  type Case = [Api, (version: number) => WireRequest<unknown>, (answer: never, version: number) => void];
  const of = <T>(api: Api, build: (v: number) => WireRequest<T>, check: (answer: T, v: number) => void): Case => [
    api,
    build,
    check as (answer: never, version: number) => void,
  ];
  const cases: Case[] = [
    of(
      METADATA,
      (v) => metadataRequest(v, [topic], false),
      (answer, v) => {
        expect(answer.topics).toMatchObject([
          { name: topic, errorCode: 0, partitions: [{ partition: 0, leader: node }] },
        ]);
        expect(answer.topics[0]?.partitions[0]?.leaderEpoch).toBe(v >= 7 ? 0 : -1);
        expect(answer.topics[0]?.id).toEqual(v >= 10 ? topicId : undefined);
      },
    ),
    of(
      FIND_COORDINATOR,
      (v) => findCoordinatorRequest(v, 'group', groupId),
      (answer) => {
        expect(answer).toMatchObject({ errorCode: 0, nodeId: node });
      },
    ),
    of(
      OFFSET_FOR_LEADER_EPOCH,
      (v) => offsetForLeaderEpochRequest(v, [{ ...tp(), currentEpoch: -1, epoch: 0 }]),
      (answer) => expect(answer).toMatchObject([{ ...tp(), errorCode: 0, epoch: 0, endOffset: 2 }]),
    ),
    of(
      LIST_OFFSETS,
      (v) => listOffsetsRequest(v, [{ ...tp(), leaderEpoch: -1, timestamp: LATEST }], 'read_uncommitted'),
      (answer) => expect(answer).toEqual([{ ...tp(), errorCode: 0, offset: 2 }]),
    ),
    of(
      FETCH,
      (v) =>
        fetchRequest(
          v,
          [{ ...tp(), topicId, leaderEpoch: -1, offset: 0, maxBytes: 10_000 }],
          { maxWaitMs: 0, minBytes: 1, maxBytes: 10_000, isolation: 'read_committed' },
          PATIENCE,
        ),
      ({ errorCode, partitions }) => {
        expect([errorCode, partitions.length, partitions[0]?.highWatermark]).toEqual([0, 1, 2]);
        const decoded = decodeRecordBatches(partitions[0]?.records as Buffer, {
          fetchOffset: 0,
          isolation: 'read_committed',
          abortedTransactions: partitions[0]?.abortedTransactions ?? [],
          checkCrcs: true,
          maxDecompressedBytes: DECOMPRESSED_BATCH_MAX_BYTES,
        });
        expect(decoded.records.map(({ value }) => String(value))).toEqual(['a', 'b']);
      },
    ),
    of(
      members.JOIN_GROUP,
      (v) =>
        members.joinGroupRequest(
          v,
          {
            ...nobody,
            groupId: uniqueName('join'),
            memberId: '',
            sessionTimeoutMs: 6_000,
            rebalanceTimeoutMs: 6_000,
            protocolType: 'connect',
            protocols: [{ name: 'default', metadata: Buffer.from('x') }],
            reason: 'a test',
          },
          PATIENCE,
        ),
      (answer, v) => {
        expect(name(answer.errorCode)).toBe(v >= 4 ? 'MEMBER_ID_REQUIRED' : 'UNKNOWN_ERROR_CODE_0');
        expect(answer.memberId).toMatch(/^versions-/);
        if (v < 4) expect(answer.members.map(({ metadata }) => String(metadata))).toEqual(['x']);
      },
    ),
    of(
      members.SYNC_GROUP,
      (v) =>
        members.syncGroupRequest(
          v,
          {
            ...nobody,
            generation: 1,
            protocolType: 'connect',
            protocol: 'default',
            assignments: new Map([['x', Buffer.from('y')]]),
          },
          PATIENCE,
        ),
      (answer) => expect(name(answer.errorCode)).toBe('UNKNOWN_MEMBER_ID'),
    ),
    of(
      members.HEARTBEAT,
      (v) => members.heartbeatRequest(v, nobody, 1, PATIENCE),
      (code) => expect(name(code)).toBe('UNKNOWN_MEMBER_ID'),
    ),
    of(
      members.LEAVE_GROUP,
      (v) => members.leaveGroupRequest(v, nobody, 'a test'),
      (code) => expect(name(code)).toBe('UNKNOWN_MEMBER_ID'),
    ),
    of(
      groupOffsets.OFFSET_COMMIT,
      (v) =>
        groupOffsets.offsetCommitRequest(v, { ...nobody, groupId, memberId: '' }, -1, [
          { ...tp(), topicId, offset: 1 },
        ]),
      (answer) => expect(answer).toEqual([{ ...tp(), errorCode: 0 }]),
    ),
    of(
      groupOffsets.OFFSET_FETCH,
      (v) => groupOffsets.offsetFetchRequest(v, groupId, null, true),
      (answer) => expect(answer).toEqual({ errorCode: 0, offsets: [{ ...tp(), errorCode: 0, offset: 1 }] }),
    ),
    of(
      groupOffsets.OFFSET_DELETE,
      (v) => groupOffsets.offsetDeleteRequest(v, groupId, [{ topic, partition: 7 }]),
      (answer) => expect(answer.errorCode).toBe(0),
    ),
    of(
      topics.CREATE_TOPICS,
      (v) => topics.createTopicsRequest(v, [{ name: topic, partitions: 1, replicationFactor: 1 }], PATIENCE, true),
      (answer) => expect(answer).toMatchObject([{ name: topic, errorCode: 36 }]),
    ),
    of(
      topics.DELETE_TOPICS,
      (v) => topics.deleteTopicsRequest(v, ['nowhere'], PATIENCE),
      (answer) => expect(answer).toMatchObject([{ name: 'nowhere', errorCode: 3 }]),
    ),
    of(
      topics.CREATE_PARTITIONS,
      (v) => topics.createPartitionsRequest(v, topic, 1, PATIENCE),
      (answer) => expect(answer).toMatchObject([{ name: topic, errorCode: 37 }]),
    ),
    of(
      topics.DELETE_RECORDS,
      (v) => topics.deleteRecordsRequest(v, [{ ...tp(), offset: 0 }], PATIENCE),
      (answer) => expect(answer).toEqual([{ ...tp(), errorCode: 0 }]),
    ),
    of(
      configs.DESCRIBE_CONFIGS,
      (v) => configs.describeTopicConfigsRequest(v, topic),
      (answer) => expect(answer).toMatchObject([{ errorCode: 0, configs: { 'cleanup.policy': 'delete' } }]),
    ),
    of(
      configs.INCREMENTAL_ALTER_CONFIGS,
      (v) => configs.alterTopicConfigRequest(v, topic, { 'retention.ms': '777777777' }, ['segment.ms']),
      (answer) => expect(answer).toMatchObject([{ errorCode: 0 }]),
    ),
    of(
      groups.DESCRIBE_GROUPS,
      (v) => groups.describeGroupRequest(v, groupId),
      (answer) => expect(answer).toMatchObject([{ errorCode: 0, group: { groupId, state: 'Empty', members: [] } }]),
    ),
    of(
      groups.LIST_GROUPS,
      (v) => groups.listGroupsRequest(v),
      (answer) => expect(answer.groups.map((group) => group.groupId)).toContain(groupId),
    ),
    of(
      groups.DELETE_GROUPS,
      (v) => groups.deleteGroupRequest(v, uniqueName('nowhere')),
      (code) => expect(name(code)).toBe('GROUP_ID_NOT_FOUND'),
    ),
  ];

  test.each(cases.map(([api, build, check]) => ({ name: api.name, api, build, check })))(
    '$name',
    async ({ api, build, check }) => {
      let tried = 0;
      for (let [version, highest] = api.versions; version <= highest; version++) {
        if ((await wire.version(node, api.key, version, version)) === undefined) continue;
        check((await wire.send(node, build(version))) as never, version);
        tried++;
      }
      expect(tried).toBeGreaterThan(0);
    },
  );

  test('Event Hubs: Fetch v4 to v6 and Metadata up to v5 are within the supported versions', () => {
    const [fetch, metadata] = [FETCH.versions, METADATA.versions];
    expect([fetch[0], metadata[0]]).toEqual([4, 4]);
    expect([fetch[1] >= 6, metadata[1] >= 5]).toEqual([true, true]);
    expect(API_VERSIONS.versions[0]).toBe(0);
  });
});
