/** Apicurio's settings, and the wire format that they mean. Facts: the pages about its serializers, 2.6 and 3.1. */
import {
  APICURIO_CONFIG,
  confluentSettings,
} from '../../../../connectors/converters-schema-registry/src/config/apicurio-settings';
import { openRegistry } from '../../../../connectors/converters-schema-registry/src/registry/open-registry';

const of = (settings: Record<string, string>) =>
  Object.fromEntries(Object.entries(settings).map(([name, value]) => [`apicurio.registry.${name}`, value]));
const V3 = of({ url: 'http://registry:8080/apis/registry/v3' });
const V2 = of({
  url: 'http://registry:8080/apis/registry/v2',
  'as-confluent': 'true',
  'headers.enabled': 'false',
  'use-id': 'contentId',
});

test('version 3 writes the wire format of Confluent by default', () => {
  expect(confluentSettings({ ...V3, 'converter.type': 'value', 'enhanced.avro.schema.support': 'true' })).toEqual({
    'converter.type': 'value',
    'enhanced.avro.schema.support': 'true',
    'schema.registry.url': 'http://registry:8080/apis/ccompat/v7',
    'auto.register.schemas': 'false',
    'use.latest.version': 'false',
    'latest.compatibility.strict': 'false',
    'latest.cache.ttl.sec': '30',
  });
});

test('registration and the latest schema', () => {
  const config = { ...V2, ...of({ 'auto-register': 'true', 'find-latest': 'true', 'check-period-ms': '1500' }) };
  expect(confluentSettings(config)).toMatchObject({
    'auto.register.schemas': 'true',
    'use.latest.version': 'true',
    'latest.cache.ttl.sec': '2',
  });
  expect(openRegistry(confluentSettings(config)).settings).toMatchObject({ autoRegister: true, latestTtlMs: 2_000 });
});

