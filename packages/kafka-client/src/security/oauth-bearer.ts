/**
 * Tokens for SASL/OAUTHBEARER: unsecured ones for development, as from Java's OAuthBearerUnsecuredLoginCallbackHandler,
 * and the client credentials grant of an authorization server. Source: kafka-client §3.
 */
import { BodyTooLarge, boundedBody, timeoutSignal } from '@millrace/sdk';
import { KafkaError } from '../errors';
import { invalid } from '../client-settings';

export interface OAuthToken {
  readonly value: string;
  /** SASL extensions (KIP-342). */
  readonly extensions: Readonly<Record<string, string>>;
}

/** Called for each authentication. Rejects with KafkaError SASL_AUTHENTICATION_FAILED. */
export type TokenSource = () => Promise<OAuthToken>;

const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Every call creates a new token, valid from now. */
export function unsecuredTokens(options: Readonly<Record<string, string>>, now: () => number = Date.now): TokenSource {
  const claims: Record<string, unknown> = {};
  const extensions: Record<string, string> = {};
  const key = 'sasl.jaas.config';
  for (const [name, value] of Object.entries(options)) {
    const match = /^unsecuredLogin(StringClaim|NumberClaim|ListClaim|Extension)_(.+)$/.exec(name);
    if (match === null) continue;
    const [, kind, claim] = match as unknown as [string, string, string];
    if (kind === 'StringClaim') claims[claim] = value;
    else if (kind === 'ListClaim') claims[claim] = value === '' ? [] : value.slice(1).split(value[0] as string);
    else if (kind === 'Extension') extensions[claim] = value;
    else if (value.trim() === '' || Number.isNaN(Number(value))) throw invalid(key, `needs a number for ${name}`);
    else claims[claim] = Number(value);
  }
  const principalClaim = options['unsecuredLoginPrincipalClaimName'] ?? 'sub';
  if (typeof claims[principalClaim] !== 'string') {
    throw invalid(key, `needs unsecuredLoginStringClaim_${principalClaim} for an unsecured OAUTHBEARER token`);
  }
  const lifetime = Number(options['unsecuredLoginLifetimeSeconds'] ?? 3600);
  if (!(lifetime > 0)) throw invalid(key, 'needs a positive number for unsecuredLoginLifetimeSeconds');
  return () => {
    const iat = now() / 1000;
    const value = `${base64url({ alg: 'none' })}.${base64url({ ...claims, iat, exp: iat + lifetime })}.`;
    return Promise.resolve({ value, extensions });
  };
}

const RENEWAL_PATIENCE_MS = 5_000;
/** A token has a few KB. */
const MAX_RESPONSE_BYTES = 1024 * 1024;

export interface ClientCredentials {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string | null;
  readonly extensions: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/**
 * Reuses a token for 80 % of its lifetime, where Java's refresh window starts, and for the rest of its lifetime while
 * no other is available.
 */
export function clientCredentialsTokens(credentials: ClientCredentials, now: () => number = Date.now): TokenSource {
  let current: { token: OAuthToken; refreshAt: number; expiresAt: number } | null = null;
  let pending: Promise<OAuthToken> | null = null;
  const renew = async (): Promise<OAuthToken> => {
    const requestedAt = now();
    // With a valid token, authentication does not wait for an unresponsive endpoint.
    const patienceMs = current !== null && requestedAt < current.expiresAt ? RENEWAL_PATIENCE_MS : Infinity;
    const { value, lifetimeMs } = await requestToken(credentials, Math.min(credentials.timeoutMs, patienceMs));
    const token = { value, extensions: credentials.extensions };
    current = { token, refreshAt: requestedAt + lifetimeMs * 0.8, expiresAt: requestedAt + lifetimeMs };
    return token;
  };
  return () => {
    if (current !== null && now() < current.refreshAt) return Promise.resolve(current.token);
    pending ??= renew()
      .catch((error: KafkaError) => {
        // A rejection is final; when the endpoint is unavailable the current token is still valid.
        if (error.retriable && current !== null && now() < current.expiresAt) return current.token;
        throw error;
      })
      .finally(() => {
        pending = null;
      });
    return pending;
  };
}

async function requestToken(
  credentials: ClientCredentials,
  timeoutMs: number,
): Promise<{ value: string; lifetimeMs: number }> {
  const fail = (problem: string, retriable: boolean, cause?: unknown): KafkaError =>
    new KafkaError('SASL_AUTHENTICATION_FAILED', `No OAUTHBEARER token from ${credentials.url}: ${problem}`, {
      retriable,
      cause,
    });
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  if (credentials.scope !== null) form.set('scope', credentials.scope);
  const basic = Buffer.from(`${credentials.clientId}:${credentials.clientSecret}`).toString('base64');
  let status: number;
  let body: unknown;
  try {
    const response = await fetch(credentials.url, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}`, accept: 'application/json' },
      body: form,
      // The target of a redirect is not an allowed URL.
      redirect: 'manual',
      signal: timeoutSignal(timeoutMs),
    });
    status = response.status;
    body = jsonOf(await boundedBody(response, MAX_RESPONSE_BYTES));
  } catch (cause) {
    if (cause instanceof BodyTooLarge) throw fail(`its response cannot be used: ${cause.message}`, false, cause);
    const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : String(cause);
    throw fail(reason, true, cause);
  }
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  if (status !== 200) {
    const error = typeof fields['error'] === 'string' ? ` (${fields['error']})` : '';
    const redirect = status >= 300 && status < 400 ? '; redirects are not followed' : '';
    throw fail(`it returned HTTP status ${status}${error}${redirect}`, status >= 500 || status === 429);
  }
  const value = fields['access_token'];
  if (typeof value !== 'string' || value === '') throw fail('its response has no access_token', false);
  const seconds = Number(fields['expires_in'] ?? expiryOf(value));
  return { value, lifetimeMs: Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0 };
}

/** Null: it is not JSON. */
function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
}

/** Seconds until a JWT expires; 0 when unknown, so that the token is used once. */
function expiryOf(token: string): number {
  try {
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { exp?: unknown };
    return typeof claims.exp === 'number' ? claims.exp - Date.now() / 1000 : 0;
  } catch {
    return 0;
  }
}
