/** Writes of the group coordinator that fail for a while (kafka-client §4). */
import {
  CREATE_TOPICS,
  DELETE_GROUPS,
  DELETE_TOPICS,
  LIST_GROUPS,
  OFFSET_COMMIT,
  OFFSET_FETCH,
} from '@millrace/kafka-protocol';
import { ErrorCode } from '../../../packages/embedded/src/protocol/errors';
import { MemoryKeyValueLog } from '../../../packages/embedded/src/storage/key-value-log';
import { brokers, RawClient } from '../broker-harness';

const start = brokers();

/** A client of a broker in which group `g` has committed an offset of topic `t`. */
async function clientWithOffset(): Promise<RawClient> {
  const client = await RawClient.connect(await start());
  await create(client);
  const partitions = [{ partitionIndex: 0, committedOffset: 5, committedMetadata: '' }];
  await client.send(OFFSET_COMMIT, 8, { groupId: 'g', topics: [{ name: 't', partitions }] });
  expect(await committed(client)).toBe(5);
  return client;
}

async function create(client: RawClient): Promise<void> {
  const topic = { name: 't', numPartitions: 1, replicationFactor: 1 };
  expect((await client.send(CREATE_TOPICS, 7, { topics: [topic], timeoutMs: 1_000 })).topics[0]!.errorCode).toBe(0);
}

async function committed(client: RawClient): Promise<number> {
  const { topics } = await client.send(OFFSET_FETCH, 7, {
    groupId: 'g',
    topics: [{ name: 't', partitionIndexes: [0] }],
  });
  return topics[0]!.partitions[0]!.committedOffset;
}

async function withFullDisk<T>(work: () => Promise<T>): Promise<T> {
  const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  const append = jest.spyOn(MemoryKeyValueLog.prototype, 'append').mockRejectedValue(full);
  try {
    return await work();
  } finally {
    append.mockRestore();
  }
}

test('full disk: a topic whose deletion failed leaves no offsets to a new topic of its name', async () => {
  const client = await clientWithOffset();
  const remove = async (): Promise<number> =>
    (await client.send(DELETE_TOPICS, 5, { topicNames: ['t'], timeoutMs: 1_000 })).responses[0]!.errorCode;
  expect(await withFullDisk(remove)).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
  expect(await remove()).toBe(0);
  await create(client);
  expect(await committed(client)).toBe(-1);
  client.close();
});

test('full disk: a group whose deletion failed can be deleted later', async () => {
  const client = await clientWithOffset();
  const remove = async (): Promise<number> =>
    (await client.send(DELETE_GROUPS, 2, { groupsNames: ['g'] })).results[0]!.errorCode;
  expect(await withFullDisk(remove)).toBe(ErrorCode.COORDINATOR_NOT_AVAILABLE);
  expect((await client.send(LIST_GROUPS, 4, { statesFilter: [] })).groups.map(({ groupId }) => groupId)).toEqual(['g']);
  expect(await committed(client)).toBe(5);
  expect(await remove()).toBe(0);
  expect(await committed(client)).toBe(-1);
  client.close();
});
