import {
  addressText,
  readConnectionSettings,
  parseBootstrapServers,
} from '../../../packages/kafka-client/src/network/client-config';
import { readFetchSettings, readGroupSettings } from '../../../packages/kafka-client/src/consumer/consumer-settings';
import type { KafkaError } from '../../../packages/kafka-client/src/errors';
import { readProducerSettings } from '../../../packages/kafka-client/src/producer/producer-settings';

const base = { 'bootstrap.servers': 'one:9092' };
const errorOf = (config: Record<string, string>, tokenUrls?: ReadonlySet<string>): KafkaError => {
  try {
    readConnectionSettings(config, tokenUrls);
  } catch (error) {
    return error as KafkaError;
  }
  throw new Error('no error');
};

describe('client settings', () => {
  test('bootstrap.servers in all of its forms', () => {
    expect(
      parseBootstrapServers({
        'bootstrap.servers': ' a.b-c:1 , PLAINTEXT://d:2,[::1]:3,, SASL_SSL://[fe80::1]:4,::1:5,SSL://2001:db8::1:6',
      }),
    ).toEqual([
      { host: 'a.b-c', port: 1 },
      { host: 'd', port: 2 },
      { host: '::1', port: 3 },
      { host: 'fe80::1', port: 4 },
      // Without brackets the last number is the port, as in Java.
      { host: '::1', port: 5 },
      { host: '2001:db8::1', port: 6 },
    ]);
  });

  test.each(['', 'host', 'host:', 'host:x', 'host:0', 'host:70000', ':9092', '::1', '[::1]', '1:2:3:9'])(
    'a bad bootstrap.servers names the key: %j',
    (value) => {
      const error = errorOf({ 'bootstrap.servers': value });
      expect(error).toMatchObject({ code: 'INVALID_CLIENT_CONFIG', retriable: false });
      expect(error.message).toContain("'bootstrap.servers'");
    },
  );

  test('bootstrap.servers: an IPv6 address without a port is an error', () => {
    expect(errorOf({ 'bootstrap.servers': '::1' }).message).toBe(
      "Kafka client setting 'bootstrap.servers' must list host:port, and IPv6 addresses in brackets ([::1]:9092), not '::1'",
    );
  });

  test('messages show an IPv6 address in brackets', () => {
    expect([addressText({ host: '::1', port: 9092 }), addressText({ host: 'k', port: 1 })]).toEqual([
      '[::1]:9092',
      'k:1',
    ]);
  });

  test("Java's defaults", () => {
    expect(readConnectionSettings(base)).toEqual({
      bootstrapServers: [{ host: 'one', port: 9092 }],
      clientId: '',
      requestTimeoutMs: 30_000,
      apiTimeoutMs: 60_000,
      connectTimeoutMs: 10_000,
      retryBackoffMs: 100,
      retryBackoffMaxMs: 1_000,
      reconnectBackoffMs: 50,
      reconnectBackoffMaxMs: 1_000,
      metadataMaxAgeMs: 300_000,
      connectionsMaxIdleMs: 540_000,
      securityProtocol: 'PLAINTEXT',
      tls: null,
      sasl: null,
    });
  });

  test.each([
    ['request.timeout.ms', 'soon', /must be a whole number, not 'soon'/],
    ['request.timeout.ms', '0', /must be at least 1/],
    ['security.protocol', 'TLS', /must be one of PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL, not 'TLS'/],
  ])('%s=%s is refused', (key, value, message) => {
    const error = errorOf({ ...base, [key]: value });
    expect(error.code).toBe('INVALID_CLIENT_CONFIG');
    expect(error.message).toMatch(message);
    expect(error.message).toContain(`'${key}'`);
  });

  const sasl = (mechanism: string, jaas: string, more: Record<string, string> = {}): Record<string, string> => ({
    ...base,
    'security.protocol': 'sasl_plaintext',
    'sasl.mechanism': mechanism,
    'sasl.jaas.config': jaas,
    ...more,
  });
  const plain = 'org.apache.kafka.common.security.plain.PlainLoginModule';

  test("Java's longest times mean for ever", () => {
    const longest = '9223372036854775807';
    const config = { 'bootstrap.servers': 'h:1', 'group.id': 'g' };
    const keys = ['metadata.max.age.ms', 'connections.max.idle.ms', 'retry.backoff.ms', 'reconnect.backoff.max.ms'];
    const given = { ...config, ...Object.fromEntries(keys.map((key) => [key, longest])) };
    expect(readConnectionSettings(given)).toMatchObject({
      metadataMaxAgeMs: Infinity,
      connectionsMaxIdleMs: Infinity,
      retryBackoffMs: Infinity,
      reconnectBackoffMaxMs: Infinity,
    });
    expect(readGroupSettings(given)).toMatchObject({ metadataMaxAgeMs: Infinity });
    expect(readConnectionSettings({ ...config, 'connections.max.idle.ms': '-1' }).connectionsMaxIdleMs).toBe(-1);
  });

  test('kafka-client 3: the credentials of PLAIN and SCRAM come from sasl.jaas.config', () => {
    const event = sasl(
      'PLAIN',
      `${plain} required username="$ConnectionString" password="Endpoint=sb://x/;Key=a\\"b=";`,
    );
    expect(readConnectionSettings(event).sasl).toEqual({
      mechanism: 'PLAIN',
      username: '$ConnectionString',
      password: 'Endpoint=sb://x/;Key=a"b=',
    });
    const scram = 'org.apache.kafka.common.security.scram.ScramLoginModule required username=u password=p;';
    expect(readConnectionSettings(sasl('scram-sha-512', scram)).sasl).toMatchObject({ mechanism: 'SCRAM-SHA-512' });
  });

  describe('a login by Java classes is named, with what to set instead', () => {
    const handler = 'sasl.login.callback.handler.class';
    const module = 'org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required';
    const strimzi = 'io.strimzi.kafka.oauth.client.JaasClientOauthLoginCallbackHandler';
    const url = { 'sasl.oauthbearer.token.endpoint.url': 'http://idp/token' };
    const jaas = `${module} oauth.token.endpoint.uri="http://geheim" oauth.client.id="geheim" oauth.client.secret="geheim" oauth.refresh.token="geheim";`;
    const instead =
      'which is a Java library and cannot run here; set the key sasl.oauthbearer.token.endpoint.url instead of oauth.token.endpoint.uri, clientId in sasl.jaas.config instead of oauth.client.id, clientSecret in sasl.jaas.config instead of oauth.client.secret';

    test.each<[string, Record<string, string>, string]>([
      [
        'Strimzi’s handler',
        sasl('OAUTHBEARER', jaas, { [handler]: strimzi }),
        `'${handler}' is ${strimzi}, ${instead}; not supported: oauth.refresh.token`,
      ],
      [
        'Strimzi’s options alone',
        sasl('OAUTHBEARER', jaas, url),
        `'sasl.jaas.config' has options of Strimzi's OAuth client, ${instead}; not supported: oauth.refresh.token`,
      ],
      ['Strimzi’s handler alone', sasl('OAUTHBEARER', `${module};`, { [handler]: strimzi }), `, ${instead}`],
      [
        'another',
        sasl('OAUTHBEARER', `${module};`, { [handler]: 'com.example.Login' }),
        `'${handler}' is com.example.Login, a Java class, which cannot run here; OAUTHBEARER gets its tokens from sasl.oauthbearer.token.endpoint.url, with clientId and clientSecret of sasl.jaas.config`,
      ],
    ])('%s', (_case, config, message) => {
      const error = errorOf(config, new Set(['http://idp/token']));
      expect(error.code).toBe('INVALID_CLIENT_CONFIG');
      expect(error.message).toContain(message);
      expect(error.message).not.toContain('geheim');
    });

    test('Kafka’s own callback handler, and one beside complete settings, are accepted', () => {
      const own = 'org.apache.kafka.common.security.oauthbearer.secured.OAuthBearerLoginCallbackHandler';
      expect(errorOf(sasl('OAUTHBEARER', `${module};`, { [handler]: own })).message).toContain(
        "endpoint.url' is missing",
      );
      const complete = sasl('OAUTHBEARER', `${module} clientId=c clientSecret=s;`, { ...url, [handler]: strimzi });
      expect(readConnectionSettings(complete, new Set(['http://idp/token'])).sasl?.mechanism).toBe('OAUTHBEARER');
    });
  });

  test('SASL settings are checked without repeating secrets', () => {
    const tokenFrom = (url: string): Record<string, string> =>
      sasl('OAUTHBEARER', 'OAuthBearerLoginModule required clientSecret="geheim";', {
        'sasl.oauthbearer.token.endpoint.url': url,
      });
    const cases: [Record<string, string>, RegExp][] = [
      [{ ...base, 'security.protocol': 'SASL_SSL' }, /'sasl\.mechanism'.*GSSAPI/],
      [sasl('PLAIN', ''), /'sasl\.jaas\.config' is missing/],
      [sasl('PLAIN', `${plain} required username="u" password="geheim"`), /must end with ';'/],
      [sasl('PLAIN', `${plain} required username="u" pass="geheim";`), /needs password for sasl\.mechanism PLAIN/],
      [sasl('SCRAM-SHA-256', `${plain} required username="u" password="geheim";`), /must name ScramLoginModule/],
      [
        sasl('OAUTHBEARER', 'OAuthBearerLoginModule required clientSecret="geheim";'),
        /token\.endpoint\.url' is missing/,
      ],
      [tokenFrom('http://idp/token'), /needs clientId/],
      [tokenFrom('http://idp/token?x'), /'sasl\.oauthbearer\.token\.endpoint\.url'.*restrictions.*allowed\.urls'/],
      [tokenFrom('file:///etc/passwd'), /must be an http or https address/],
    ];
    for (const [config, message] of cases) {
      const error = errorOf(config, new Set(['http://idp/token']));
      expect(error.code).toBe('INVALID_CLIENT_CONFIG');
      expect(error.message).toMatch(message);
      expect(error.message).not.toContain('geheim');
    }
  });

  test('an unsecured token carries the claims asked for', async () => {
    const jaas =
      'org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="alice" ' +
      'unsecuredLoginNumberClaim_level="3" unsecuredLoginListClaim_scope=",a,b" unsecuredLoginExtension_site="home";';
    const { sasl: settings } = readConnectionSettings(sasl('OAUTHBEARER', jaas));
    if (settings?.mechanism !== 'OAUTHBEARER') throw new Error('not OAUTHBEARER');
    const { value, extensions } = await settings.tokens();
    const [header, claims, signature] = value.split('.');
    expect(JSON.parse(Buffer.from(header as string, 'base64url').toString())).toEqual({ alg: 'none' });
    const parsed = JSON.parse(Buffer.from(claims as string, 'base64url').toString()) as { iat: number; exp: number };
    expect(parsed).toMatchObject({ sub: 'alice', level: 3, scope: ['a', 'b'] });
    expect(parsed.exp - parsed.iat).toBeCloseTo(3_600, 0);
    expect(signature).toBe('');
    expect(extensions).toEqual({ site: 'home' });
  });
});

test.each<[string, (config: Record<string, string>) => unknown, string]>([
  ['security.protocol', readConnectionSettings, 'PLAINTEXT_SSL'],
  ['sasl.mechanism', (config) => readConnectionSettings({ ...config, 'security.protocol': 'SASL_SSL' }), 'SCRAM-SHA-1'],
  ['ssl.protocol', (config) => readConnectionSettings({ ...config, 'security.protocol': 'SSL' }), 'TLSv9'],
  [
    'ssl.enabled.protocols',
    (config) => readConnectionSettings({ ...config, 'security.protocol': 'SSL' }),
    'TLSv1.2,TLSv9',
  ],
  [
    'ssl.endpoint.identification.algorithm',
    (config) => readConnectionSettings({ ...config, 'security.protocol': 'SSL' }),
    'none',
  ],
  ['acks', readProducerSettings, '2'],
  ['compression.type', readProducerSettings, 'brotli'],
  ['enable.idempotence', readProducerSettings, 'yes'],
  ['isolation.level', readFetchSettings, 'read_all'],
  ['auto.offset.reset', readFetchSettings, 'first'],
  ['check.crcs', readFetchSettings, '1'],
])('%s: an unknown value is an error, and so is none where the key is there', (key, read, unknown) => {
  for (const value of [unknown, ...(key.startsWith('ssl.') ? [] : ['', '  '])]) {
    expect(() => read({ ...base, [key]: value })).toThrow(
      expect.objectContaining({
        code: 'INVALID_CLIENT_CONFIG',
        message: expect.stringContaining(`'${key}'`) as unknown,
      }) as Error,
    );
  }
});
