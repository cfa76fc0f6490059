import { environmentDifferences } from '../../../src/config/differences/environment-differences';
import { workerDifferences } from '../../../src/config/differences/worker-differences';

const found = (settings: Record<string, string>, ofPlugins: string[] = []) =>
  workerDifferences(settings, ofPlugins).map(({ kind, key, meant }) =>
    [kind, key, ...(meant === undefined ? [] : [meant ?? 'unknown'])].join(' '),
  );

test('keys of Java and Confluent, by their rows', () => {
  expect(
    found({
      'internal.value.converter.schemas.enable': 'false',
      'rest.port': '8083',
      'config.storage.partitions': '1',
      'offset.storage.cleanup.policy': 'compact',
      'status.storage.cleanup.policy': 'delete',
      'metrics.recording.level': 'INFO',
      'metric.reporters': '',
      'confluent.license': 'x',
      'plugin.discovery': 'HYBRID_FAIL',
      'scheduled.rebalance.max.delay.ms': '1000',
    }),
  ).toEqual([
    'ignored internal.value.converter.schemas.enable',
    'ignored rest.port',
    'ignored status.storage.cleanup.policy',
    'ignored confluent.license',
    'changed plugin.discovery',
    'changed scheduled.rebalance.max.delay.ms',
  ]);
});

test('settings of clients, by prefix; without one they are for the worker’s own', () => {
  expect(
    found({
      'producer.partitioner.class': 'x.Y',
      'producer.compression.type': 'lz4',
      'producer.confluent.monitoring.interceptor.topic': 't',
      'consumer.max.poll.record': '5',
      'consumer.decompressed.batch.max.bytes': '5000',
      'admin.what.is.this': 'x',
      'interceptor.classes': 'x.Y',
      'security.providers': 'x.Y',
      'max.poll.records': '7',
      'ssl.engine.factory.class': 'x.Y',
      'security.protocol': 'SSL',
      'listeners.https.ssl.engine.factory.class': 'x.Y',
      'listeners.https.ssl.keystore.location': '/k.pem',
    }),
  ).toEqual([
    'ignored producer.partitioner.class',
    'ignored producer.confluent.monitoring.interceptor.topic',
    'ignored consumer.max.poll.record consumer.max.poll.records',
    'ignored admin.what.is.this unknown',
    'ignored interceptor.classes',
    'ignored security.providers',
    'rejected ssl.engine.factory.class',
    'ignored listeners.https.ssl.engine.factory.class',
  ]);
});

test('unknown keys have the nearest known one; families and settings of plugins are known', () => {
  expect(
    found(
      {
        'rest.advertized.port': '1',
        'something.else.entirely': '1',
        'key.converter.schemas.enable': 'true',
        'offset.storage.segment.bytes': '1',
        'config.providers.file.param.x': 'y',
        'file.root': '/data',
      },
      ['file.root'],
    ),
  ).toEqual(['ignored rest.advertized.port rest.advertised.port', 'ignored something.else.entirely unknown']);
});

test('100,000 unknown keys take no time squared', () => {
  const settings = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`unknown.key.${i}`, 'x']));
  const differences = workerDifferences(settings);
  expect(differences).toHaveLength(100_000);
  expect(differences.every(({ kind }) => kind === 'ignored')).toBe(true);
});

test('variables of images: what to set instead, and options of KAFKA_OPTS without their values', () => {
  const differences = environmentDifferences({
    PATH: '/bin',
    KAFKA_HEAP_OPTS: '-Xmx2G',
    JMX_PORT: '9999',
    ENABLE_OTEL: 'false',
    KAFKA_OPTS:
      '-javaagent:/a.jar=secret-1 -Dcom.sun.management.jmxremote -Dx.password=secret-2 -Djava.security.auth.login.config=/jaas',
    KAFKA_JMX_OPTS: ' ',
  });
  expect(differences.map(({ kind, key }) => `${kind} ${key}`)).toEqual([
    'ignored JMX_PORT',
    'ignored KAFKA_HEAP_OPTS',
    'ignored KAFKA_OPTS',
  ]);
  expect(differences[1]?.instead).toContain('NODE_OPTIONS=--max-old-space-size');
  expect(differences[2]?.message).toBe(
    'Java agents cannot run here. Without effect: -javaagent, -Dcom.sun.management.jmxremote, -Dx.password.',
  );
});

test('a setting of a storage topic is any setting of topics, unless it is nearly a key of the worker', () => {
  expect(
    found({
      'offset.storage.partitons': '25',
      'config.storage.replication.facto': '3',
      'offset.storage.retention.ms': '1',
      'status.storage.compression.type': 'lz4',
    }),
  ).toEqual([
    'ignored offset.storage.partitons offset.storage.partitions',
    'ignored config.storage.replication.facto config.storage.replication.factor',
  ]);
});
