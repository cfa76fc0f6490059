import { ConfigError } from '@millrace/sdk';
import { startupWarnings } from '../../src/config/differences/startup-warnings';
import { forcedSettingWarnings } from '../../src/config/forced-settings';
import { parseWorkerConfig, type WorkerConfig } from '../../src/config/worker-config';

const MINIMAL = {
  'bootstrap.servers': 'localhost:9092',
  'group.id': 'connect-cluster',
  'config.storage.topic': 'connect-configs',
  'offset.storage.topic': 'connect-offsets',
  'status.storage.topic': 'connect-status',
  'key.converter': 'org.apache.kafka.connect.json.JsonConverter',
  'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
};
const parse = (more: Record<string, string> = {}): WorkerConfig => parseWorkerConfig({ ...MINIMAL, ...more });

function failure(settings: Record<string, string>): ConfigError {
  try {
    parseWorkerConfig(settings);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as ConfigError).code).toBe('WORKER_CONFIG_INVALID');
    return error as ConfigError;
  }
  throw new Error('expected a ConfigError');
}

describe('defaults', () => {
  test('connect-rest 5: defaults of a minimal configuration', () => {
    const { raw, client, withPrefix, taskThreads, ...values } = parse();
    expect(raw).toEqual(MINIMAL);
    expect(client).toBeInstanceOf(Function);
    expect(withPrefix).toBeInstanceOf(Function);
    expect(taskThreads).toBeGreaterThanOrEqual(1);
    expect(values).toEqual({
      alwaysVerifies: false,
      bootstrapServers: 'localhost:9092',
      groupId: 'connect-cluster',
      clientId: '',
      listeners: [{ protocol: 'http', host: '', port: 8083 }],
      adminListeners: null,
      cors: null,
      responseHeaders: [],
      restAuth: { basic: null, bearer: null, roles: null, openPaths: [] },
      allowedHosts: { isSet: false, isOff: false, allows: expect.any(Function) },
      restConnectionsMax: 500,
      restBodies: { maxBytes: 1_048_576, inFlightBytes: 16_777_216 },
      advertisedHost: null,
      advertisedPort: null,
      advertisedListener: null,
      config: { topic: 'connect-configs', partitions: 1, replicationFactor: 3, topicConfigs: {} },
      offset: { topic: 'connect-offsets', partitions: 25, replicationFactor: 3, topicConfigs: {} },
      status: { topic: 'connect-status', partitions: 5, replicationFactor: 3, topicConfigs: {} },
      keyConverter: 'org.apache.kafka.connect.json.JsonConverter',
      valueConverter: 'org.apache.kafka.connect.json.JsonConverter',
      headerConverter: 'org.apache.kafka.connect.storage.SimpleHeaderConverter',
      sessionTimeoutMs: 10000,
      heartbeatIntervalMs: 3000,
      rebalanceTimeoutMs: 60000,
      scheduledRebalanceMaxDelayMs: 300000,
      workerSyncTimeoutMs: 3000,
      metricsWindows: { sampleMs: 30_000, samples: 2 },
      workerUnsyncBackoffMs: 300000,
      connectProtocol: 'sessioned',
      consoleEnabled: true,
      consoleDocsUrl: null,
      interWorkerKeyTtlMs: 3600000,
      interWorkerKeySize: null,
      interWorkerKeyGenerationAlgorithm: 'HmacSHA256',
      interWorkerSignatureAlgorithm: 'HmacSHA256',
      interWorkerVerificationAlgorithms: ['HmacSHA256'],
      offsetFlushIntervalMs: 60000,
      offsetFlushTimeoutMs: 5000,
      taskShutdownGracefulTimeoutMs: 5000,
      topicCreationEnable: true,
      topicTrackingEnable: true,
      topicTrackingAllowReset: true,
      exactlyOnceSourceSupport: 'disabled',
      clientOverridePolicy: 'All',
      clientOverrideAllowlist: [],
      tokenUrls: new Set(),
      clientAuth: 'none',
      configProviders: [],
      pluginDiscovery: null,
      metricsRecordingLevel: 'info',
      metricReporters: [],
      jvm: {
        ...{ home: null, options: '', heapMb: 512, maxHeapMb: 4096, environment: [], maxJvms: null },
        ...{ startTimeoutMs: 60_000, idleMs: 45_000, silenceMs: 120_000 },
        mbeanDomains: ['debezium.*', 'kafka.connect*'],
      },
      pluginPath: [],
      pluginSilenceMs: 5000,
      pluginWatch: false,
      restart: { max: 20, backoffMs: 1000, maxBackoffMs: 300000 },
      watchdog: { taskMs: 300000, taskAction: 'log', tickMs: 120000, threadMs: 60000 },
      taskHost: 'thread',
    });
  });

  test("Java's longest times are accepted", () => {
    const longest = '9223372036854775807';
    const config = parse({ 'offset.flush.interval.ms': longest, 'rebalance.timeout.ms': '+2147483647' });
    expect(config.offsetFlushIntervalMs).toBeGreaterThanOrEqual(Number.MAX_SAFE_INTEGER);
    expect(config.rebalanceTimeoutMs).toBe(2147483647);
    expect(failure({ ...MINIMAL, 'offset.flush.interval.ms': '9223372036854775808' }).message).toContain(
      'Not a number of type LONG',
    );
  });

  test('blanks around values are dropped', () => {
    const config = parse({ 'group.id': ' g ', 'session.timeout.ms': ' 20000 ', 'bootstrap.servers': ' a:1 , b:2 ' });
    expect(config).toMatchObject({ groupId: 'g', sessionTimeoutMs: 20000, bootstrapServers: 'a:1,b:2' });
    expect(config.raw['group.id']).toBe('g');
  });
});

