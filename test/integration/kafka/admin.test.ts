import { Clients } from '../../helpers/kafka-clients';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

describe('the admin client', () => {
  const clients = new Clients();
  const { admin } = clients;
  afterAll(() => clients.close());

  test('creates topics, skips existing ones and understands -1', async () => {
    const first = await clients.topic();
    const second = uniqueName('admin');
    const answer = await admin.createTopics([
      { name: first, partitions: 1, replicationFactor: 1 },
      { name: second, partitions: -1, replicationFactor: -1, configs: { 'cleanup.policy': 'compact' } },
    ]);
    expect(answer).toEqual([second]);
    expect((await admin.topicConfig(second))['cleanup.policy']).toBe('compact');
    expect(await admin.listTopics()).toEqual(expect.arrayContaining([first, second]));
    await admin.deleteTopics([second]);
  });

  test('returns the broker’s errors unchanged', async () => {
    const name = uniqueName('admin');
    const topic = { name, partitions: 1, replicationFactor: 99 };
    await expect(admin.createTopics([topic])).rejects.toMatchObject({
      code: 'INVALID_REPLICATION_FACTOR',
      topic: name,
      message: expect.stringContaining('Unable to replicate') as unknown,
    });
    await expect(admin.createTopics([{ name: 'a b', partitions: 1, replicationFactor: 1 }])).rejects.toMatchObject({
      code: 'INVALID_TOPIC_EXCEPTION',
    });
    await expect(admin.deleteTopics([name])).rejects.toMatchObject({ code: 'UNKNOWN_TOPIC_OR_PARTITION' });
  });

  test('only validates when requested', async () => {
    const name = uniqueName('admin');
    await admin.createTopics([{ name, partitions: 1, replicationFactor: 1 }], { validateOnly: true });
    // Once the broker returns a topic that was created later, it would return that one.
    const later = await clients.topic();
    const topics = await admin.listTopics();
    expect(topics).toContain(later);
    expect(topics).not.toContain(name);
  });

  test('describes topics, skipping unknown ones, and adds partitions', async () => {
    const name = await clients.topic(2);
    await admin.createPartitions(name, 3);
    const nowhere = uniqueName('nowhere');
    const topics = await waitFor('the new partition in the metadata', async () => {
      const now = await admin.describeTopics([name, nowhere]);
      return now[0]?.partitions.length === 3 && now;
    });
    expect(topics.map((topic) => topic.name)).toEqual([name]);
    expect(topics[0]?.partitions.map(({ partition }) => partition)).toEqual([0, 1, 2]);
    expect(topics[0]?.partitions[0]?.replicas).toHaveLength(1);
  });

  test('changes topic configs one by one', async () => {
    const name = await clients.topic(1, { 'retention.ms': '1000', 'max.message.bytes': '2000' });
    await admin.alterTopicConfig(name, { 'retention.ms': '5000' }, ['max.message.bytes']);
    // A broker answers with metadata from the controller, which may take a moment.
    const config = await waitFor('the change to arrive', async () => {
      const now = await admin.topicConfig(name);
      return now['retention.ms'] === '5000' && now;
    });
    expect(config['max.message.bytes']).not.toBe('2000');
  });

  test('lists offsets of empty topics and deletes nothing from them', async () => {
    const name = await clients.topic(2);
    const partitions = [1, 0].map((partition) => ({ topic: name, partition }));
    const zeros = partitions.map((tp) => ({ ...tp, offset: 0 }));
    expect(await admin.listOffsets(partitions, 'latest')).toEqual(zeros);
    expect(await admin.listOffsets(partitions, 'earliest', 'read_committed')).toEqual(zeros);
    expect(await admin.listOffsets(partitions, { timestamp: 1 })).toEqual(zeros.map((tp) => ({ ...tp, offset: -1 })));
    await admin.deleteRecords(zeros);
  });

  test('describes the cluster', async () => {
    const cluster = await admin.describeCluster();
    expect(cluster.clusterId).toEqual(expect.any(String));
    expect(cluster.brokers.map(({ id }) => id)).toContain(cluster.controllerId);
  });

  test('lists finalized features, of clusters that have them', async () => {
    const features = await admin.features();
    if (process.env.TEST_BROKER === 'kafka') expect(features.get('metadata.version')).toBeGreaterThan(0);
    else expect([...features.values()].every((level) => Number.isInteger(level))).toBe(true);
  });

  test('alters, lists and deletes offsets of an empty group', async () => {
    const topic = await clients.topic(2);
    const groupId = uniqueName('group');
    const offsets = [0, 1].map((partition) => ({ topic, partition, offset: 10 + partition }));
    await admin.alterGroupOffsets(groupId, offsets);
    expect(await admin.listGroupOffsets(groupId)).toEqual(expect.arrayContaining(offsets));
    expect((await admin.listGroups()).map((group) => group.groupId)).toContain(groupId);
    await admin.deleteGroupOffsets(groupId, [{ topic, partition: 0 }]);
    expect(await admin.listGroupOffsets(groupId)).toEqual([offsets[1]]);
    expect((await admin.describeGroup(groupId)).state).toBe('Empty');
    await admin.deleteGroup(groupId);
    await admin.deleteGroup(groupId);
    expect(await admin.listGroupOffsets(groupId)).toEqual([]);
    expect((await admin.describeGroup(groupId)).state).toBe('Dead');
  });

  test('fences producers that never existed', async () => {
    await expect(admin.fenceProducers([uniqueName('txn'), uniqueName('txn')])).resolves.toBeUndefined();
  });
});
