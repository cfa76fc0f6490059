import { environmentSettings, withEnvironment } from '../../src/config/environment';

describe('environment overrides', () => {
  test('every short name', () => {
    expect(
      environmentSettings({
        BOOTSTRAP_SERVERS: 'k:9092',
        GROUP_ID: 'g',
        CONFIG_STORAGE_TOPIC: 'c',
        OFFSET_STORAGE_TOPIC: 'o',
        STATUS_STORAGE_TOPIC: 's',
        PATH: '/bin',
      }),
    ).toEqual({
      'bootstrap.servers': 'k:9092',
      'group.id': 'g',
      'config.storage.topic': 'c',
      'offset.storage.topic': 'o',
      'status.storage.topic': 's',
    });
  });

  test('CONNECT_ names become settings', () => {
    expect(
      environmentSettings({
        CONNECT_OFFSET_FLUSH_INTERVAL_MS: '10000',
        CONNECT_REST_ADVERTISED_HOST_NAME: 'h',
        CONNECT_CONFIG_PROVIDERS_MY__NAME_CLASS: 'X',
        CONNECT_TOPIC_WITH___UNDERSCORE: 'u',
      }),
    ).toEqual({
      'offset.flush.interval.ms': '10000',
      'rest.advertised.host.name': 'h',
      'config.providers.my-name.class': 'X',
      'topic.with_underscore': 'u',
    });
  });

  test('a JVM option of Java’s images lists the allowed token URLs', () => {
    const key = 'org.apache.kafka.sasl.oauthbearer.allowed.urls';
    const KAFKA_OPTS = `-Xmx1g -D${key}=http://first -Dother=x\n-D${key}=https://idp/token,https://idp/other`;
    const file = { [key]: 'https://idp/file' };
    const variable = { CONNECT_ORG_APACHE_KAFKA_SASL_OAUTHBEARER_ALLOWED_URLS: 'https://idp/own' };
    expect(withEnvironment({}, { KAFKA_OPTS })).toEqual({ [key]: 'https://idp/token,https://idp/other' });
    expect(withEnvironment(file, { KAFKA_OPTS })).toEqual(file);
    expect(withEnvironment(file, { KAFKA_OPTS, ...variable })).toEqual({ [key]: 'https://idp/own' });
    expect(withEnvironment({}, { KAFKA_OPTS: '-Xmx1g' })).toEqual({});
  });

  test('another names the JAAS file of the REST API', () => {
    const key = 'java.security.auth.login.config';
    expect(withEnvironment({}, { KAFKA_OPTS: `-Xmx1g -D${key}=/etc/jaas.conf` })).toEqual({ [key]: '/etc/jaas.conf' });
  });

  test('the environment overrides the file, CONNECT_ overrides the short name', () => {
    expect(
      withEnvironment(
        { 'group.id': 'file', 'bootstrap.servers': 'file:9092', 'client.id': 'file' },
        { GROUP_ID: 'short', CONNECT_GROUP_ID: 'connect', BOOTSTRAP_SERVERS: 'short:9092' },
      ),
    ).toEqual({ 'group.id': 'connect', 'bootstrap.servers': 'short:9092', 'client.id': 'file' });
  });

  test('an empty short name counts as not set, an empty CONNECT_ name sets an empty value', () => {
    expect(environmentSettings({ BOOTSTRAP_SERVERS: ' ', CONNECT_ADMIN_LISTENERS: '', CONNECT_: 'x' })).toEqual({
      'admin.listeners': '',
    });
  });
});