describe('storage topics', () => {
  test('connect-runtime 1.2: other topic settings are for creation, cleanup.policy is not', () => {
    const config = parse({
      'config.storage.min.insync.replicas': '2',
      'config.storage.cleanup.policy': 'delete',
      'config.storage.partitions': '7',
      'offset.storage.partitions': '-1',
      'offset.storage.replication.factor': '-1',
      'offset.storage.segment.bytes': '1048576',
    });
    expect(config.config).toEqual({
      topic: 'connect-configs',
      partitions: 1,
      replicationFactor: 3,
      topicConfigs: { 'min.insync.replicas': '2' },
    });
    expect(config.offset).toEqual({
      topic: 'connect-offsets',
      partitions: -1,
      replicationFactor: -1,
      topicConfigs: { 'segment.bytes': '1048576' },
    });
  });

  test.each(['config.storage.replication.factor', 'offset.storage.partitions', 'status.storage.replication.factor'])(
    'connect-runtime 1.2: %s rejects 0 and -2',
    (key) => {
      for (const value of ['0', '-2']) {
        expect(failure({ ...MINIMAL, [key]: value }).message).toBe(
          `Worker setting "${key}" is invalid: "${value}": Value must be a positive number, or -1 to use the broker’s default.`,
        );
      }
    },
  );
});

