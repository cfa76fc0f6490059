/** Bounds the memory of request bodies: of each, and of all in flight. Pure. */
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

export class BodyBudget {
  private held = 0;

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

  /** Throws RestError 503 when so many bytes exceed the budget. */
  requireRoom(bytes: number): void {
    const { inFlightBytes } = this.limits;
    if (this.held + bytes <= inFlightBytes) return;
    throw new RestError(
      503,
      `There is no room for this body: all bodies of requests in progress are limited to rest.bodies.in.flight.max.bytes (${inFlightBytes}); retry in a moment`,
      { retryAfterS: RETRY_AFTER_S },
    );
  }

  /** Throws RestError 503. */
  reserve(bytes: number): void {
    this.requireRoom(bytes);
    this.held += bytes;
  }

  release(bytes: number): void {
    this.held -= bytes;
  }
}

export function tooLarge(limit: number): RestError {
  return new RestError(
    413,
    `The request body is larger than ${limit} bytes; to allow more, increase rest.body.max.bytes`,
  );
}
