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

/** Another worker could not be connected to: it has heard nothing of the request, which may be sent again. */
export class UnreachableWorkerError extends HerderError {
  constructor(message: string, options?: { cause?: unknown }) {
    super(500, message, options);
    this.name = 'UnreachableWorkerError';
  }
}

/** The request belongs to another worker; `url` is null while it is not known (409). */
export class NotHereError extends Error {
  readonly url: string | null;
  private readonly where: (() => string | null) | null;

  /** `where`: its URL, or a function that knows where it belongs by now. */
  constructor(where: string | null | (() => string | null)) {
    super('This request must be handled by another worker');
    this.name = 'NotHereError';
    this.where = typeof where === 'function' ? where : null;
    this.url = typeof where === 'function' ? where() : where;
  }

  /** True when it may become known later where the request belongs. */
  get isMomentary(): boolean {
    return this.where !== null;
  }
  /** True once the request belongs elsewhere, this worker included. */
  get isOutdated(): boolean {
    return this.where !== null && this.where() !== this.url;
  }
}
