import { KafkaError, type KafkaErrorCode } from '../../../packages/kafka-client/src/errors';
import type { Admin, NewTopic } from '../../../packages/kafka-client/src/port';
import { silentLogger } from '../../../src/logging/logger';
import { checkSinglePartition, ensureTopic } from '../../../src/storage/log/ensure-topic';
import { storageTopic } from '../../../src/storage/log/storage-topic';

interface Fake {
  created: NewTopic[];
  admin: Admin;
}
function fake(exists: boolean, policy: string | null | Error, errors: KafkaErrorCode[] = []): Fake {
  const created: NewTopic[] = [];
  const admin = {
    createTopics: async (topics: NewTopic[]) => {
      created.push(...topics);
      const code = errors.shift();
      if (code) throw new KafkaError(code, code);
      return exists ? [] : topics.map((topic) => topic.name);
    },
    topicConfig: async () => {
      if (policy instanceof Error) throw policy;
      return { 'cleanup.policy': policy };
    },
  } as unknown as Admin;
  return { created, admin };
}
const settings = {
  topic: 'connect-configs',
  partitions: 7,
  replicationFactor: -1,
  topicConfigs: { 'min.insync.replicas': '1' },
};
const options = { logger: silentLogger, sleep: async () => undefined };

test('connect-runtime 16: the config topic has one partition, is compacted and gets the other settings', async () => {
  const { admin, created } = fake(false, null);
  await ensureTopic(admin, storageTopic('config', settings), options);
  expect(created).toEqual([
    {
      name: 'connect-configs',
      partitions: 1,
      replicationFactor: -1,
      configs: { 'min.insync.replicas': '1', 'cleanup.policy': 'compact' },
    },
  ]);
  expect(storageTopic('status', settings).partitions).toBe(7);
});

test.each(['delete', 'compact,delete', ' Compact , Delete'])(
  "connect-runtime 13: cleanup.policy=%s is rejected with Java's reason",
  async (policy) => {
    await expect(ensureTopic(fake(true, policy).admin, storageTopic('config', settings), options)).rejects.toThrow(
      `Topic 'connect-configs' supplied via the 'config.storage.topic' property is required to have 'cleanup.policy=compact' to ` +
        `guarantee consistency and durability of connector configurations, but found the topic currently has ` +
        `'cleanup.policy=${policy}'.`,
    );
  },
);

test.each(['compact', ' COMPACT ', 'compact,compact'])(
  'connect-runtime 13: cleanup.policy=%s is accepted',
  async (policy) => {
    await expect(ensureTopic(fake(true, policy).admin, storageTopic('offset', settings), options)).resolves.toBe(false);
  },
);

test('connect-runtime 15: startup continues without the right to read the policy', async () => {
  const { admin } = fake(true, new KafkaError('TOPIC_AUTHORIZATION_FAILED', 'no'), ['TOPIC_AUTHORIZATION_FAILED']);
  await expect(ensureTopic(admin, storageTopic('status', settings), options)).resolves.toBe(false);
});

test('connect-runtime 17: a temporary lack of brokers is retried until the timeout', async () => {
  const { admin, created } = fake(false, null, ['INVALID_REPLICATION_FACTOR', 'INVALID_REPLICATION_FACTOR']);
  await ensureTopic(admin, storageTopic('config', settings), options);
  expect(created).toHaveLength(3);
  let clock = 0;
  const never = fake(false, null, new Array<KafkaErrorCode>(100).fill('INVALID_REPLICATION_FACTOR'));
  await expect(
    ensureTopic(never.admin, storageTopic('config', settings), {
      ...options,
      timeoutMs: 1_000,
      now: () => clock,
      sleep: async (ms) => {
        clock += ms;
      },
    }),
  ).rejects.toThrow("Storage topic 'connect-configs' (config.storage.topic) could not be created");
  expect(never.created).toHaveLength(11);
});

test('other failures are fatal at once', async () => {
  const { admin, created } = fake(false, null, ['POLICY_VIOLATION']);
  await expect(ensureTopic(admin, storageTopic('config', settings), options)).rejects.toThrow('POLICY_VIOLATION');
  expect(created).toHaveLength(1);
});

test('connect-runtime 14: a config topic with two partitions is rejected, an offsets topic is not', () => {
  expect(() => checkSinglePartition(storageTopic('config', settings), 2)).toThrow(
    "Topic 'connect-configs' supplied via the 'config.storage.topic' property is required to have a single partition in order to " +
      'guarantee consistency of connector configurations, but found 2 partitions.',
  );
  expect(() => checkSinglePartition(storageTopic('offset', settings), 25)).not.toThrow();
});
