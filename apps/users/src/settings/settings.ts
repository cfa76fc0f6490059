/** The program's settings, read from the environment and checked before any connection or port is opened. */
import { readFileSync } from 'node:fs';
import { type Endpoint, isLoopback, nameIn, parseEndpoint } from './endpoint';

type CacheMode = 'auto' | 'cluster' | 'standalone';
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

interface TlsSettings {
  /** The only trust anchors, in PEM. Undefined: those of Node.js. */
  readonly ca: string[] | undefined;
  /** The name that the certificate must have. Undefined: the host of the connection. */
  readonly servername: string | undefined;
}

export interface CacheSettings {
  readonly endpoint: Endpoint;
  readonly mode: CacheMode;
  readonly username: string;
  /**
   * Called before each connection, so that a changed password file takes effect without a restart. Throws if the
   * password is not valid.
   */
  readonly password: () => string;
  /** Null: plain text, allowed for loopback only. */
  readonly tls: TlsSettings | null;
  readonly readFromReplicas: boolean;
  readonly timeoutMs: number;
  readonly connectTimeoutMs: number;
  /** 0: serve before the cache responds. */
  readonly startupTimeoutMs: number;
}

export interface Settings {
  readonly host: string;
  readonly port: number;
  readonly maxBodyBytes: number;
  /** Names by which clients address the program; null: not checked. */
  readonly allowedHosts: readonly string[] | null;
  readonly logLevel: LogLevel;
  readonly cache: CacheSettings;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** All problems of the environment, one sentence each. Contains no values, because they may be misplaced secrets. */
export class SettingsError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join('; '));
    this.name = 'SettingsError';
  }
}

const REQUIRED = ['CACHE_CLUSTER_ENDPOINT', 'CACHE_USERNAME', 'CACHE_PASSWORD'] as const;

/** @throws SettingsError that names every missing or invalid variable. */
export function readSettings(env: Environment): Settings {
  const problems: string[] = [];
  const get = (name: string): string | undefined => env[name] || undefined;

  for (const name of REQUIRED) {
    const isElsewhere = name === 'CACHE_PASSWORD' && get('CACHE_PASSWORD_FILE') !== undefined;
    if (get(name) === undefined && !isElsewhere) problems.push(`${name} env var missing`);
  }

  function oneOf<T extends string>(name: string, choices: readonly T[], fallback: T): T {
    const value = get(name) ?? fallback;
    const found = choices.find((choice) => choice === value);
    if (found === undefined) problems.push(`${name} must be one of ${choices.join(', ')}`);
    return found ?? fallback;
  }
  function whole(name: string, fallback: number, min: number, max: number): number {
    const value = get(name);
    if (value === undefined) return fallback;
    if (/^\d{1,10}$/.test(value) && Number(value) >= min && Number(value) <= max) return Number(value);
    problems.push(`${name} must be a whole number from ${min} to ${max}`);
    return fallback;
  }

  const endpointText = get('CACHE_CLUSTER_ENDPOINT');
  const endpoint = endpointText === undefined ? null : parseEndpoint(endpointText);
  if (endpointText !== undefined && !endpoint)
    problems.push('CACHE_CLUSTER_ENDPOINT must be host:port, without a scheme, user or path');

  const username = get('CACHE_USERNAME') ?? '';
  if (/\s/.test(username)) problems.push('CACHE_USERNAME must not contain white space');

  const usesTls = oneOf('CACHE_TLS', ['on', 'off'], 'on') === 'on';
  if (!usesTls && endpoint && !isLoopback(endpoint))
    problems.push('CACHE_TLS=off is allowed with a loopback CACHE_CLUSTER_ENDPOINT only');

  const settings: Settings = {
    host: get('HOST') ?? '0.0.0.0',
    port: whole('PORT', 8080, 0, 65_535),
    allowedHosts: allowedHosts(env, problems),
    maxBodyBytes: whole('MAX_BODY_BYTES', 16_384, 64, 16_777_216),
    logLevel: oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
    cache: {
      endpoint: endpoint ?? { host: '', port: 0 },
      mode: oneOf('CACHE_MODE', ['auto', 'cluster', 'standalone'], 'auto'),
      username,
      password: passwordSource(env, problems),
      tls: usesTls ? { ca: trustAnchors(env, problems), servername: get('CACHE_TLS_SERVERNAME') } : null,
      readFromReplicas: oneOf('CACHE_READ_FROM', ['primary', 'replica'], 'primary') === 'replica',
      timeoutMs: whole('CACHE_TIMEOUT_MS', 2_000, 1, 60_000),
      connectTimeoutMs: whole('CACHE_CONNECT_TIMEOUT_MS', 2_000, 1, 60_000),
      startupTimeoutMs: whole('CACHE_STARTUP_TIMEOUT_MS', 30_000, 0, 3_600_000),
    },
  };
  if (problems.length > 0) throw new SettingsError(problems);
  return settings;
}

/** Of a loopback address only this machine's names are known. */
function allowedHosts(env: Environment, problems: string[]): readonly string[] | null {
  const { ALLOWED_HOSTS: text = '', HOST: host = '' } = env;
  const names = text.split(',').map((name) => name.trim().toLowerCase());
  const given = names.filter((name) => name !== '');
  if (given.some((name) => nameIn(name) !== name))
    problems.push('ALLOWED_HOSTS must be a comma-separated list of host names, without ports');
  return given.length > 0 || isLoopback({ host, port: 0 }) ? given : null;
}

function passwordSource(env: Environment, problems: string[]): () => string {
  const { CACHE_PASSWORD: password, CACHE_PASSWORD_FILE: file } = env;
  if (password && file) problems.push('CACHE_PASSWORD and CACHE_PASSWORD_FILE must not both be set');
  if (file) {
    const read = (): string => checked('the password in CACHE_PASSWORD_FILE', readText(file, 'CACHE_PASSWORD_FILE'));
    attempt(read, problems);
    return read;
  }
  if (password) attempt(() => checked('CACHE_PASSWORD', password), problems);
  return () => password ?? '';
}

/**
 * Amazon MemoryDB's rule for passwords: 16 to 128 printable characters without `,` `"` `/` `@`. "Printable" is
 * interpreted as ASCII 0x21 to 0x7E.
 */
export function isPassword(text: string): boolean {
  return /^[\x21-\x7e]{16,128}$/.test(text) && !/[,"/@]/.test(text);
}

function checked(what: string, password: string): string {
  if (!isPassword(password))
    throw new Error(`${what} must be 16 to 128 printable ASCII characters, without spaces and without , " / @`);
  return password;
}

/** Removes the line end that editors and `echo` add. */
function readText(file: string, name: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new Error(`${name} cannot be read (${(error as NodeJS.ErrnoException).code})`, { cause: error });
  }
}

function trustAnchors(env: Environment, problems: string[]): string[] | undefined {
  const file = env.CACHE_TLS_CA_FILE;
  if (!file) return undefined;
  const text = attempt(() => readText(file, 'CACHE_TLS_CA_FILE'), problems);
  if (text !== undefined && !text.includes('-----BEGIN CERTIFICATE-----'))
    problems.push('CACHE_TLS_CA_FILE must contain certificates in PEM');
  // Not with the public authorities: each of them could vouch for another server.
  return text === undefined ? undefined : [text];
}

function attempt<T>(work: () => T, problems: string[]): T | undefined {
  try {
    return work();
  } catch (error) {
    problems.push((error as Error).message);
    return undefined;
  }
}
