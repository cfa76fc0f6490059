import { isRetriable } from '@millrace/sdk';
import { KafkaError } from '../../../packages/kafka-client/src/errors';
import type { Admin } from '../../../packages/kafka-client/src/port';
import { silentLogger } from '../../../src/logging/logger';
import { TopicCreator } from '../../../src/tasks/source/topic-creator';
import { newTopic, topicGroups } from '../../../src/tasks/source/topic-creation-config';
import { FakeAdmin } from '../fakes';

const base = { 'topic.creation.default.partitions': '3', 'topic.creation.default.replication.factor': '-1' };

describe('connect-runtime 76: topic groups', () => {
  test('none without settings', () => {
    expect(topicGroups({ name: 'x' })).toBeNull();
  });

  test('first match in listed order, exclude wins, whole names, defaults from the default group', () => {
    const groups = topicGroups({
      ...base,
      'topic.creation.default.cleanup.policy': 'delete',
      'topic.creation.groups': 'a, default ,b',
      'topic.creation.a.include': 'log.*, x',
      'topic.creation.a.exclude': 'logs-secret',
      'topic.creation.a.partitions': '1',
      'topic.creation.a.cleanup.policy': 'compact',
      'topic.creation.b.include': '.*s.*',
      'topic.creation.b.replication.factor': '2',
    });
    const of = (topic: string): unknown => newTopic(groups ?? [], topic);
    expect(of('logs')).toEqual({
      name: 'logs',
      partitions: 1,
      replicationFactor: -1,
      configs: { 'cleanup.policy': 'compact' },
    });
    expect(of('logs-secret')).toEqual({ name: 'logs-secret', partitions: 3, replicationFactor: 2, configs: {} });
    expect(of('other')).toEqual({
      name: 'other',
      partitions: 3,
      replicationFactor: -1,
      configs: { 'cleanup.policy': 'delete' },
    });
    expect(of('xx')).toMatchObject({ partitions: 3, replicationFactor: -1 });
  });

  test.each([
    [
      { 'topic.creation.default.partitions': '1' },
      'Missing required configuration "topic.creation.default.replication.factor" which has no default value.',
    ],
    [{ 'topic.creation.groups': '' }, 'Missing required configuration "topic.creation.default.partitions"'],
    [
      { ...base, 'topic.creation.default.partitions': '0' },
      "Invalid value 0 for configuration topic.creation.default.partitions: Number of partitions must be positive, or -1 to use the broker's default",
    ],
    [{ ...base, 'topic.creation.default.replication.factor': '-2' }, 'Replication factor must be positive'],
    [
      { ...base, 'topic.creation.default.partitions': 'x' },
      'Invalid value x for configuration topic.creation.default.partitions: Not a number of type INT',
    ],
    [{ ...base, 'topic.creation.default.replication.factor': '40000' }, 'Not a number of type SHORT'],
    [
      { ...base, 'topic.creation.groups': 'a', 'topic.creation.a.partitions': '0' },
      'Invalid value 0 for configuration topic.creation.a.partitions',
    ],
    [
      { ...base, 'topic.creation.groups': 'a,a' },
      'Invalid value [a, a] for configuration topic.creation.groups: Duplicate alias provided.',
    ],
    [{ ...base, 'topic.creation.groups': 'a', 'topic.creation.a.include': '[' }, 'Invalid regex'],
  ])('%p is rejected', (config: Record<string, string>, text) => {
    expect(() => topicGroups(config)).toThrow(text);
  });
});

describe('connect-runtime 76: creating', () => {
  const creator = (admin: FakeAdmin): TopicCreator =>
    new TopicCreator(admin as unknown as Admin, topicGroups(base) ?? [], silentLogger);

  test('a missing topic is created once, an existing one left alone', async () => {
    const admin = new FakeAdmin();
    admin.topics.add('there');
    const topics = creator(admin);
    for (const topic of ['new', 'there', 'new']) await topics.ensure(topic);
    expect(admin.created.map((t) => t.name)).toEqual(['new']);
  });

  test('a topic that was deleted since is created again with the same settings', async () => {
    const admin = new FakeAdmin();
    const topics = creator(admin);
    await topics.ensure('new');
    admin.topics.delete('new');
    await topics.ensure('new');
    expect(admin.created.map(({ name, partitions }) => [name, partitions])).toEqual([
      ['new', 3],
      ['new', 3],
    ]);
  });

  test('missing permission: a fatal error with advice', async () => {
    const admin = new FakeAdmin();
    admin.createError = new KafkaError('TOPIC_AUTHORIZATION_FAILED', 'not authorized');
    await expect(creator(admin).ensure('new')).rejects.toMatchObject({
      retriable: false,
      message: expect.stringContaining('create the topic by hand') as unknown,
    });
  });

  test('no answer: retried later', async () => {
    const admin = new FakeAdmin();
    admin.describeErrors = [new KafkaError('REQUEST_TIMED_OUT_CLIENT', 'no answer', { retriable: true })];
    const topics = creator(admin);
    expect(await topics.ensure('new').then(() => null, isRetriable)).toBe(true);
    await topics.ensure('new');
    expect(admin.created).toHaveLength(1);
  });
});
