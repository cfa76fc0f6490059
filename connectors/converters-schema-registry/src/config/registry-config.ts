/** The settings of a registry that every converter has. Names, types and defaults are those of Java's version 7.7. */
import type { ConfigKey } from '@millrace/sdk';
import { checkedTogether, key, UNUSED, type Details } from './config-key';
import { checkAccess, urlProblem, URL_KEY } from './connection-settings';
import { BASIC_SOURCES, BEARER_SOURCES, sourceProblem } from './credentials';
import { unsupported } from './registry-settings';
import { STRATEGY_CLASSES, strategyOf, strategyProblem, TOPIC_NAME_STRATEGY } from './subject-names';
import { TLS_CONFIG } from './tls-config';

const texts = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === 'string' && one !== '');

/** Reports the first text that has a problem. */
const each =
  (problem: (text: string) => string | null): NonNullable<ConfigKey['validator']> =>
  (value) =>
    texts(value)
      .map((text) => problem(text.trim()))
      .find((found) => found !== null) ?? null;

const refused = (name: string): Details => ({ validator: each((text) => unsupported(name, text)), visible: false });
const source = (names: readonly string[]): Details => ({
  validator: each((text) => sourceProblem(text, names)),
  recommended: names,
});
const STRATEGY: Details = {
  validator: each((text) => (strategyOf(text) === null ? strategyProblem(text) : null)),
  recommended: STRATEGY_CLASSES,
};

const SCHEMAS: readonly ConfigKey[] = [
  key(
    URL_KEY,
    'LIST',
    undefined,
    'HIGH',
    'Addresses of the schema registry, e.g. http://registry:8081. The next one is used while one does not answer. mock://NAME is a registry in memory, for tests.',
    { validator: each(urlProblem), prominent: true },
  ),
  key(
    'auto.register.schemas',
    'BOOLEAN',
    true,
    'MEDIUM',
    'Whether new schemas of records are registered. If not, they must be registered already, and records without one fail.',
  ),
  key(
    'normalize.schemas',
    'BOOLEAN',
    false,
    'MEDIUM',
    'Whether the registry compares schemas in their normal form, so that the order of members does not matter.',
  ),
  key(
    'use.latest.version',
    'BOOLEAN',
    false,
    'LOW',
    'Whether records are written with the latest schema of their subject. Only with auto.register.schemas=false.',
  ),
  key(
    'latest.compatibility.strict',
    'BOOLEAN',
    true,
    'LOW',
    'With use.latest.version: whether records fail whose schema the latest one is not compatible with.',
  ),
  key(
    'use.schema.id',
    'INT',
    -1,
    'LOW',
    'The id of the schema that all records are written with; -1: none. Only with auto.register.schemas=false.',
  ),
  key(
    'id.compatibility.strict',
    'BOOLEAN',
    true,
    'LOW',
    'With use.schema.id: whether records fail whose schema is not compatible with that one.',
  ),
  key(
    'latest.cache.ttl.sec',
    'INT',
    -1,
    'LOW',
    'With use.latest.version: seconds after which the latest version is read again, at least 1; -1: never.',
  ),
  key(
    'key.subject.name.strategy',
    'CLASS',
    TOPIC_NAME_STRATEGY,
    'MEDIUM',
    'The subject of schemas of keys: TOPIC-key, or by the name of the record.',
    STRATEGY,
  ),
  key(
    'value.subject.name.strategy',
    'CLASS',
    TOPIC_NAME_STRATEGY,
    'MEDIUM',
    'The subject of schemas of values: TOPIC-value, or by the name of the record.',
    STRATEGY,
  ),
  key('schema.format', 'STRING', null, 'LOW', 'The converter resolves references itself.', UNUSED),
  key('rule.service.loader.enable', 'BOOLEAN', true, 'LOW', 'Of Java classes for rules.', UNUSED),
  key('latest.cache.size', 'INT', 1000, 'LOW', 'Bounds memory in Java; here it is bounded by bytes.', UNUSED),
  key(
    'max.schemas.per.subject',
    'INT',
    1000,
    'LOW',
    'Java fails for more schemas; here the oldest are forgotten.',
    UNUSED,
  ),
  key('schema.reflection', 'BOOLEAN', false, 'LOW', 'Of Java classes, which records here are not.', UNUSED),
  key(
    'context.name.strategy',
    'CLASS',
    'io.confluent.kafka.serializers.context.NullContextNameStrategy',
    'MEDIUM',
    'Contexts of subjects are not supported.',
    refused('context.name.strategy'),
  ),
  key('use.latest.with.metadata', 'STRING', null, 'LOW', 'Not supported.', refused('use.latest.with.metadata')),
  key('rule.executors', 'LIST', [], 'LOW', 'Rules of data contracts are not supported.', refused('rule.executors')),
  key('rule.actions', 'LIST', [], 'LOW', 'Rules of data contracts are not supported.', refused('rule.actions')),
  key(
    'key.schema.id.serializer',
    'CLASS',
    'io.confluent.kafka.serializers.schema.id.PrefixSchemaIdSerializer',
    'LOW',
    'Ids are written before the data. In headers, they are read alone.',
    refused('key.schema.id.serializer'),
  ),
  key(
    'value.schema.id.serializer',
    'CLASS',
    'io.confluent.kafka.serializers.schema.id.PrefixSchemaIdSerializer',
    'LOW',
    'Ids are written before the data. In headers, they are read alone.',
    refused('value.schema.id.serializer'),
  ),
];

