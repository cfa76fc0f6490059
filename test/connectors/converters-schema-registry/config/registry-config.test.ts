/** The settings: Java's names and defaults, and what is wrong with values. */
import type { ConfigKey, ConnectorConfig, ParsedValue } from '@millrace/sdk';
import { REGISTRY_CONFIG } from '../../../../connectors/converters-schema-registry/src/config';
import { openRegistry } from '../../../../connectors/converters-schema-registry/src/registry/open-registry';

const URL = { 'schema.registry.url': 'http://localhost:8081' };
const opened = (config: ConnectorConfig) => openRegistry({ ...URL, ...config });
const keyOf = (name: string) => REGISTRY_CONFIG.find((key) => key.name === name) as ConfigKey;

/** `AvroConverterConfig` of Confluent Platform 7.7.0: name, type, default, importance. */
const JAVA = `
schema.registry.url | LIST | REQUIRED | HIGH
max.schemas.per.subject | INT | 1000 | LOW
normalize.schemas | BOOLEAN | false | MEDIUM
auto.register.schemas | BOOLEAN | true | MEDIUM
use.schema.id | INT | -1 | LOW
id.compatibility.strict | BOOLEAN | true | LOW
use.latest.version | BOOLEAN | false | LOW
latest.compatibility.strict | BOOLEAN | true | LOW
latest.cache.size | INT | 1000 | LOW
latest.cache.ttl.sec | INT | -1 | LOW
use.latest.with.metadata | STRING | null | LOW
schema.format | STRING | null | LOW
rule.service.loader.enable | BOOLEAN | true | LOW
rule.executors | LIST | [] | LOW
rule.actions | LIST | [] | LOW
basic.auth.credentials.source | STRING | URL | MEDIUM
bearer.auth.credentials.source | STRING | STATIC_TOKEN | MEDIUM
schema.registry.basic.auth.user.info | PASSWORD | [hidden] | MEDIUM
basic.auth.user.info | PASSWORD | [hidden] | MEDIUM
bearer.auth.token | PASSWORD | [hidden] | MEDIUM
bearer.auth.issuer.endpoint.url | STRING | null | MEDIUM
bearer.auth.client.id | STRING | null | MEDIUM
bearer.auth.client.secret | PASSWORD | null | MEDIUM
bearer.auth.scope | STRING | null | MEDIUM
bearer.auth.scope.claim.name | STRING | scope | LOW
bearer.auth.sub.claim.name | STRING | sub | LOW
bearer.auth.identity.pool.id | STRING | null | MEDIUM
bearer.auth.logical.cluster | STRING | null | MEDIUM
bearer.auth.cache.expiry.buffer.seconds | SHORT | 300 | LOW
context.name.strategy | CLASS | io.confluent.kafka.serializers.context.NullContextNameStrategy | MEDIUM
key.subject.name.strategy | CLASS | io.confluent.kafka.serializers.subject.TopicNameStrategy | MEDIUM
value.subject.name.strategy | CLASS | io.confluent.kafka.serializers.subject.TopicNameStrategy | MEDIUM
schema.reflection | BOOLEAN | false | LOW
proxy.host | STRING |  | LOW
proxy.port | INT | -1 | LOW
http.connect.timeout.ms | INT | 60000 | LOW
http.read.timeout.ms | INT | 60000 | LOW
schema.registry.ssl.protocol | STRING | TLSv1.3 | MEDIUM
schema.registry.ssl.provider | STRING | null | MEDIUM
schema.registry.ssl.cipher.suites | LIST | null | LOW
schema.registry.ssl.enabled.protocols | LIST | [TLSv1.2, TLSv1.3] | MEDIUM
schema.registry.ssl.keystore.type | STRING | JKS | MEDIUM
schema.registry.ssl.keystore.location | STRING | null | HIGH
schema.registry.ssl.keystore.password | PASSWORD | null | HIGH
schema.registry.ssl.key.password | PASSWORD | null | HIGH
schema.registry.ssl.keystore.key | PASSWORD | null | HIGH
schema.registry.ssl.keystore.certificate.chain | PASSWORD | null | HIGH
schema.registry.ssl.truststore.certificates | PASSWORD | null | HIGH
schema.registry.ssl.truststore.type | STRING | JKS | MEDIUM
schema.registry.ssl.truststore.location | STRING | null | HIGH
schema.registry.ssl.truststore.password | PASSWORD | null | HIGH
schema.registry.ssl.keymanager.algorithm | STRING | SunX509 | LOW
schema.registry.ssl.trustmanager.algorithm | STRING | PKIX | LOW
schema.registry.ssl.endpoint.identification.algorithm | STRING | https | LOW
schema.registry.ssl.secure.random.implementation | STRING | null | LOW
schema.registry.ssl.engine.factory.class | CLASS | null | LOW
`;