describe('faulty settings', () => {
  test.each(Object.keys(MINIMAL))('%s is required, absent or empty', (key) => {
    const { [key]: _, ...rest } = MINIMAL as Record<string, string>;
    for (const settings of [rest, { ...rest, [key]: '  ' }]) {
      const error = failure(settings);
      expect(error.message).toMatch(new RegExp(`^Worker setting "${key.replaceAll('.', '\\.')}" is required: .+\\.$`));
      expect(error.place).toEqual({ key });
    }
  });

  test.each<[string, string, string]>([
    ['session.timeout.ms', 'soon', '"soon": Not a number of type INT'],
    ['session.timeout.ms', '2147483648', '"2147483648": Not a number of type INT'],
    ['session.timeout.ms', '1.5', '"1.5": Not a number of type INT'],
    ['offset.flush.interval.ms', '-1', '"-1": Value must be at least 0'],
    ['topic.creation.enable', 'yes', '"yes": Expected value to be either true or false'],
    ['connect.protocol', 'lazy', '"lazy": String must be one of (case insensitive): eager, compatible, sessioned'],
    [
      'rest.allowed.hosts',
      'a.test, http://b.test',
      '"a.test, http://b.test": \'http://b.test\' is not a host name; omit protocol and port, and use *.example.com for all subdomains',
    ],
    ['rest.body.max.bytes', '1023', '"1023": Value must be at least 1024'],
    [
      'rest.bodies.in.flight.max.bytes',
      '1048575',
      'it must not be lower than rest.body.max.bytes, but 1048575 is lower than 1048576',
    ],
    ['heartbeat.interval.ms', '10000', 'it must be lower than session.timeout.ms, but 10000 is not lower than 10000'],
    [
      'inter.worker.signature.algorithm',
      'HmacSHA512',
      'HmacSHA512 must be contained in inter.worker.verification.algorithms (HmacSHA256)',
    ],
    ['inter.worker.signature.algorithm', 'Rot13', '"Rot13": the algorithm Rot13 is not available'],
    ['listeners', '', '"": Value must not be empty'],
    ['listeners', 'http://host', '"http://host": Listener doesn\'t have the right format (protocol://hostname:port)'],
    ['listeners', 'http://a:1,ftp://b:2', '"http://a:1,ftp://b:2": Listener protocol must be either "http" or "https"'],
    [
      'listeners',
      'http://:65536',
      '"http://:65536": Listener doesn\'t have the right format (protocol://hostname:port)',
    ],
    ['admin.listeners', 'x', '"x": Listener doesn\'t have the right format (protocol://hostname:port)'],
    ['rest.advertised.listener', 'ftp', '"ftp": String must be one of (case insensitive): http, https'],
    ['rest.advertised.port', 'x', '"x": Not a number of type INT'],
    [
      'response.http.headers.config',
      'set X-Ok: 1, put X: 2',
      '"set X-Ok: 1, put X: 2": Invalid header config action: \'put\'. Expected one of [set, add, setDate, addDate]',
    ],
    ['rest.advertised.port', '65536', '"65536": Value must be no more than 65535'],
    [
      'rest.advertised.host.name',
      'http://w1:8083',
      '"http://w1:8083": it must be a host name or an address that the other workers can reach, without protocol and port',
    ],
    [
      'console.docs.url',
      'javascript:alert(1)',
      '"javascript:alert(1)": it must be an address that begins with https:// or http://',
    ],
    [
      'access.control.allow.origin',
      '[',
      '"[": \'[\' is neither an origin nor a regular expression (Invalid regular expression: [: Unterminated character class)',
    ],
    [
      'access.control.allow.methods',
      'get it',
      '"get it": \'get it\' is not an HTTP method; use upper case, e.g. GET,POST,PUT,DELETE',
    ],
    [
      'rest.extension.classes',
      'org.example.MyExtension',
      '"org.example.MyExtension": REST extensions are Java classes, and org.example.MyExtension cannot run here; supported is org.apache.kafka.connect.rest.basic.auth.extension.BasicAuthSecurityRestExtension, and rest.auth.jwks.url or rest.auth.jwks.file for bearer tokens',
    ],
    ['ssl.client.auth', 'maybe', '"maybe": String must be one of (case insensitive): none, requested, required'],
    ['connector.client.config.override.policy', 'Some', '"Some": Class Some could not be found'],
    [
      'connector.client.config.override.policy',
      'com.acme.MyPolicy',
      '"com.acme.MyPolicy": policies are Java classes, and com.acme.MyPolicy cannot run here: use All, None, Principal, Allowlist',
    ],
    [
      'exactly.once.source.support',
      'required',
      '"required": String must be one of (case insensitive): disabled, preparing, enabled',
    ],
    ['task.threads', '0', '"0": Value must be at least 1'],
    ['task.host', 'remote', '"remote": String must be one of (case insensitive): thread, inline'],
  ])('%s=%s', (key, value, reason) => {
    const error = failure({ ...MINIMAL, [key]: value });
    expect(error.message).toBe(`Worker setting "${key}" is invalid: ${reason}.`);
    expect(error.place).toEqual({ key });
  });
});

describe('accepted spellings', () => {
  test('cases, IPv6, lists', () => {
    const config = parse({
      'connect.protocol': 'COMPATIBLE',
      'topic.tracking.enable': 'FALSE',
      listeners: 'HTTP://127.0.0.1:0, https://[::1]:8443',
      'admin.listeners': '',
      'inter.worker.verification.algorithms': 'HmacSHA512, HmacSHA256',
      'inter.worker.signature.algorithm': 'HmacSHA512',
      'response.http.headers.config': '"add Cache-Control: no-cache, no-store", set X-Frame-Options:DENY',
      'connector.client.config.override.policy':
        'org.apache.kafka.connect.connector.policy.NoneConnectorClientConfigOverridePolicy',
      'plugin.path': '/a, ,/b',
    });
    expect(config).toMatchObject({
      connectProtocol: 'compatible',
      topicTrackingEnable: false,
      listeners: [
        { protocol: 'http', host: '127.0.0.1', port: 0 },
        { protocol: 'https', host: '::1', port: 8443 },
      ],
      adminListeners: [],
      interWorkerSignatureAlgorithm: 'HmacSHA512',
      clientOverridePolicy: 'None',
      pluginPath: ['/a', '/b'],
    });
  });
});

