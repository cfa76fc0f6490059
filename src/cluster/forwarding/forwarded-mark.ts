/**
 * Marks requests that a worker forwards, so that the receiver knows that they are in a worker's audit log already. The
 * mark is signed: a client that could add it would hide its changes. Pure.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

export const FORWARDED_HEADER = 'X-Millrace-Forwarded';

/** Purpose for `Herder.groupSecret`. */
export const FORWARDED_SECRET = 'millrace forwarded request';
/** Workers' clocks may differ by so much, and a request may wait so long. Milliseconds. */
const VALID_MS = 300_000;
const MARK = /^(\d{1,16})\.([0-9a-f]{64})$/;

export interface MarkedRequest {
  readonly method: string;
  /** Percent-encoded, without the query. */
  readonly path: string;
  readonly authorization: string | null;
}

export function forwardedMark(secret: Buffer, request: MarkedRequest, now: number): string {
  return `${now}.${mac(secret, request, now).toString('hex')}`;
}

export function isForwardedMark(
  secret: Buffer,
  request: MarkedRequest,
  mark: string,
  now: number,
  validMs = VALID_MS,
): boolean {
  const [, time = '', given = ''] = MARK.exec(mark) ?? [];
  if (given === '' || Math.abs(now - Number(time)) > validMs) return false;
  return timingSafeEqual(mac(secret, request, Number(time)), Buffer.from(given, 'hex'));
}

function mac(secret: Buffer, { method, path, authorization }: MarkedRequest, time: number): Buffer {
  const text = JSON.stringify([method, path, authorization, time]);
  return createHmac('sha256', secret).update(text).digest();
}
