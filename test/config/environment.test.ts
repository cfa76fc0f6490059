import { environmentSettings, ineffectiveVariablesWarning, withEnvironment } from '../../src/config/environment';

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

describe('variables of Java’s images', () => {
  test('Debezium’s short names of converters, of the advertised address and of timeouts', () => {
    expect(
      environmentSettings({
        KEY_CONVERTER: 'org.apache.kafka.connect.storage.StringConverter',
        VALUE_CONVERTER: 'org.apache.kafka.connect.storage.StringConverter',
        ADVERTISED_HOST_NAME: 'worker-1',
        ADVERTISED_PORT: '18083',
        OFFSET_FLUSH_INTERVAL_MS: '10000',
        OFFSET_FLUSH_TIMEOUT_MS: '2000',
        SHUTDOWN_TIMEOUT: '20000',
      }),
    ).toEqual({
      'key.converter': 'org.apache.kafka.connect.storage.StringConverter',
      'value.converter': 'org.apache.kafka.connect.storage.StringConverter',
      'rest.advertised.host.name': 'worker-1',
      'rest.advertised.port': '18083',
      'offset.flush.interval.ms': '10000',
      'offset.flush.timeout.ms': '2000',
      'task.shutdown.graceful.timeout.ms': '20000',
    });
  });

  test.each([
    ['the default listener', {}, { REST_PORT: '8084' }, 'http://:8084'],
    ['the file’s', { listeners: 'https://127.0.0.1:8443' }, { REST_PORT: '9443' }, 'https://127.0.0.1:9443'],
    ['host', { listeners: 'http://:1' }, { REST_HOST_NAME: '::1', REST_PORT: '2' }, 'http://[::1]:2'],
    ['Confluent’s', {}, { REST_PORT: '1', CONNECT_REST_PORT: '28083' }, 'http://:28083'],
    ['not CONNECT_LISTENERS', {}, { REST_PORT: '1', CONNECT_LISTENERS: 'http://:2' }, 'http://:2'],
  ])('REST_PORT and REST_HOST_NAME change the listener: %s', (_case, file, env, listeners) => {
    expect(withEnvironment(file, env)).toEqual({ listeners });
  });

  test('REST_PORT beside two listeners is an error that names it', () => {
    expect(() => withEnvironment({ listeners: 'http://:1,https://:2' }, { REST_PORT: '3' })).toThrow(
      'The environment variable REST_PORT changes the address of one listener, but "listeners" is http://:1,https://:2. Remove the variable, or set CONNECT_LISTENERS.',
    );
  });

  test('a variable that Kubernetes sets for a service called rest counts as not set', () => {
    expect(withEnvironment({}, { REST_PORT: 'tcp://10.0.0.1:80', GROUP_ID: 'g' })).toEqual({ 'group.id': 'g' });
  });

  test('CONNECT_CONFIGURATION is a whole file, between short names and CONNECT_', () => {
    expect(
      environmentSettings({
        CONNECT_CONFIGURATION: 'key.converter=K\nvalue.converter=V\ngroup.id=file\n',
        GROUP_ID: 'short',
        CONNECT_VALUE_CONVERTER: 'own',
      }),
    ).toEqual({ 'key.converter': 'K', 'value.converter': 'own', 'group.id': 'file' });
    expect(() => environmentSettings({ CONNECT_CONFIGURATION: 'a=\\u00zz secret' })).toThrow(
      /^The environment variable CONNECT_CONFIGURATION is not a properties file: line 1: (?!.*secret)/,
    );
  });

  test('APICURIO_REGISTRY sets both converters, so that records are not JSON without a word', () => {
    const settings = environmentSettings({ APICURIO_REGISTRY: 'http://registry', KEY_CONVERTER: 'K' });
    expect(settings).toMatchObject({
      'key.converter': 'io.apicurio.registry.utils.converter.AvroConverter',
      'value.converter': 'io.apicurio.registry.utils.converter.AvroConverter',
      'value.converter.apicurio.registry.url': 'http://registry',
    });
  });

  test('variables without an effect are named in one line, without values, and are not settings', () => {
    const env = {
      CONNECT_HEAP_OPTS: '-Xmx-secret',
      CONNECT_LOG4J_APPENDER_STDOUT_LAYOUT: 'secret',
      CONNECT_CUB_KAFKA_TIMEOUT: 'secret',
      CONNECT_SASL_PASSWORD_FILE: 'secret',
      KAFKA_HEAP_OPTS: 'secret',
      KAFKA_CONNECT_SASL_USERNAME: 'secret',
      ENABLE_JOLOKIA: 'true',
      ENABLE_OTEL: 'false',
      ENABLE_DEBEZIUM_SCRIPTING: 'true',
      HEAP_OPTS: '',
      LOG_LEVEL: 'secret',
      PATH: '/bin',
    };
    expect(environmentSettings(env)).toEqual({});
    expect(ineffectiveVariablesWarning(env)).toBe(
      'Environment variables without effect in Millrace: CONNECT_CUB_KAFKA_TIMEOUT, CONNECT_HEAP_OPTS, CONNECT_LOG4J_APPENDER_STDOUT_LAYOUT, CONNECT_SASL_PASSWORD_FILE, ENABLE_JOLOKIA, KAFKA_CONNECT_SASL_USERNAME, KAFKA_HEAP_OPTS, LOG_LEVEL. See Environment variables in docs/operations.md for what to set instead.',
    );
  });

  test('none is named where all have an effect', () => {
    const jaas = '-Djava.security.auth.login.config=/etc/jaas.conf';
    const levels = { LOG_LEVEL: 'debug', CONNECT_LOG4J_LOGGERS: 'org.apache.kafka=WARN' };
    expect(ineffectiveVariablesWarning({ KAFKA_OPTS: ` ${jaas} `, REST_PORT: '1', ...levels, PATH: '/' })).toBeNull();
    expect(ineffectiveVariablesWarning({ KAFKA_OPTS: `-Xmx1g ${jaas}` })).toBe(
      'Environment variables without effect in Millrace: KAFKA_OPTS. Of KAFKA_OPTS, only -Dorg.apache.kafka.sasl.oauthbearer.allowed.urls and -Djava.security.auth.login.config are read. See Environment variables in docs/operations.md for what to set instead.',
    );
  });
});
