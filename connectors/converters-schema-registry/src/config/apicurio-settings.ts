/**
 * The settings of Apicurio's converter as those of Confluent's. Apicurio Registry has Confluent's interface, too; its
 * converter writes Confluent's wire format if it is told to (version 2), or by default (version 3). Pure.
 */
import type { ConfigKey, ConnectorConfig } from '@millrace/sdk';
import { checkedTogether, key } from './config-key';
import { flag, integer, invalid, text } from './read-settings';

const REGISTRY = 'apicurio.registry.';
const URL_KEY = `${REGISTRY}url`;
const HEADERS = `${REGISTRY}headers.enabled`;
const AS_CONFLUENT = `${REGISTRY}as-confluent`;
const ID_HANDLER = `${REGISTRY}id-handler`;
const USE_ID = `${REGISTRY}use-id`;
const IF_EXISTS = `${REGISTRY}auto-register.if-exists`;
const STRATEGY = `${REGISTRY}artifact-resolver-strategy`;
const GROUP = `${REGISTRY}artifact.group-id`;
const CHECK_PERIOD = `${REGISTRY}check-period-ms`;
const API = /\/apis\/registry\/v([23])\/?$/;
const CONFLUENT_API = /\/apis\/ccompat\/v\d\/?$/;
/** Version 2 has the prefix `apicurio.auth.`, version 3 the other one. */
const AUTH = ['apicurio.auth.', `${REGISTRY}auth.`];
const TLS = [`${REGISTRY}request.ssl.`, `${REGISTRY}tls.`];
const STORE_SETTINGS = ['location', 'password', 'type'].flatMap((end) => [`truststore.${end}`, `keystore.${end}`]);
/** Without them, records or subjects would be others than those of Java. */
const UNSUPPORTED: readonly (readonly [string, string])[] = [
  [`${REGISTRY}artifact.artifact-id`, 'is not supported: subjects are TOPIC-key and TOPIC-value'],
  [`${REGISTRY}artifact.version`, 'is not supported: use apicurio.registry.find-latest'],
  [`${REGISTRY}tls.certificates`, 'is not supported: set apicurio.registry.tls.truststore.location to one PEM file'],
  [`${REGISTRY}fallback.artifact-id`, 'is not supported: records need the id of their schema'],
];

/** Throws ConfigError, also if the settings mean another wire format than Confluent's. */
export function confluentSettings(config: ConnectorConfig): ConnectorConfig {
  const others = Object.entries(config).filter(([name]) => !name.startsWith('apicurio.'));
  for (const [name, problem] of UNSUPPORTED) if (text(config, name) !== undefined) throw invalid(name, problem);
  const { url, version } = address(config);
  requireWireFormat(config, version);
  requireSubjects(config);
  const findLatest = flag(config, `${REGISTRY}find-latest`, false);
  const period = integer(CHECK_PERIOD, text(config, CHECK_PERIOD), 30_000, 0);
  return {
    ...Object.fromEntries(others),
    'schema.registry.url': url,
    'auto.register.schemas': String(flag(config, `${REGISTRY}auto-register`, false)),
    'use.latest.version': String(findLatest),
    // Apicurio's converter takes the latest schema as it is.
    'latest.compatibility.strict': 'false',
    'latest.cache.ttl.sec': String(Math.ceil(period / 1_000)),
    ...access(config),
    ...tls(config),
  };
}

function address(config: ConnectorConfig): { url: string; version: number } {
  const url = text(config, URL_KEY);
  if (url === undefined) throw invalid(URL_KEY, 'is missing: it is the address of the registry');
  if (CONFLUENT_API.test(url)) return { url, version: 3 };
  const version = API.exec(url)?.[1];
  if (version === undefined)
    throw invalid(
      URL_KEY,
      'must end with /apis/registry/v2 or /apis/registry/v3, e.g. http://registry:8080/apis/registry/v3',
    );
  return { url: url.replace(API, '/apis/ccompat/v7'), version: Number(version) };
}

function requireWireFormat(config: ConnectorConfig, version: number): void {
  const why = 'this converter reads and writes ids as Confluent does, before the data';
  if (flag(config, HEADERS, version === 2)) throw invalid(HEADERS, `must be false: ${why}`);
  const handler = text(config, ID_HANDLER);
  const is4Byte = handler === undefined ? version === 3 : /(?:^|\.)(?:Legacy|Default)4ByteIdHandler$/.test(handler);
  if (!flag(config, AS_CONFLUENT, false) && !is4Byte)
    throw version === 2 ? invalid(AS_CONFLUENT, `must be true: ${why}`) : invalid(ID_HANDLER, `must be absent: ${why}`);
  const id = text(config, USE_ID) ?? (version === 2 ? 'globalId' : 'contentId');
  if (id !== 'contentId')
    throw invalid(USE_ID, `must be contentId: other ids are not those of Confluent's interface to the registry`);
  for (const name of ['apicurio.avro.encoding', `${REGISTRY}avro.encoding`])
    if ((text(config, name) ?? 'BINARY') !== 'BINARY') throw invalid(name, 'must be BINARY');
}

function requireSubjects(config: ConnectorConfig): void {
  const strategy = text(config, STRATEGY) ?? 'TopicIdStrategy';
  if (!/(?:^|\.)TopicIdStrategy$/.test(strategy))
    throw invalid(
      STRATEGY,
      `must be TopicIdStrategy: subjects are TOPIC-key and TOPIC-value, not those of ${strategy}`,
    );
  const group = text(config, GROUP) ?? 'default';
  if (group !== 'default') throw invalid(GROUP, "must be default: Confluent's interface to the registry has no groups");
  const exists = text(config, IF_EXISTS);
  if (exists !== undefined && !/^(?:RETURN_OR_UPDATE|UPDATE|FIND_OR_CREATE_VERSION|CREATE_VERSION)$/.test(exists))
    throw invalid(IF_EXISTS, 'must be RETURN_OR_UPDATE or FIND_OR_CREATE_VERSION: new schemas become new versions');
}