test('names, types, defaults and importances are those of Java', () => {
  const shown = (value: ConfigKey['default']) =>
    value === undefined ? 'REQUIRED' : Array.isArray(value) ? `[${value.join(', ')}]` : String(value);
  const rows = REGISTRY_CONFIG.map(({ name, type, default: value, importance }) =>
    [name, type, type === 'PASSWORD' && value === '' ? '[hidden]' : shown(value), importance].join(' | '),
  );
  const java = JAVA.trim().split('\n');
  expect(java.filter((row) => !rows.includes(row))).toEqual([]);
  // Of newer versions.
  const newer = rows.filter((row) => !java.includes(row)).map((row) => row.split(' ')[0]);
  expect(newer).toEqual([
    'key.schema.id.serializer',
    'value.schema.id.serializer',
    'missing.id.cache.ttl.sec',
    'missing.schema.cache.ttl.sec',
    'missing.version.cache.ttl.sec',
    'max.retries',
  ]);
});

test('every default is valid, and every key has a sentence', () => {
  for (const { name, default: value, validator, documentation } of REGISTRY_CONFIG) {
    expect({ name, problem: value === undefined ? null : (validator?.(value as ParsedValue, {}) ?? null) }).toEqual({
      name,
      problem: null,
    });
    expect(documentation).toMatch(/^\S.*\.$/s);
  }
});

test('without settings but the address', () => {
  const { settings } = opened({});
  expect(settings).toMatchObject({
    autoRegister: true,
    normalize: false,
    useLatestVersion: false,
    latestStrict: true,
    latestTtlMs: Infinity,
    useSchemaId: null,
  });
  expect(settings.subject('t', true, 'R')).toBe('t-key');
  expect(settings.subject('t', false, null)).toBe('t-value');
});

test('naming strategies by their class names, full and short', () => {
  const full = 'io.confluent.kafka.serializers.subject.';
  for (const prefix of [full, '']) {
    const { settings } = opened({
      'key.subject.name.strategy': `${prefix}RecordNameStrategy`,
      'value.subject.name.strategy': `${prefix}TopicRecordNameStrategy`,
    });
    expect(settings.subject('t', true, 'ns.R')).toBe('ns.R');
    expect(settings.subject('t', false, 'ns.R')).toBe('t-ns.R');
    expect(() => settings.subject('t', true, null)).toThrow(/RecordNameStrategy needs the name.*the keys of topic t/);
  }
});

