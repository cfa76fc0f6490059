/** Bounds the memory of request bodies: of each, of all of a caller, and of all in flight. Pure. */
import { RestError } from './rest-error';

export interface BodyLimits {
  /** `rest.body.max.bytes`. */
  readonly maxBytes: number;
  /** `rest.bodies.in.flight.max.bytes`: of all requests in progress. */
  readonly inFlightBytes: number;
  /** Time limit for receiving a body, milliseconds. (Default: 30 s) */
  readonly deadlineMs?: number;
}

/**
 * The task configs of a connector with thousands of tables are one document. A body above `rest.body.max.bytes` is not
 * parsed before its signature is verified.
 */
const SIGNED_FACTOR = 10;
const DEADLINE_MS = 30_000;
const RETRY_AFTER_S = 1;

/**
 * A caller may hold as much as it leaves free for others, or one body. So a single caller holds at most half, and the
 * next one still finds room, however long the first one's requests take.
 */
export class BodyBudget {
  private held = 0;
  /** Bytes by caller. */
  private readonly holders = new Map<string, number>();

  constructor(private readonly limits: BodyLimits) {}

  get maxBytes(): number {
    return this.limits.maxBytes;
  }
  /** Limit of signed bodies, which are not parsed before their signature is verified. */
  get maxSignedBytes(): number {
    return Math.min(this.limits.maxBytes * SIGNED_FACTOR, this.limits.inFlightBytes);
  }
  get deadlineMs(): number {
    return this.limits.deadlineMs ?? DEADLINE_MS;
  }

  /**
   * Throws RestError 503 when so many bytes exceed the budget, or the caller's share of it.
   * @param ofBody bytes that the same body holds already
   */
  requireRoom(caller: string, bytes: number, ofBody = 0): void {
    const { inFlightBytes } = this.limits;
    const free = inFlightBytes - this.held - bytes;
    if (free < 0)
      throw noRoom(
        `all bodies of requests in progress are limited to rest.bodies.in.flight.max.bytes (${inFlightBytes})`,
      );
    const others = (this.holders.get(caller) ?? 0) - ofBody;
    if (others > 0 && others + ofBody + bytes > free)
      throw noRoom(
        `the bodies of one caller's requests in progress may take half of what others leave of rest.bodies.in.flight.max.bytes (${inFlightBytes})`,
      );
  }

  /** Throws RestError 503, as `requireRoom` does. */
  reserve(caller: string, bytes: number, ofBody = 0): void {
    this.requireRoom(caller, bytes, ofBody);
    this.held += bytes;
    this.holders.set(caller, (this.holders.get(caller) ?? 0) + bytes);
  }

  release(caller: string, bytes: number): void {
    this.held -= bytes;
    const left = (this.holders.get(caller) ?? 0) - bytes;
    if (left > 0) this.holders.set(caller, left);
    else this.holders.delete(caller);
  }
}

function noRoom(reason: string): RestError {
  return new RestError(503, `There is no room for this body: ${reason}; retry in a moment`, {
    retryAfterS: RETRY_AFTER_S,
  });
}

export function tooLarge(limit: number): RestError {
  return new RestError(
    413,
    `The request body is larger than ${limit} bytes; to allow more, increase rest.body.max.bytes`,
  );
}
