/** The public keys of the identity provider (a JSON Web Key Set), from a file or a URL. Both may change at any time. */
import { statSync, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { boundedBody, ConfigError, messageOf, monotonicNow, readRegularFile, readRegularFileSync } from '@millrace/sdk';
import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose';
import type { BearerSettings } from '../../config/rest-auth-settings';
import type { Logger } from '../../logging/logger';
import { keysUnavailable } from './access-error';

/** Far above the keys of any provider. Bytes. */
const MAX_BYTES = 256 * 1024;
const FETCH_TIMEOUT_MS = 5_000;
/** After a failed fetch, callers do not wait for another one. */
const RETRY_MS = 5_000;
/** A token with an unknown key id makes a fetch at most this often. */
const COOLDOWN_MS = 30_000;
const MAX_AGE_MS = 600_000;
const CHECK_MS = 10_000;

/** Loaded with the first token: most workers have none. */
const loadJose = async () => await import('jose');

export function signingKeys(source: BearerSettings['keys'], logger: Logger): JWTVerifyGetKey {
  return 'file' in source ? keysOfFile(source.file, logger) : keysOfUrl(new URL(source.url), logger);
}

/** As jose requires it: a set that it rejects would be fetched again with each request. */
const isObject = (key: unknown): boolean => typeof key === 'object' && key !== null && !Array.isArray(key);

/** Throws an Error whose message is only the reason. */
function parseKeySet(bytes: Uint8Array): JSONWebKeySet {
  let found: unknown;
  try {
    found = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    // The parser's message quotes the text.
    throw new Error('it is not JSON');
  }
  const keys = (found as { keys?: unknown } | null)?.keys;
  if (!Array.isArray(keys) || !keys.every(isObject))
    throw new Error('it is not a JSON Web Key Set: an object with the array "keys"');
  return found as JSONWebKeySet;
}

/** Throws ConfigError `WORKER_CONFIG_INVALID` if the file cannot be used now. A later change that fails is logged. */
function keysOfFile(path: string, logger: Logger): JWTVerifyGetKey {
  let version: string;
  let set: JSONWebKeySet;
  /** Of the current set; null: not needed yet. */
  let keys: Promise<JWTVerifyGetKey> | null = null;
  let checkedAt = monotonicNow();
  try {
    version = versionOf(statSync(path));
    set = parseKeySet(readRegularFileSync(path, MAX_BYTES));
  } catch (error) {
    const key = 'rest.auth.jwks.file';
    throw new ConfigError(`Worker setting "${key}" is invalid: cannot read ${path}: ${messageOf(error)}.`, {
      code: 'WORKER_CONFIG_INVALID',
      place: { key },
      cause: error,
    });
  }

  async function refresh(): Promise<void> {
    checkedAt = monotonicNow();
    try {
      const found = versionOf(await stat(path));
      if (found === version) return;
      set = parseKeySet(await readRegularFile(path, MAX_BYTES));
      version = found;
      keys = null;
    } catch (error) {
      logger.warn(`Cannot read the changed ${path}, keeping the earlier keys: ${messageOf(error)}`);
    }
  }

  return async (header, token) => {
    if (monotonicNow() - checkedAt >= CHECK_MS) await refresh();
    keys ??= loadJose().then(({ createLocalJWKSet }) => createLocalJWKSet(set));
    return await (
      await keys
    )(header, token);
  };
}

function versionOf(stats: Stats): string {
  return `${stats.mtimeMs} ${stats.size} ${stats.ino}`;
}

function keysOfUrl(url: URL, logger: Logger): JWTVerifyGetKey {
  let failedAt = -Infinity;
  let keys: Promise<JWTVerifyGetKey> | null = null;

  async function fetchKeys(target: string, options: RequestInit): Promise<Response> {
    if (monotonicNow() - failedAt < RETRY_MS) throw keysUnavailable();
    try {
      const response = await fetch(target, options);
      if (response.status !== 200) throw new Error(`status ${response.status}`);
      const found = parseKeySet(await boundedBody(response, MAX_BYTES));
      return new Response(JSON.stringify(found), { status: 200 });
    } catch (error) {
      failedAt = monotonicNow();
      logger.warn(`Cannot read the keys that sign bearer tokens from ${url.href}, retrying: ${reasonOf(error)}`);
      throw keysUnavailable(error);
    }
  }

  return async (header, token) => {
    keys ??= loadJose().then(({ createRemoteJWKSet, customFetch }) =>
      createRemoteJWKSet(url, {
        timeoutDuration: FETCH_TIMEOUT_MS,
        cooldownDuration: COOLDOWN_MS,
        cacheMaxAge: MAX_AGE_MS,
        [customFetch]: fetchKeys,
      }),
    );
    return await (
      await keys
    )(header, token);
  };
}

/** `fetch` reports only "fetch failed", with its reason as the cause. */
function reasonOf(error: unknown): string {
  const { name, cause } = error as { name?: string; cause?: unknown };
  if (name === 'TimeoutError') return `no response within ${FETCH_TIMEOUT_MS} ms`;
  return messageOf(cause ?? error);
}
