/**
 * The chat platform's request signature, version 0:
 * `v0=` and the hex HMAC-SHA256, keyed with the signing secret, of `v0:<timestamp header>:<raw body>`.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

export const TIMESTAMP_HEADER = 'x-slack-request-timestamp';
export const SIGNATURE_HEADER = 'x-slack-signature';

/** @param timestamp the raw header: `01700000000` and `1700000000` have different signatures. */
export function sign(secret: string, timestamp: string, body: Uint8Array): string {
  return `v0=${digest(secret, timestamp, body).toString('hex')}`;
}

export interface SignedRequest {
  /** Values of the headers, undefined if missing. */
  readonly timestamp: string | undefined;
  readonly signature: string | undefined;
  readonly body: Uint8Array;
}

interface SignatureRules {
  readonly secrets: readonly string[];
  /** Maximum distance of the timestamp from now, before or after: a future signature could be replayed for long. */
  readonly maxAgeS: number;
  readonly nowMs: number;
}

/** Why a request is not from the chat platform. Null: it is. */
export function signatureProblem(request: SignedRequest, rules: SignatureRules): string | null {
  const { timestamp, signature, body } = request;
  if (timestamp === undefined || signature === undefined) return 'no signature';
  if (!/^\d{1,12}$/.test(timestamp)) return 'malformed timestamp';
  const hex = /^v0=([0-9a-f]{64})$/.exec(signature)?.[1];
  if (hex === undefined) return 'malformed signature';
  const ageS = Math.floor(rules.nowMs / 1000) - Number(timestamp);
  if (Math.abs(ageS) > rules.maxAgeS) return ageS > 0 ? 'timestamp too old' : 'timestamp in the future';
  const given = Buffer.from(hex, 'hex');
  // Tries every secret, each in constant time, so that the duration reveals nothing.
  const matches = rules.secrets.filter((secret) => timingSafeEqual(digest(secret, timestamp, body), given));
  return matches.length > 0 ? null : 'wrong signature';
}

function digest(secret: string, timestamp: string, body: Uint8Array): Buffer {
  return createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest();
}
