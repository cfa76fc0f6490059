/**
 * The chat platform's request signature, version 0:
 * `v0=` and the hex HMAC-SHA256, keyed with the signing secret, of `v0:<timestamp header>:<raw body>`.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

export const TIMESTAMP_HEADER = 'x-slack-request-timestamp';
export const SIGNATURE_HEADER = 'x-slack-signature';

/** @param timestamp the header as it is: `01700000000` and `1700000000` sign differently. */
export function sign(secret: string, timestamp: string, body: Uint8Array): string {
  return `v0=${digest(secret, timestamp, body).toString('hex')}`;
}

export interface SignedRequest {
  /** The headers' values, undefined where there are none. */
  readonly timestamp: string | undefined;
  readonly signature: string | undefined;
  readonly body: Uint8Array;
}

export interface SignatureRules {
  readonly secrets: readonly string[];
  /** How far the timestamp may be from now, before or after. A signature from the future would be good for ever. */
  readonly maxAgeS: number;
  readonly nowMs: number;
}

/** Why a request is not from the chat platform, or null when it is. */
export function signatureProblem(request: SignedRequest, rules: SignatureRules): string | null {
  const { timestamp, signature, body } = request;
  if (timestamp === undefined || signature === undefined) return 'no signature';
  if (!/^\d{1,12}$/.test(timestamp)) return 'malformed timestamp';
  const hex = /^v0=([0-9a-f]{64})$/.exec(signature)?.[1];
  if (hex === undefined) return 'malformed signature';
  const ageS = Math.floor(rules.nowMs / 1000) - Number(timestamp);
  if (Math.abs(ageS) > rules.maxAgeS) return ageS > 0 ? 'timestamp too old' : 'timestamp in the future';
  const given = Buffer.from(hex, 'hex');
  // Every secret is tried, and in constant time: how long it takes tells nothing.
  const matches = rules.secrets.filter((secret) => timingSafeEqual(digest(secret, timestamp, body), given));
  return matches.length > 0 ? null : 'wrong signature';
}

function digest(secret: string, timestamp: string, body: Uint8Array): Buffer {
  return createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest();
}
