/** Errors of the herder that carry an HTTP status and Java's text. Source: connect-rest §2. */
export const CONFLICT = 'Cannot complete request because of a conflicting operation (e.g. worker rebalance)';
export const NO_LEADER =
  'Cannot complete request momentarily due to no known leader URL, likely because a rebalance was underway.';

export class HerderError extends Error {
  readonly status: number;
  constructor(status: number, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'HerderError';
    this.status = status;
  }
}

/** Another worker could not be reached. It has received nothing, so the request may be sent again. */
export class UnreachableWorkerError extends HerderError {
  constructor(message: string, options?: { cause?: unknown }) {
    super(500, message, options);
    this.name = 'UnreachableWorkerError';
  }
}

/** The request belongs to another worker; `url` is null while that worker is unknown (409). */
export class NotHereError extends Error {
  readonly url: string | null;
  private readonly where: (() => string | null) | null;

  /** `where`: the other worker's URL, or a function that returns the current one. */
  constructor(where: string | null | (() => string | null)) {
    super('This request must be handled by another worker');
    this.name = 'NotHereError';
    this.where = typeof where === 'function' ? where : null;
    this.url = typeof where === 'function' ? where() : where;
  }

  /** True when the other worker may become known later. */
  get isMomentary(): boolean {
    return this.where !== null;
  }
  /** True once the request belongs to a different worker, possibly this one. */
  get isOutdated(): boolean {
    return this.where !== null && this.where() !== this.url;
  }
}