function access(config: ConnectorConfig): ConnectorConfig {
  const auth = (name: string): string | undefined => AUTH.map((prefix) => text(config, prefix + name)).find(Boolean);
  const [user, clientId] = [auth('username'), auth('client.id')];
  const realm = auth('realm');
  const service = auth('service.url')?.replace(/\/$/, '');
  const endpoint =
    auth('service.token.endpoint') ??
    (service && realm && `${service}/realms/${encodeURIComponent(realm)}/protocol/openid-connect/token`);
  if (endpoint !== undefined && endpoint !== '' && clientId !== undefined) {
    const scope = auth('client.scope');
    return {
      'bearer.auth.credentials.source': 'OAUTHBEARER',
      'bearer.auth.issuer.endpoint.url': endpoint,
      'bearer.auth.client.id': clientId,
      'bearer.auth.client.secret': auth('client.secret') ?? '',
      ...(scope !== undefined && { 'bearer.auth.scope': scope }),
    };
  }
  if (user === undefined) return {};
  return {
    'basic.auth.credentials.source': 'USER_INFO',
    'basic.auth.user.info': `${user}:${auth('password') ?? ''}`,
  };
}

function tls(config: ConnectorConfig): ConnectorConfig {
  const settings: Record<string, string> = {};
  for (const prefix of TLS)
    for (const name of [...STORE_SETTINGS, 'key.password']) {
      const value = config[prefix + name];
      if (value !== undefined) settings[`schema.registry.ssl.${name}`] = value;
    }
  const checksHosts = flag(config, `${REGISTRY}tls.verify-host`, true);
  if (!checksHosts) settings['schema.registry.ssl.endpoint.identification.algorithm'] = '';
  if (flag(config, `${REGISTRY}tls.trust-all`, false))
    throw invalid(`${REGISTRY}tls.trust-all`, 'is not supported: set apicurio.registry.tls.truststore.location');
  return settings;
}

const store = (prefix: string, name: string): ConfigKey =>
  key(
    prefix + name,
    name.endsWith('password') ? 'PASSWORD' : 'STRING',
    null,
    'MEDIUM',
    `As schema.registry.ssl.${name}.`,
  );

const KEYS: readonly ConfigKey[] = [
  key(
    URL_KEY,
    'STRING',
    undefined,
    'HIGH',
    'The address of the registry, with /apis/registry/v2 or /apis/registry/v3.',
    {
      prominent: true,
    },
  ),
  key(`${REGISTRY}auto-register`, 'BOOLEAN', false, 'MEDIUM', 'Whether new schemas of records are registered.'),
  key(IF_EXISTS, 'STRING', null, 'LOW', 'Must be RETURN_OR_UPDATE or FIND_OR_CREATE_VERSION.'),
  key(`${REGISTRY}find-latest`, 'BOOLEAN', false, 'MEDIUM', 'Whether records are written with the latest schema.'),
  key(CHECK_PERIOD, 'LONG', 30_000, 'LOW', 'Milliseconds after which the latest schema is read again.'),
  key(HEADERS, 'BOOLEAN', null, 'MEDIUM', 'Must be false, which version 2 of the registry has to be told.'),
  key(AS_CONFLUENT, 'BOOLEAN', null, 'MEDIUM', 'Must be true with version 2 of the registry.'),
  key(ID_HANDLER, 'CLASS', null, 'LOW', 'Must be absent, or one with 4 bytes.'),
  key(USE_ID, 'STRING', null, 'MEDIUM', 'Must be contentId, which version 2 of the registry has to be told.'),
  key(STRATEGY, 'CLASS', null, 'LOW', 'Must be TopicIdStrategy.'),
  key(GROUP, 'STRING', null, 'LOW', 'Must be default.'),
  ...AUTH.flatMap((prefix) => [
    key(`${prefix}username`, 'STRING', null, 'MEDIUM', 'The user of HTTP Basic.'),
    key(`${prefix}password`, 'PASSWORD', null, 'MEDIUM', 'The password of HTTP Basic.'),
    key(`${prefix}service.token.endpoint`, 'STRING', null, 'MEDIUM', 'Where the authorization server issues tokens.'),
    key(`${prefix}service.url`, 'STRING', null, 'MEDIUM', 'The address of Keycloak, with realm.'),
    key(`${prefix}realm`, 'STRING', null, 'MEDIUM', 'The realm of service.url.'),
    key(`${prefix}client.id`, 'STRING', null, 'MEDIUM', 'The client that tokens are issued for.'),
    key(`${prefix}client.secret`, 'PASSWORD', null, 'MEDIUM', 'The secret of client.id.'),
    key(`${prefix}client.scope`, 'STRING', null, 'MEDIUM', 'The scope of tokens.'),
  ]),
  ...TLS.flatMap((prefix) => [...STORE_SETTINGS, 'key.password'].map((name) => store(prefix, name))),
  key(
    `${REGISTRY}tls.verify-host`,
    'BOOLEAN',
    true,
    'LOW',
    'Whether the certificate must be of the host in the address.',
  ),
];

export const APICURIO_CONFIG: readonly ConfigKey[] = checkedTogether(KEYS, confluentSettings);