const ACCESS: readonly ConfigKey[] = [
  key(
    'basic.auth.credentials.source',
    'STRING',
    'URL',
    'MEDIUM',
    'Where user and password of HTTP Basic are: URL (in the addresses), USER_INFO (in basic.auth.user.info) or SASL_INHERIT (in sasl.jaas.config, a setting of the converter).',
    source(BASIC_SOURCES),
  ),
  key('basic.auth.user.info', 'PASSWORD', '', 'MEDIUM', 'USER:PASSWORD, for basic.auth.credentials.source=USER_INFO.'),
  key('schema.registry.basic.auth.user.info', 'PASSWORD', '', 'MEDIUM', 'As basic.auth.user.info.', {
    aliasOf: 'basic.auth.user.info',
    deprecated: true,
  }),
  key(
    'bearer.auth.credentials.source',
    'STRING',
    'STATIC_TOKEN',
    'MEDIUM',
    'Where bearer tokens come from: STATIC_TOKEN (bearer.auth.token), or OAUTHBEARER (an authorization server).',
    source(BEARER_SOURCES),
  ),
  key('bearer.auth.token', 'PASSWORD', '', 'MEDIUM', 'The token of bearer.auth.credentials.source=STATIC_TOKEN.'),
  key(
    'bearer.auth.issuer.endpoint.url',
    'STRING',
    null,
    'MEDIUM',
    'Where the authorization server issues tokens, for OAUTHBEARER.',
  ),
  key('bearer.auth.client.id', 'STRING', null, 'MEDIUM', 'The client that tokens are issued for.'),
  key('bearer.auth.client.secret', 'PASSWORD', null, 'MEDIUM', 'The secret of bearer.auth.client.id.'),
  key('bearer.auth.scope', 'STRING', null, 'MEDIUM', 'The scope of tokens.'),
  key('bearer.auth.logical.cluster', 'STRING', null, 'MEDIUM', 'The registry of Confluent Cloud, e.g. lsrc-abc123.'),
  key('bearer.auth.identity.pool.id', 'STRING', null, 'MEDIUM', 'The identity pool of Confluent Cloud.'),
  key(
    'bearer.auth.cache.expiry.buffer.seconds',
    'SHORT',
    300,
    'LOW',
    'Seconds before its expiry in which a token is replaced.',
  ),
  key('bearer.auth.scope.claim.name', 'STRING', 'scope', 'LOW', 'Tokens are not inspected here.', UNUSED),
  key('bearer.auth.sub.claim.name', 'STRING', 'sub', 'LOW', 'Tokens are not inspected here.', UNUSED),
];

const CONNECTION: readonly ConfigKey[] = [
  key('proxy.host', 'STRING', '', 'LOW', 'The HTTP proxy through which the registry is reached.'),
  key('proxy.port', 'INT', -1, 'LOW', 'The port of proxy.host.'),
  key('http.connect.timeout.ms', 'INT', 60_000, 'LOW', 'Milliseconds for a connection to the registry.'),
  key('http.read.timeout.ms', 'INT', 60_000, 'LOW', 'Milliseconds for a complete answer of the registry.'),
  key(
    'missing.id.cache.ttl.sec',
    'LONG',
    0,
    'LOW',
    'Seconds in which the registry is not asked again for an id that it does not have; at least 10.',
  ),
  key('missing.schema.cache.ttl.sec', 'LONG', 0, 'LOW', 'As missing.id.cache.ttl.sec, for schemas.'),
  key('missing.version.cache.ttl.sec', 'LONG', 0, 'LOW', 'As missing.id.cache.ttl.sec, for versions.'),
  key('max.retries', 'INT', 3, 'LOW', 'Without effect: the task retries until the registry answers.', UNUSED),
];

export const REGISTRY_CONFIG: readonly ConfigKey[] = [
  ...SCHEMAS,
  ...checkedTogether([...ACCESS, ...CONNECTION], checkAccess),
  ...TLS_CONFIG,
];