describe('client settings', () => {
  const config = parse({
    'security.protocol': 'SASL_SSL',
    'sasl.jaas.config': 'secret',
    'client.id': 'w1',
    'producer.linger.ms': '5',
    'producer.bootstrap.servers': 'other:9092',
    'consumer.max.poll.records': '100',
    'admin.request.timeout.ms': '1000',
    'key.converter.schemas.enable': 'false',
    'config.providers': 'env',
    'offset.storage.segment.bytes': '1',
  });

  test('connect-runtime Appendix B: storage and group clients get the unprefixed client settings', () => {
    expect(config.client('worker')).toEqual({
      'bootstrap.servers': 'localhost:9092',
      'security.protocol': 'SASL_SSL',
      'sasl.jaas.config': 'secret',
      'client.id': 'w1',
    });
  });

  test('connect-runtime Appendix B: admin clients get those and admin.*', () => {
    expect(config.client('admin')).toEqual({ ...config.client('worker'), 'request.timeout.ms': '1000' });
  });

  test('connect-runtime Appendix B: producers and consumers inherit nothing but the bootstrap servers', () => {
    expect(config.client('consumer')).toEqual({ 'bootstrap.servers': 'localhost:9092', 'max.poll.records': '100' });
    expect(config.client('producer')).toEqual({ 'bootstrap.servers': 'other:9092', 'linger.ms': '5' });
  });

  test('settings of a converter', () => {
    expect(config.withPrefix('key.converter.')).toEqual({ 'schemas.enable': 'false' });
  });
});

describe('several problems', () => {
  test('one sentence each, in the order of the table, then those of settings that exclude each other', () => {
    const { 'group.id': _, ...others } = MINIMAL;
    const { message, place } = failure({
      ...others,
      'session.timeout.ms': 'soon',
      'heartbeat.interval.ms': '20000',
      'rest.extension.classes': 'io.confluent.connect.security.ConnectSecurityExtension',
      'rest.auth.rolls.admin': 'user:ann',
      'inter.worker.signature.algorithm': 'HmacSHA512',
      'transactional.id': 'mine',
    });
    expect(message.split('\n')).toEqual([
      '6 worker settings are invalid:',
      expect.stringMatching(/^Worker setting "group.id" is required: /),
      expect.stringMatching(
        /^Worker setting "rest.extension.classes" is invalid: .*ConnectSecurityExtension cannot run/,
      ),
      'Worker setting "session.timeout.ms" is invalid: "soon": Not a number of type INT.',
      expect.stringMatching(/^Worker setting "transactional.id" is invalid: /),
      expect.stringMatching(/^Worker setting "inter.worker.signature.algorithm" is invalid: HmacSHA512 must be/),
      expect.stringMatching(/^Worker setting "rest.auth.rolls.admin" is invalid: it is not a known setting/),
    ]);
    expect(place).toEqual({ key: 'group.id' });
  });

  test('a long value does not hide the other problems', () => {
    const { message } = failure({ ...MINIMAL, 'session.timeout.ms': 'x'.repeat(100_000), 'task.threads': '0' });
    expect(message.length).toBeLessThan(1_000);
    expect(message).toContain('"task.threads" is invalid');
  });
});

