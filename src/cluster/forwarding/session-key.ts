/** The group's session key and its signatures. Source: connect-runtime §2.7, connect-rest §1.22. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { SessionKey } from '../../storage/config/config-records';
import { HerderError } from '../errors';
import type { SignedBody } from '../entities';

export const AUTHORIZATION_HEADER = 'X-Connect-Authorization';
export const ALGORITHM_HEADER = 'X-Connect-Request-Signature-Algorithm';

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Java's MAC names → digest and default key length in bytes. */
const ALGORITHMS: Readonly<Record<string, { readonly digest: string; readonly keyBytes: number }>> = {
  hmacmd5: { digest: 'md5', keyBytes: 64 },
  hmacsha1: { digest: 'sha1', keyBytes: 64 },
  hmacsha224: { digest: 'sha224', keyBytes: 28 },
  hmacsha256: { digest: 'sha256', keyBytes: 32 },
  hmacsha384: { digest: 'sha384', keyBytes: 48 },
  hmacsha512: { digest: 'sha512', keyBytes: 64 },
};

function algorithm(name: string): { readonly digest: string; readonly keyBytes: number } | undefined {
  return ALGORITHMS[name.toLowerCase()];
}

export interface SessionKeySettings {
  readonly algorithm: string;
  /** Bits; null: the algorithm's default. */
  readonly size: number | null;
  /** Milliseconds; 0: no limit. */
  readonly ttlMs: number;
}

function keyBytes({ algorithm: name, size }: SessionKeySettings): number {
  return size === null ? (algorithm(name)?.keyBytes ?? 32) : Math.ceil(size / 8);
}

export function generateSessionKey(settings: SessionKeySettings, now: number): SessionKey {
  return { key: randomBytes(keyBytes(settings)), algorithm: settings.algorithm, createdAt: now };
}

/** When the leader must replace the key; -Infinity: now, Infinity: never. */
export function keyExpiry(key: SessionKey | null, settings: SessionKeySettings): number {
  if (key === null || key.algorithm !== settings.algorithm || key.key.length !== keyBytes(settings)) return -Infinity;
  return settings.ttlMs > 0 ? key.createdAt + settings.ttlMs : Infinity;
}

/** A secret that all workers of the group derive from the key, and that signs nothing else. */
export function deriveSecret(key: SessionKey, purpose: string): Buffer {
  return createHmac('sha256', key.key).update(purpose).digest();
}

/** Base64 of the MAC of the exact body bytes. */
export function sign(key: SessionKey, macAlgorithm: string, body: Uint8Array): string {
  const digest = algorithm(macAlgorithm)?.digest;
  if (digest === undefined) throw new HerderError(400, `Algorithm ${macAlgorithm} not available`);
  return createHmac(digest, key.key).update(body).digest('base64');
}

/** Whether the texts have the form of a signature, of whatever body. */
export function isSignature(signature: string | null, macAlgorithm: string | null): boolean {
  const digest = algorithm(macAlgorithm ?? '')?.digest;
  if (digest === undefined || signature === null || !BASE64.test(signature)) return false;
  return Buffer.from(signature, 'base64').length === createHmac(digest, '').digest().length;
}

/** Throws HerderError with Java's status and text. */
export function verifySignature(key: SessionKey | null, allowed: readonly string[], body: SignedBody): void {
  const { signature, algorithm: name, raw } = body;
  if (signature === null || name === null) throw new HerderError(400, 'Internal request missing required signature');
  if (!algorithm(name)) throw new HerderError(400, `Algorithm ${name} not available`);
  const foreign = /[^A-Za-z0-9+/=]/u.exec(signature)?.[0];
  if (foreign !== undefined)
    throw new HerderError(400, `Illegal base64 character ${foreign.charCodeAt(0).toString(16)}`);
  if (!BASE64.test(signature) || signature.length % 4 !== 0) throw new HerderError(400, 'The signature is not Base64');
  if (!allowed.includes(name))
    throw new HerderError(
      400,
      `This worker does not support the '${name}' key signing algorithm used by other workers. This worker is currently configured to ` +
        `use: [${allowed.join(', ')}]. Check that all workers' configuration files permit the same set of signature algorithms, and ` +
        `correct any misconfigured worker and restart it.`,
    );
  if (key === null)
    throw new HerderError(
      503,
      'This worker is still starting up and has not been able to read a session key from the config topic yet',
    );
  const expected = Buffer.from(sign(key, name, raw), 'base64');
  const given = Buffer.from(signature, 'base64');
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new HerderError(403, 'Internal request contained invalid signature.');
}
