/** What request bodies may take of the worker: one of them, and all that are in flight. Pure. */
import { RestError } from './rest-error';

export interface BodyLimits {
  /** `rest.body.max.bytes`. */
  readonly maxBytes: number;
  /** `rest.bodies.in.flight.max.bytes`: of all requests that are worked on, or not answered yet. */
  readonly inFlightBytes: number;
  /** For a body to arrive, milliseconds. (Default: 30 s) */
  readonly deadlineMs?: number;
}

/**
 * Task configurations of a connector with thousands of tables are one document. Nobody looks into more than
 * `rest.body.max.bytes` before the signature is verified.
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
  /** Of bodies that nobody looks into before their signature is verified. */
  get maxSignedBytes(): number {
    return Math.min(this.limits.maxBytes * SIGNED_FACTOR, this.limits.inFlightBytes);
  }
  get deadlineMs(): number {
    return this.limits.deadlineMs ?? DEADLINE_MS;
  }

  /** Throws RestError 503 when there is no room for so much. */
  requireRoom(bytes: number): void {
    const { inFlightBytes } = this.limits;
    if (this.held + bytes <= inFlightBytes) return;
    throw new RestError(
      503,
      `The bodies of requests under way take all of rest.bodies.in.flight.max.bytes (${inFlightBytes}); try again in a moment`,
      { retryAfterS: RETRY_AFTER_S },
    );
  }

  /** Throws RestError 503. */
  take(bytes: number): void {
    this.requireRoom(bytes);
    this.held += bytes;
  }

  give(bytes: number): void {
    this.held -= bytes;
  }
}

export function tooLarge(limit: number): RestError {
  return new RestError(413, `The request body is larger than ${limit} bytes; rest.body.max.bytes allows more`);
}
