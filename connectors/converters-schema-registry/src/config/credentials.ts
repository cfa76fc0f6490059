/** How the client authenticates. */
import { parseJaasConfig, type ConnectorConfig } from '@millrace/sdk';
import { clientText, integer, invalid } from './read-settings';

export interface OAuthClient {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string | null;
  /** A token is replaced so many milliseconds before it expires. */
  readonly renewEarlyMs: number;
}

/** Headers that Confluent Cloud expects beside a token. */
type TokenHeaders = Readonly<Record<string, string>>;

export type Credentials =
  /** Those in each URL, or none. */
  | { readonly kind: 'url' }
  /** `user:password` */
  | { readonly kind: 'basic'; readonly userInfo: string }
  | { readonly kind: 'token'; readonly token: string; readonly headers: TokenHeaders }
  | { readonly kind: 'oauth'; readonly client: OAuthClient; readonly headers: TokenHeaders };

const BASIC_SOURCE = 'basic.auth.credentials.source';
const USER_INFO = 'basic.auth.user.info';
const JAAS = 'sasl.jaas.config';
const BEARER_SOURCE = 'bearer.auth.credentials.source';
const TOKEN = 'bearer.auth.token';
const TOKEN_URL = 'bearer.auth.issuer.endpoint.url';
export const BASIC_SOURCES = ['URL', 'USER_INFO', 'SASL_INHERIT'];
export const BEARER_SOURCES = ['STATIC_TOKEN', 'OAUTHBEARER'];

/** Throws ConfigError. */
export function credentials(config: ConnectorConfig): Credentials {
  const basic = sourceOf(config, BASIC_SOURCE, BASIC_SOURCES);
  if (basic === 'USER_INFO') return { kind: 'basic', userInfo: userInfo(config) };
  if (basic === 'SASL_INHERIT') return { kind: 'basic', userInfo: ofKafkaClient(config) };
  const bearer = sourceOf(config, BEARER_SOURCE, BEARER_SOURCES);
  if (bearer === 'OAUTHBEARER') return { kind: 'oauth', client: oauthClient(config), headers: tokenHeaders(config) };
  const token = clientText(config, TOKEN);
  if (token !== undefined) return { kind: 'token', token: headerSafe(TOKEN, token), headers: tokenHeaders(config) };
  if (bearer === 'STATIC_TOKEN') throw invalid(TOKEN, `is missing: ${BEARER_SOURCE}=STATIC_TOKEN needs it`);
  return { kind: 'url' };
}

/** What is wrong with the name of a source. Null: nothing. */
export function sourceProblem(name: string, known: readonly string[]): string | null {
  if (known.includes(name.toUpperCase())) return null;
  return `must be one of ${known.join(', ')}, not '${name.slice(0, 100)}'`;
}

function sourceOf(config: ConnectorConfig, key: string, known: readonly string[]): string | null {
  const name = clientText(config, key);
  if (name === undefined) return null;
  const problem = sourceProblem(name, known);
  if (problem !== null) throw invalid(key, problem);
  return name.toUpperCase();
}

function userInfo(config: ConnectorConfig): string {
  const value = clientText(config, USER_INFO);
  if (value === undefined) throw invalid(USER_INFO, `is missing: ${BASIC_SOURCE}=USER_INFO needs it`);
  if (!value.includes(':')) throw invalid(USER_INFO, 'must be a user and a password with a colon between them');
  return value;
}

/** As in Java, from the login module among the converter's own settings. */
function ofKafkaClient(config: ConnectorConfig): string {
  const jaas = clientText(config, JAAS);
  if (jaas === undefined)
    throw invalid(JAAS, `is missing: ${BASIC_SOURCE}=SASL_INHERIT needs it, with the prefix of the converter`);
  const { options } = parseJaasConfig(jaas, (problem) => invalid(JAAS, problem));
  const { username, password } = options;
  if (username === undefined || password === undefined) throw invalid(JAAS, 'has no username and password');
  return `${username}:${password}`;
}

function oauthClient(config: ConnectorConfig): OAuthClient {
  const required = (key: string): string => {
    const value = clientText(config, key);
    if (value === undefined) throw invalid(key, `is missing: ${BEARER_SOURCE}=OAUTHBEARER needs it`);
    return value;
  };
  const tokenUrl = required(TOKEN_URL);
  const parsed = URL.canParse(tokenUrl) ? new URL(tokenUrl) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.username !== '')
    throw invalid(TOKEN_URL, 'must be an http or https address without user and password');
  const buffer = 'bearer.auth.cache.expiry.buffer.seconds';
  return {
    tokenUrl,
    clientId: required('bearer.auth.client.id'),
    clientSecret: required('bearer.auth.client.secret'),
    scope: clientText(config, 'bearer.auth.scope') ?? null,
    renewEarlyMs: integer(buffer, clientText(config, buffer), 300, 0) * 1_000,
  };
}

function tokenHeaders(config: ConnectorConfig): TokenHeaders {
  const headers: Record<string, string> = {};
  const set = (header: string, key: string): void => {
    const value = clientText(config, key);
    if (value !== undefined) headers[header] = headerSafe(key, value);
  };
  set('target-sr-cluster', 'bearer.auth.logical.cluster');
  set('Confluent-Identity-Pool-Id', 'bearer.auth.identity.pool.id');
  return headers;
}

function headerSafe(key: string, value: string): string {
  if (!/^[\x21-\x7e]+$/.test(value)) throw invalid(key, 'must be of visible ASCII characters, without blanks');
  return value;
}
