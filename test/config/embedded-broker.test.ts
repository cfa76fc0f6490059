import { clientSettings } from '../../src/config/client-config';
import { startupWarnings } from '../../src/config/differences/startup-warnings';
import { embeddedBrokerConfig, withBrokerAt } from '../../src/config/embedded-broker';

const EMBEDDED = { 'bootstrap.servers': 'embedded' };

test('kafka-client 4: bootstrap.servers=embedded selects the embedded broker, with a configurable port and data folder', () => {
  expect(embeddedBrokerConfig(EMBEDDED)).toEqual({ dataDir: '.millrace', port: 9092, registryPort: null });
  const chosen = { ...EMBEDDED, 'embedded.port': '0', 'embedded.data.dir': '/data', 'embedded.registry.port': '8081' };
  expect(embeddedBrokerConfig(chosen)).toEqual({ dataDir: '/data', port: 0, registryPort: 8081 });
});

test('an external cluster is used unchanged, whatever the settings of the embedded broker are', () => {
  for (const servers of ['k:9092', 'embedded:9092', 'k1:1,k2:2', '']) {
    expect(embeddedBrokerConfig({ 'bootstrap.servers': servers, 'embedded.port': 'x' })).toBeNull();
  }
  expect(embeddedBrokerConfig({})).toBeNull();
});

test.each([
  ['bootstrap.servers', 'embedded, k:9092', 'embedded cannot be combined'],
  ['embedded.port', '65536', 'no more than 65535'],
  ['embedded.port', '-1', 'at least 0'],
  ['embedded.registry.port', '65536', 'no more than 65535'],
  ['embedded.port', 'x', 'Not a number of type INT'],
  ['embedded.data.dir', '', 'must not be empty'],
  ['security.protocol', 'SSL', 'supports only PLAINTEXT'],
  ['producer.security.protocol', 'SASL_PLAINTEXT', 'supports only PLAINTEXT'],
  ['consumer.security.protocol', 'sasl_ssl', 'supports only PLAINTEXT'],
  ['admin.security.protocol', 'SSL', 'supports only PLAINTEXT'],
  ['status.storage.replication.factor', '3', 'a single broker and supports only 1'],
])('%s=%s is rejected by name', (key, value, reason) => {
  let error: unknown;
  try {
    embeddedBrokerConfig({ ...EMBEDDED, [key]: value });
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toMatchObject({ code: 'WORKER_CONFIG_INVALID', place: { key } });
  expect((error as Error).message).toMatch(new RegExp(`^Worker setting "${key}" is invalid: ".*": .*${reason}.*\\.$`));
});

test('PLAINTEXT is allowed', () => {
  const said = { ...EMBEDDED, 'security.protocol': 'PLAINTEXT', 'producer.security.protocol': 'plaintext' };
  expect(embeddedBrokerConfig(said)).not.toBeNull();
});

test('every client gets the broker’s address, and storage topics get one replica', () => {
  const settings = withBrokerAt(
    { ...EMBEDDED, 'producer.bootstrap.servers': 'embedded', 'group.id': 'g' },
    '127.0.0.1:5',
  );
  expect(settings).toMatchObject({ 'group.id': 'g', 'config.storage.replication.factor': '1' });
  for (const kind of ['worker', 'producer', 'consumer', 'admin'] as const) {
    expect(clientSettings(settings, kind)['bootstrap.servers']).toBe('127.0.0.1:5');
  }
  const key = 'offset.storage.replication.factor';
  expect(withBrokerAt({ [key]: '-1' }, 'a:1')[key]).toBe('-1');
});

test('its settings are known, and are not passed to Kafka clients', () => {
  expect(startupWarnings({ 'embedded.port': '1', 'embedded.data.dir': 'd' })).toEqual([]);
  expect(startupWarnings({ 'embedded.prot': '1' })).toEqual([expect.stringContaining('"embedded.port"')]);
  expect(clientSettings({ 'embedded.port': '1' }, 'worker')).toEqual({});
});