describe('warnings', () => {
  test('connect-rest 5: unknown keys are ignored, probable typing errors are named', () => {
    expect(
      startupWarnings({
        ...MINIMAL,
        'offset.flush.intervall.ms': '1',
        'Rest.Advertised.Port': '1',
        'something.else': '1',
        'producer.acks': 'all',
        'key.converter.schemas.enable': 'true',
      }),
    ).toEqual([
      'Worker setting "offset.flush.intervall.ms" is not known and is ignored; did you mean "offset.flush.interval.ms"?',
      'Worker setting "Rest.Advertised.Port" is not known and is ignored; did you mean "rest.advertised.port"?',
    ]);
  });

  test('connect-runtime 1.2: overridden settings of storage topics', () => {
    expect(startupWarnings({ 'plugin.watch': 'true', 'task.host': 'inline' })).toEqual([
      'Worker setting "plugin.watch" has no effect with task.host=inline: only threads can load changed code.',
    ]);
    expect(startupWarnings({ 'config.storage.partitions': '2', 'status.storage.cleanup.policy': 'delete' })).toEqual([
      'Worker setting "config.storage.partitions" has no effect. The config topic always has one partition.',
      'Worker setting "status.storage.cleanup.policy" has no effect. Storage topics are always compacted.',
    ]);
  });

  test('keys of Java without effect are named, those for one reason in one line', () => {
    expect(
      startupWarnings({
        ...MINIMAL,
        'metric.reporters': '',
        'auto.include.jmx.reporter': 'true',
        'metrics.recording.level': 'DEBUG',
        'consumer.interceptor.classes': 'com.acme.X',
      }),
    ).toEqual([
      'Worker settings have no effect: auto.include.jmx.reporter, metrics.recording.level. Metrics are at GET /metrics. Scrape them with Prometheus.',
      'Worker setting "consumer.interceptor.classes" has no effect. Interceptors are Java classes, which cannot run here. Metrics are at GET /metrics.',
    ]);
  });

  test('connect-runtime 2.7: a protocol without signatures of internal requests, in the words of Java', () => {
    for (const protocol of ['', 'sessioned', 'SESSIONED'])
      expect(startupWarnings({ ...MINIMAL, 'connect.protocol': protocol })).toEqual([]);
    for (const protocol of ['compatible', 'eager'])
      expect(startupWarnings({ ...MINIMAL, 'connect.protocol': protocol })).toEqual([
        `Internal request verification will be disabled for this cluster as this worker's connect.protocol configuration has been set to '${protocol}'. If this is not intentional, either remove the 'connect.protocol' configuration from the worker config file or change its value to 'sessioned'. If this configuration is left as-is, the cluster will be insecure: anyone who can connect may publish task configs, with HTTP Basic, too`,
      ]);
  });

  const IDEMPOTENCE =
    "The value 'false' for the 'enable.idempotence' property will be ignored as it cannot be overridden for the worker's config topic producer when exactly-once source support is enabled or in preparation to be enabled. The value 'true' will be used instead.";
  const isolation = (whose: string): string =>
    `The value 'read_uncommitted' for the 'isolation.level' property will be ignored as it cannot be overridden for ${whose}. The value 'read_committed' will be used instead.`;
  test.each([
    ['disabled', [isolation('the worker offsets topic consumer')]],
    ['preparing', [isolation('the worker offsets topic consumer'), IDEMPOTENCE]],
    [
      'ENABLED',
      [
        isolation('the worker offsets topic consumer when exactly-once source support is enabled'),
        IDEMPOTENCE,
        isolation("the worker's config topic consumer when exactly-once source support is enabled"),
      ],
    ],
  ])(
    'client settings that the storage topics replace while exactly-once is %s, in the words of Java',
    (support, expected) => {
      const exactlyOnce = { 'exactly.once.source.support': support };
      const replaced = { 'isolation.level': 'read_uncommitted', 'enable.idempotence': 'false' };
      expect(forcedSettingWarnings(parse({ ...exactlyOnce, ...replaced }))).toEqual(expected);
      const same = { 'isolation.level': 'read_committed', 'enable.idempotence': 'TRUE' };
      expect(forcedSettingWarnings(parse({ ...exactlyOnce, ...same }))).toEqual([]);
      // A connector's clients have warnings of their own.
      expect(forcedSettingWarnings(parse({ ...exactlyOnce, 'consumer.isolation.level': 'read_uncommitted' }))).toEqual(
        [],
      );
    },
  );

  test('a transactional.id for all clients of the worker, which Java refuses as well', () => {
    expect(failure({ ...MINIMAL, 'transactional.id': 'mine' }).message).toBe(
      'Worker setting "transactional.id" is invalid: the worker\'s producers share unprefixed settings, and most of them are not transactional; remove it, exactly-once sources have ids of their own.',
    );
    expect(parse({ 'producer.transactional.id': 'mine' }).client('producer')).toMatchObject({
      'transactional.id': 'mine',
    });
  });
});

test('kafka-client 3: allowed token URLs are listed, or set in a setting of the worker’s own clients', () => {
  const url = 'sasl.oauthbearer.token.endpoint.url';
  const { tokenUrls } = parse({
    'org.apache.kafka.sasl.oauthbearer.allowed.urls': ' https://idp/a , https://idp/b,,',
    [url]: 'https://idp/worker',
    [`producer.${url}`]: 'https://idp/producer',
    [`consumer.${url}`]: 'https://idp/consumer',
    [`admin.${url}`]: 'https://idp/a',
    [`producer.override.${url}`]: 'https://idp/no-key-of-a-worker',
  });
  expect([...tokenUrls].sort()).toEqual(
    ['a', 'b', 'consumer', 'producer', 'worker'].map((path) => `https://idp/${path}`),
  );
});
