import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLIENT_KEYS } from '../../../src/config/client-keys';
import { clientDifference, type TaskClient } from '../../../src/config/differences/client-rows';
import { connectorDifferences, isKnownDifference } from '../../../src/config/differences/connector-differences';
import { differenceText } from '../../../src/config/differences/difference';

const PACKAGES = join(__dirname, '..', '..', '..', 'packages');
const CLIENT_SOURCES = join(PACKAGES, 'kafka-client', 'src');
/** Of the settings of TLS, which other clients share. */
const TLS_SOURCE = join(PACKAGES, 'sdk', 'src', 'tls-options.ts');

const found = (config: Record<string, string>) => connectorDifferences(config).map(({ key, kind }) => `${kind} ${key}`);

test('overrides without effect are named, those with one and those that are empty are not', () => {
  expect(
    found({
      'connector.class': 'X',
      'producer.override.partitioner.class': 'org.apache.kafka.clients.producer.RoundRobinPartitioner',
      'producer.override.linger.ms': '10',
      'producer.override.interceptor.classes': '',
      'consumer.override.interceptor.classes':
        'io.confluent.monitoring.clients.interceptor.MonitoringConsumerInterceptor',
      'consumer.override.client.rack': 'eu-1a',
      'admin.override.metric.reporters': 'org.apache.kafka.common.metrics.JmxReporter',
    }),
  ).toEqual([
    'ignored producer.override.partitioner.class',
    'ignored consumer.override.interceptor.classes',
    'ignored consumer.override.client.rack',
    'ignored admin.override.metric.reporters',
  ]);
});

test.each([
  ['an engine factory with TLS', { 'ssl.engine.factory.class': 'x.Y', 'security.protocol': 'SASL_SSL' }, 'rejected'],
  ['an engine factory without TLS', { 'ssl.engine.factory.class': 'x.Y' }, 'ignored'],
  ['Kerberos', { 'sasl.mechanism': 'GSSAPI', 'security.protocol': 'SASL_SSL' }, 'rejected'],
  ['IAM of MSK', { 'sasl.mechanism': 'AWS_MSK_IAM', 'security.protocol': 'SASL_SSL' }, 'rejected'],
  ['a JKS store', { 'ssl.truststore.type': 'JKS', 'security.protocol': 'SSL' }, 'changed'],
])('%s', (_, settings, kind) => {
  const [name = ''] = Object.keys(settings);
  expect(clientDifference('consumer', name, settings, '')?.kind).toBe(kind);
});

test('values that ask for what happens anyway make no difference', () => {
  const settings = {
    'sasl.mechanism': 'PLAIN',
    'ssl.keystore.type': 'PKCS12',
    'client.dns.lookup': 'use_all_dns_ips',
    'group.protocol': 'classic',
    'enable.metrics.push': 'false',
    'ssl.trustmanager.algorithm': 'PKIX',
  };
  const differences = Object.keys(settings).map((name) => clientDifference('consumer', name, settings, ''));
  expect(differences).toEqual(Object.keys(settings).map(() => null));
});

/** Java forces these values, or only the plugin's type decides. */
const SAME = new Set(['group.id', 'client.id', 'bootstrap.servers']);

test.each(Object.keys(CLIENT_KEYS) as TaskClient[])('each setting of a %s is read, or has a row', (client) => {
  const sources = readdirSync(CLIENT_SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(CLIENT_SOURCES, name))
    .concat(TLS_SOURCE)
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
  const isRead = (name: string) => sources.includes(`'${name}'`) || /^compression\.\w+\.level$/.test(name);
  const unexplained = [...CLIENT_KEYS[client].keys()].filter(
    (name) => !isRead(name) && !SAME.has(name) && clientDifference(client, name, { [name]: 'unusual' }, '') === null,
  );
  expect(unexplained).toEqual([]);
});

test('keys of licenses, of providers, of clients without override, and of errors', () => {
  expect(
    found({
      topics: 'orders',
      'confluent.topic.bootstrap.servers': 'kafka:9092',
      'confluent.license': 'abc',
      'config.providers': 'file',
      'consumer.max.poll.records': '100',
      'errors.tolerance': 'all',
      'errors.retry.timeout': '60000',
    }),
  ).toEqual([
    'ignored confluent.topic.bootstrap.servers',
    'ignored confluent.license',
    'ignored config.providers',
    'ignored consumer.max.poll.records',
    'changed errors.tolerance',
  ]);
  expect(found({ 'errors.retry.timeout': '60000' })).toEqual(['changed errors.retry.timeout']);
  expect(found({ topics: 'orders', 'errors.tolerance': 'all', 'errors.bisect': 'false' })).toEqual([]);
});

test('a difference as text names the key and what to write instead, and never the value', () => {
  const [difference] = connectorDifferences({ 'confluent.license': 'a-secret' });
  expect(differenceText(difference!)).toBe('"confluent.license" has no effect. Millrace needs no license. Remove it.');
});

test('keys of rows and overrides are not typing errors', () => {
  expect(['confluent.license', 'producer.override.linger.ms', 'erors.tolerance'].map(isKnownDifference)).toEqual([
    true,
    true,
    false,
  ]);
});