test.each<[Record<string, string>, string]>([
  [{}, 'apicurio.registry.url is missing'],
  [of({ url: 'http://registry:8080' }), 'must end with /apis/registry/v2 or /apis/registry/v3'],
  // What Debezium's page about Avro has.
  [of({ url: 'http://a/apis/registry/v2' }), 'apicurio.registry.headers.enabled must be false'],
  [{ ...V2, ...of({ 'headers.enabled': '' }) }, 'apicurio.registry.headers.enabled must be false'],
  [{ ...V2, ...of({ 'as-confluent': 'false' }) }, 'apicurio.registry.as-confluent must be true'],
  [{ ...V2, ...of({ 'use-id': 'globalId' }) }, 'apicurio.registry.use-id must be contentId'],
  [{ ...V2, ...of({ 'use-id': '' }) }, 'apicurio.registry.use-id must be contentId'],
  [{ ...V3, ...of({ 'headers.enabled': 'true' }) }, 'apicurio.registry.headers.enabled must be false'],
  [{ ...V3, ...of({ 'use-id': 'globalId' }) }, 'apicurio.registry.use-id must be contentId'],
  [{ ...V3, ...of({ 'id-handler': 'io.apicurio.registry.serde.OptimisticFallbackIdHandler' }) }, 'must be absent'],
  [{ ...V3, 'apicurio.avro.encoding': 'JSON' }, 'apicurio.avro.encoding must be BINARY'],
  [{ ...V3, ...of({ 'artifact-resolver-strategy': 'x.RecordIdStrategy' }) }, 'must be TopicIdStrategy'],
  [{ ...V3, ...of({ 'artifact.group-id': 'mine' }) }, 'artifact.group-id must be default'],
  [{ ...V3, ...of({ 'artifact.artifact-id': 'x' }) }, 'artifact.artifact-id is not supported'],
  [{ ...V3, ...of({ 'auto-register.if-exists': 'FAIL' }) }, 'auto-register.if-exists must be RETURN_OR_UPDATE'],
  [{ ...V3, ...of({ 'tls.trust-all': 'true' }) }, 'tls.trust-all is not supported'],
])('%j is an error of the setting', (config, sentence) => {
  let error: unknown;
  try {
    confluentSettings(config);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toMatchObject({ code: 'REGISTRY_CONFIG', message: expect.stringContaining(sentence) });
});

test.each<[Record<string, string>]>([
  [{ ...V2, ...of({ 'as-confluent': '', 'id-handler': 'io.apicurio.registry.serde.Legacy4ByteIdHandler' }) }],
  [{ ...V3, ...of({ 'id-handler': 'io.apicurio.registry.serde.Default4ByteIdHandler' }) }],
  [{ ...V3, ...of({ 'artifact-resolver-strategy': 'io.apicurio.registry.serde.strategy.TopicIdStrategy' }) }],
  [{ ...V3, ...of({ 'artifact.group-id': 'default', 'auto-register.if-exists': 'FIND_OR_CREATE_VERSION' }) }],
  [of({ url: 'https://a/x/apis/ccompat/v7' })],
])('%j is supported', (config) => {
  expect(() => openRegistry(confluentSettings(config))).not.toThrow();
});

test('credentials of both versions', () => {
  const basic = {
    'basic.auth.credentials.source': 'USER_INFO',
    'basic.auth.user.info': 'alice:geheim',
  };
  expect(
    confluentSettings({ ...V2, 'apicurio.auth.username': 'alice', 'apicurio.auth.password': 'geheim' }),
  ).toMatchObject(basic);
  expect(confluentSettings({ ...V3, ...of({ 'auth.username': 'alice', 'auth.password': 'geheim' }) })).toMatchObject(
    basic,
  );
  const keycloak = {
    'apicurio.auth.service.url': 'https://keycloak/auth/',
    'apicurio.auth.realm': 'my realm',
    'apicurio.auth.client.id': 'me',
    'apicurio.auth.client.secret': 'geheim',
  };
  expect(confluentSettings({ ...V2, ...keycloak })).toMatchObject({
    'bearer.auth.credentials.source': 'OAUTHBEARER',
    'bearer.auth.issuer.endpoint.url': 'https://keycloak/auth/realms/my%20realm/protocol/openid-connect/token',
    'bearer.auth.client.id': 'me',
    'bearer.auth.client.secret': 'geheim',
  });
  const endpoint = of({
    'auth.service.token.endpoint': 'https://issuer/token',
    'auth.client.id': 'me',
    'auth.client.secret': 'x',
    'auth.client.scope': 's',
  });
  expect(confluentSettings({ ...V3, ...endpoint })).toMatchObject({
    'bearer.auth.issuer.endpoint.url': 'https://issuer/token',
    'bearer.auth.scope': 's',
  });
});

test('key stores of both versions', () => {
  expect(
    confluentSettings({
      ...V2,
      ...of({ 'request.ssl.truststore.location': '/trust', 'request.ssl.truststore.password': 'x' }),
      ...of({ 'request.ssl.keystore.location': '/key', 'request.ssl.key.password': 'y' }),
    }),
  ).toMatchObject({
    'schema.registry.ssl.truststore.location': '/trust',
    'schema.registry.ssl.truststore.password': 'x',
    'schema.registry.ssl.keystore.location': '/key',
    'schema.registry.ssl.key.password': 'y',
  });
  const v3 = of({ 'tls.truststore.location': '/trust', 'tls.truststore.type': 'PEM', 'tls.verify-host': 'false' });
  expect(confluentSettings({ ...V3, ...v3 })).toMatchObject({
    'schema.registry.ssl.truststore.location': '/trust',
    'schema.registry.ssl.truststore.type': 'PEM',
    'schema.registry.ssl.endpoint.identification.algorithm': '',
  });
});

test('secrets are passwords, and only the address is required', () => {
  const ofType = (type: string) => APICURIO_CONFIG.filter((key) => key.type === type).map(({ name }) => name);
  expect(ofType('PASSWORD')).toEqual(
    APICURIO_CONFIG.map(({ name }) => name).filter((name) => /password|secret/.test(name)),
  );
  expect(APICURIO_CONFIG.filter((key) => key.default === undefined).map(({ name }) => name)).toEqual([
    'apicurio.registry.url',
  ]);
});

test('validation names the key that means another wire format', () => {
  const config = of({ url: 'http://registry:8080/apis/registry/v2' });
  const problems = APICURIO_CONFIG.flatMap(({ name, validator }) => {
    const problem = validator?.(null, config) ?? null;
    return problem === null ? [] : [`${name} ${problem}`];
  });
  expect(problems).toEqual([
    'apicurio.registry.headers.enabled must be false: this converter reads and writes ids as Confluent does, before the data',
  ]);
});
