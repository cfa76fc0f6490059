/** Where the registry is, and how its client connects. */
import type { ConnectionOptions } from 'node:tls';
import { tlsOptions, type ConnectorConfig } from '@millrace/sdk';
import { credentials, type Credentials } from './credentials';
import { CLIENT_PREFIX, clientText, integer, invalid, text } from './read-settings';

export const URL_KEY = 'schema.registry.url';
const MOCK = 'mock:';
/** Java's. */
const TIMEOUT_MS = 60_000;

export interface RegistryUrl {
  /** Without credentials, query and a slash at the end; errors may show it. */
  readonly base: string;
  /** `user:password` of the URL. Null: it has none. */
  readonly userInfo: string | null;
}

export interface Proxy {
  readonly host: string;
  readonly port: number;
}

export interface ConnectionSettings {
  readonly urls: readonly RegistryUrl[];
  readonly credentials: Credentials;
  readonly tls: ConnectionOptions;
  readonly proxy: Proxy | null;
  readonly connectTimeoutMs: number;
  readonly readTimeoutMs: number;
}

/** The scope of the registry in memory that `mock://SCOPE` names. Null: it is none. Throws ConfigError. */
export function mockScope(config: ConnectorConfig): string | null {
  const urls = listed(config);
  const scopes = urls.filter((url) => url.startsWith(`${MOCK}//`));
  if (scopes.length === 0) return null;
  if (urls.length > 1) throw invalid(URL_KEY, 'must name one registry in memory (mock://) alone');
  return (scopes[0] as string).slice(`${MOCK}//`.length);
}

/** Throws ConfigError. */
export function connectionSettings(config: ConnectorConfig): ConnectionSettings {
  const urls = listed(config).map(parseUrl);
  const timeout = (key: string): number =>
    // Zero means none in Java; requests without an end would block the task.
    integer(key, clientText(config, key), TIMEOUT_MS, 0) || TIMEOUT_MS;
  return {
    urls,
    credentials: credentials(config),
    tls: tlsSettings(config),
    proxy: proxyOf(config),
    connectTimeoutMs: timeout('http.connect.timeout.ms'),
    readTimeoutMs: timeout('http.read.timeout.ms'),
  };
}

function listed(config: ConnectorConfig): string[] {
  const urls = (text(config, URL_KEY) ?? '')
    .split(',')
    .map((url) => url.trim())
    .filter((url) => url !== '');
  if (urls.length === 0) throw invalid(URL_KEY, 'is missing: it lists the addresses of the schema registry');
  return urls;
}

/** What is wrong with an address. Null: nothing. */
export function urlProblem(url: string): string | null {
  if (url.startsWith(`${MOCK}//`)) return null;
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.hostname !== '') return null;
  // The text may hold a password.
  const shown = url.includes('@') ? 'the address with user and password' : `'${url.slice(0, 200)}'`;
  return `must list addresses such as http://registry:8081, not ${shown}`;
}

function parseUrl(url: string): RegistryUrl {
  const problem = urlProblem(url);
  if (problem !== null) throw invalid(URL_KEY, problem);
  const { origin, pathname, username, password } = new URL(url);
  return {
    base: origin + pathname.replace(/\/$/, ''),
    userInfo: username === '' ? null : `${decoded(username)}:${decoded(password)}`,
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function tlsSettings(config: ConnectorConfig): ConnectionOptions {
  const own = Object.entries(config).filter(([name]) => name.startsWith(CLIENT_PREFIX));
  const settings = Object.fromEntries(own.map(([name, value]) => [name.slice(CLIENT_PREFIX.length), value]));
  return tlsOptions(settings, (key, problem, cause) => invalid(CLIENT_PREFIX + key, problem, cause));
}

/** What needs no file: throws ConfigError. */
export function checkAccess(config: ConnectorConfig): void {
  credentials(config);
  proxyOf(config);
}

function proxyOf(config: ConnectorConfig): Proxy | null {
  const host = clientText(config, 'proxy.host');
  const port = integer('proxy.port', clientText(config, 'proxy.port'), -1, -1);
  if (host === undefined) return null;
  if (!/^[\w.:[\]-]+$/.test(host)) throw invalid('proxy.host', 'must be the name or address of a host, without scheme');
  if (port < 1 || port > 65_535) throw invalid('proxy.port', 'must be a port, because proxy.host is set');
  return { host, port };
}
