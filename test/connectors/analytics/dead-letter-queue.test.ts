/** The dead letter queue's producer settings and records. */
import { ConfigError, RetriableError } from '@millrace/sdk';
import { MemoryProducers } from '@millrace/sdk/testing';
import { serveCluster, serveStorage } from './small-service';
import { SmallSink } from './small-sink';

const sink = SmallSink.forFile();

async function serviceUrl(): Promise<string> {
  const storage = await serveStorage();
  const cluster = await serveCluster(() => storage.url);
  sink.atEnd(storage.stop);
  sink.atEnd(cluster.stop);
  return cluster.url;
}

const QUEUE = {
  'behavior.on.error': 'log',
  'misc.deadletterqueue.bootstrap.servers': 'one:9093, two:9093',
  'misc.deadletterqueue.topic.name': 'dead',
};

test.each([
  ['OAUTHBEARER', 'org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required clientId="c";'],
  ['SCRAM-SHA-512', `org.apache.kafka.common.security.scram.ScramLoginModule required username='a' password=b;`],
])('analytics-sink 6: the dead letter queue logs in by %s like the worker’s clients', async (mechanism, jaas) => {
  const client = {
    'security.protocol': 'SASL_SSL',
    'sasl.mechanism': mechanism,
    'sasl.jaas.config': jaas,
    'ssl.truststore.location': '/etc/trust.p12',
    'ssl.truststore.password': 'x',
    'ssl.keystore.location': '/etc/identity.pem',
    'compression.type': 'lz4',
    'max.request.size': '2000000',
  };
  const prefixed = Object.fromEntries(
    Object.entries(client).map(([key, value]) => [`misc.deadletterqueue.${key}`, value]),
  );
  const harness = await sink.start(await serviceUrl(), { ...QUEUE, ...prefixed });
  expect(harness.producers.configs).toEqual([
    {
      ...client,
      'client.id': 'connector-dlq-test-0',
      'buffer.memory': '4194304',
      'bootstrap.servers': 'one:9093,two:9093',
      acks: 'all',
      'enable.idempotence': 'true',
    },
  ]);
});

test('analytics-sink 42: a dead letter has the record’s original key, value and headers, including nulls', async () => {
  const harness = await sink.start(await serviceUrl(), {
    ...QUEUE,
    'analytics.tables.topics.mapping': `[{'topic':'*','db':'d','table':'T','format':'json'}]`,
  });
  const headers = ['1', null].map((value) => ({ key: 'h', schema: null, value }));
  await harness.put([{ value: '{', headers, timestamp: 5 }]);
  await sink.committed(harness, 1);
  const [letter] = harness.producers.records;
  expect(letter).toMatchObject({ topic: 'dead', key: null, value: Buffer.from('{'), timestamp: 5 });
  const texts = letter?.headers?.map(({ key, value }) => [key, value && String(value)]);
  expect(texts?.slice(0, 2)).toEqual([
    ['h', '1'],
    ['h', null],
  ]);
  expect(Object.fromEntries(texts ?? [])).toMatchObject({
    '__connect.errors.topic': 't',
    '__connect.errors.partition': '0',
    '__connect.errors.offset': '0',
    '__connect.errors.stage': 'WRITE',
  });
});

test.each([
  ['cannot be reached', new RetriableError('No Kafka broker can be reached'), true],
  ['has a setting that is none', new ConfigError(`Kafka client setting 'acks' must be one of all`), false],
])('analytics-sink 44: a queue that %s fails the start with the keys to check', async (_, cause, isRetriable) => {
  const memory = new MemoryProducers();
  const start = sink.start(await serviceUrl(), QUEUE, {
    createProducer: (config) => ({ ...memory.create(config), connect: async () => await Promise.reject(cause) }),
  });
  await expect(start).rejects.toMatchObject({
    code: 'ANALYTICS_DEAD_LETTERS',
    message: `The dead letter queue's Kafka at one:9093,two:9093 cannot be used: ${cause.message}. Check "misc.deadletterqueue.*".`,
    cause: { retriable: isRetriable },
  });
});