test.each<[Record<string, string>, string]>([
  [{ 'schema.registry.url': '' }, 'schema.registry.url is missing'],
  [{ 'schema.registry.url': ' , ' }, 'schema.registry.url is missing'],
  [{ 'schema.registry.url': 'localhost:8081' }, "such as http://registry:8081, not 'localhost:8081'"],
  [{ 'schema.registry.url': 'http://a,ftp://b' }, "not 'ftp://b'"],
  [{ 'schema.registry.url': 'mock://a,http://b' }, 'mock://'],
  [{ 'auto.register.schemas': 'yes' }, "auto.register.schemas must be true or false, not 'yes'"],
  [{ 'use.schema.id': 'x' }, 'use.schema.id must be a whole number'],
  [{ 'use.schema.id': '-2' }, 'use.schema.id must be at least -1'],
  [{ 'latest.cache.ttl.sec': '1.5' }, 'latest.cache.ttl.sec must be a whole number'],
  [{ 'key.subject.name.strategy': 'com.example.Mine' }, 'com.example.Mine is a Java class, which cannot run here'],
  [{ 'value.subject.name.strategy': '__proto__' }, 'value.subject.name.strategy must be one of'],
  [{ 'context.name.strategy': 'com.example.Mine' }, 'context.name.strategy is not supported'],
  [{ 'use.latest.with.metadata': 'a=b' }, 'use.latest.with.metadata is not supported'],
  [
    { 'value.schema.id.serializer': 'io.confluent.kafka.serializers.schema.id.HeaderSchemaIdSerializer' },
    'value.schema.id.serializer is not supported: ids are written before the data',
  ],
  [{ 'rule.executors': 'checkSpotLightData' }, 'rule.executors is not supported'],
  [{ 'basic.auth.credentials.source': 'SASL' }, "must be one of URL, USER_INFO, SASL_INHERIT, not 'SASL'"],
  [{ 'basic.auth.credentials.source': 'SASL_INHERIT' }, 'sasl.jaas.config is missing'],
  [{ 'basic.auth.credentials.source': 'SASL_INHERIT', 'sasl.jaas.config': 'a.B required p=geheim' }, "end with ';'"],
  [{ 'basic.auth.credentials.source': 'SASL_INHERIT', 'sasl.jaas.config': 'a.B required;' }, 'no username'],
  [{ 'bearer.auth.credentials.source': 'SASL_OAUTHBEARER_INHERIT' }, 'must be one of STATIC_TOKEN, OAUTHBEARER'],
  [{ 'basic.auth.credentials.source': 'USER_INFO' }, 'basic.auth.user.info is missing'],
  [{ 'basic.auth.credentials.source': 'USER_INFO', 'basic.auth.user.info': 'geheim' }, 'with a colon'],
  [{ 'bearer.auth.credentials.source': 'CUSTOM' }, "STATIC_TOKEN, OAUTHBEARER, not 'CUSTOM'"],
  [{ 'bearer.auth.credentials.source': 'STATIC_TOKEN' }, 'bearer.auth.token is missing'],
  [{ 'bearer.auth.token': 'a\r\nb: c' }, 'bearer.auth.token must be of visible ASCII characters'],
  [{ 'bearer.auth.credentials.source': 'OAUTHBEARER' }, 'bearer.auth.issuer.endpoint.url is missing'],
  [{ 'proxy.host': 'proxy' }, 'proxy.port must be a port'],
  [{ 'proxy.host': 'http://proxy', 'proxy.port': '1' }, 'without scheme'],
  [{ 'proxy.host': 'proxy', 'proxy.port': '70000' }, 'proxy.port must be a port'],
  [{ 'http.read.timeout.ms': '-1' }, 'http.read.timeout.ms must be at least 0'],
  [{ 'schema.registry.ssl.truststore.location': '/nowhere' }, 'schema.registry.ssl.truststore.location names a file'],
])('%j is an error of the setting', (config, sentence) => {
  let error: unknown;
  try {
    opened(config);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toMatchObject({ code: 'REGISTRY_CONFIG', message: expect.stringContaining(sentence) });
  expect((error as Error).message).not.toContain('geheim');
});

test.each<Record<string, string>>([
  { 'context.name.strategy': 'NullContextNameStrategy' },
  { 'key.schema.id.serializer': 'io.confluent.kafka.serializers.schema.id.PrefixSchemaIdSerializer' },
  { 'value.schema.id.deserializer': 'io.confluent.kafka.serializers.schema.id.DualSchemaIdDeserializer' },
])('%j is what this converter does', (config) => {
  expect(() => opened(config)).not.toThrow();
});

test('an address with a password is not repeated', () => {
  expect(() => opened({ 'schema.registry.url': 'ftp://user:geheim@host' })).toThrow(/^(?!.*geheim)/);
  expect(() => opened({ 'schema.registry.url': 'http://user:geheim@' })).toThrow(/^(?!.*geheim)/);
});

test.each<[string, ParsedValue, string | null]>([
  ['schema.registry.url', ['http://a', 'https://b/c', 'mock://d'], null],
  ['schema.registry.url', ['http://a', 'b:8081'], "must list addresses such as http://registry:8081, not 'b:8081'"],
  ['schema.registry.url', null, null],
  ['value.subject.name.strategy', 'TopicRecordNameStrategy', null],
  ['basic.auth.credentials.source', 'user_info', null],
  ['rule.actions', ['x'], 'is not supported: rules of data contracts are not executed here'],
])('validation of %s=%j', (name, value, problem) => {
  expect(keyOf(name).validator?.(value, {}) ?? null).toBe(problem);
});

test.each<[string, Record<string, string>, string | null]>([
  ['basic.auth.user.info', {}, null],
  [
    'basic.auth.user.info',
    { 'basic.auth.credentials.source': 'USER_INFO' },
    'is missing: basic.auth.credentials.source=USER_INFO needs it',
  ],
  ['basic.auth.user.info', { 'bearer.auth.credentials.source': 'STATIC_TOKEN' }, null],
  [
    'bearer.auth.client.id',
    { 'bearer.auth.credentials.source': 'OAUTHBEARER', 'bearer.auth.issuer.endpoint.url': 'https://a' },
    'is missing: bearer.auth.credentials.source=OAUTHBEARER needs it',
  ],
  ['proxy.port', { 'proxy.host': 'proxy' }, 'must be a port, because proxy.host is set'],
])('validation of %s beside %j', (name, config, problem) => {
  expect(keyOf(name).validator?.(null, config)).toBe(problem);
});
