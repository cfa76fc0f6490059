/**
 * Marks of internal requests. Java's signature covers the body alone, so a request that is seen on the network can be
 * sent again, also for another connector. A mark, signed with a secret of the session key, covers method, connector,
 * body, time and a random number, and is accepted once. Java's workers send none.
 */
import { randomBytes } from 'node:crypto';
import type { SessionKey } from '../../storage/config/config-records';
import type { SignedBody } from '../entities';
import { HerderError } from '../errors';
import { forwardedMark, isForwardedMark, type MarkedRequest } from './forwarded-mark';
import { deriveSecret } from './session-key';

export const MARK_HEADER = 'X-Millrace-Signature';
/** Purpose for `Herder.groupSecret`. */
export const MARK_SECRET = 'millrace internal request';
/** As long as a session key by default: workers whose clocks differ must not be excluded. */
const VALID_MS = 3_600_000;
/** Only workers of the group add to them. */
const MAX_SEEN = 10_000;

/** The last segment of the path. */
export type InternalRequest = 'tasks' | 'fence';

/** Tasks of a connector that start in the same millisecond send the same request, apart from it. */
const NONCE_BYTES = 12;
const NONCE = /^([0-9a-f]{24})\.(.*)$/;

/** `signature`: that of the body. */
function markedRequest(
  kind: InternalRequest,
  connector: string,
  signature: string | null,
  nonce: string,
): MarkedRequest {
  // Not the path as it was sent: a worker that forwards the request may encode it differently.
  return {
    method: kind === 'tasks' ? 'POST' : 'PUT',
    path: JSON.stringify([kind, connector, nonce]),
    authorization: signature,
  };
}

export function internalMark(
  key: SessionKey,
  kind: InternalRequest,
  connector: string,
  signature: string,
  now = Date.now(),
): string {
  const nonce = randomBytes(NONCE_BYTES).toString('hex');
  const request = markedRequest(kind, connector, signature, nonce);
  return `${nonce}.${forwardedMark(deriveSecret(key, MARK_SECRET), request, now)}`;
}

/** Whether headers prove that a worker of the group sends the request. `secret`: of `MARK_SECRET`. */
export function isInternalMark(
  secret: Buffer,
  kind: InternalRequest,
  connector: string,
  { mark, signature }: { readonly mark: string; readonly signature: string | null },
  now = Date.now(),
): boolean {
  const [, nonce = '', signed = ''] = NONCE.exec(mark) ?? [];
  return isForwardedMark(secret, markedRequest(kind, connector, signature, nonce), signed, now, VALID_MS);
}

export class InternalMarks {
  private readonly seen = new Set<string>();
  /** A request is verified again when another worker becomes the leader meanwhile. */
  private readonly verified = new WeakSet<SignedBody>();

  constructor(
    private readonly key: () => SessionKey | null,
    /** Whether all workers of the group send marks, as far as this one knows. */
    private readonly areRequired: () => boolean,
    private readonly now: () => number = Date.now,
  ) {}

  /** Throws HerderError 403. The signature of the body is verified separately. */
  verify(kind: InternalRequest, connector: string, body: SignedBody): void {
    const { mark = null, signature } = body;
    if (mark === null) {
      if (!this.areRequired()) return;
      throw new HerderError(
        403,
        `Internal request has no ${MARK_HEADER} header, which all workers of this group send with theirs`,
      );
    }
    if (this.verified.has(body)) return;
    const key = this.key();
    const isValid =
      key !== null && isInternalMark(deriveSecret(key, MARK_SECRET), kind, connector, { mark, signature }, this.now());
    if (!isValid || this.seen.has(mark))
      throw new HerderError(
        403,
        `The ${MARK_HEADER} header of the internal request is of another request, of another session key, more than an ` +
          'hour old, or was used before; the clocks of the workers must agree',
      );
    this.verified.add(body);
    this.seen.add(mark);
    const [oldest] = this.seen;
    if (this.seen.size > MAX_SEEN && oldest !== undefined) this.seen.delete(oldest);
  }
}
