interface RestErrorOptions {
  readonly routing?: boolean;
  readonly plain?: boolean;
  readonly retryAfterS?: number;
  readonly challenge?: string;
  readonly cause?: unknown;
}

/** An error of the HTTP layer itself. Source: connect-rest §0.4. */
export class RestError extends Error {
  readonly status: number;
  /** Routing errors carry the JSON envelope but no Content-Type. */
  readonly routing: boolean;
  /** The body is the message itself, without the envelope, as an extension of Java sends it. */
  readonly plain: boolean;
  /** For `Retry-After`, seconds. */
  readonly retryAfterS: number | null;
  /** For `WWW-Authenticate`. */
  readonly challenge: string | null;

  constructor(status: number, message: string, options: RestErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'RestError';
    this.status = status;
    this.routing = options.routing ?? false;
    this.plain = options.plain ?? false;
    this.retryAfterS = options.retryAfterS ?? null;
    this.challenge = options.challenge ?? null;
  }
}

const REASONS: Readonly<Record<number, string>> = {
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  415: 'Unsupported Media Type',
};

/** Such as `HTTP 404 Not Found`: raised before a route has matched completely. */
export function routingError(status: 404 | 405 | 406 | 415): RestError {
  return new RestError(status, `HTTP ${status} ${REASONS[status]}`, { routing: true });
}

/** The same text raised after a route matched. */
export function matchedError(status: 404 | 415): RestError {
  return new RestError(status, `HTTP ${status} ${REASONS[status]}`);
}

/** Java's error for a request that exceeds its time limit, 90 seconds. Source: connect-rest §0.6. */
export function requestTimeout(): RestError {
  return new RestError(500, 'Request timed out');
}
