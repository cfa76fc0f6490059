/** Errors of the herder that carry an HTTP status and Java's text. Source: connect-rest §2. */
export class HerderError extends Error {
  readonly status: number;
  constructor(status: number, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'HerderError';
    this.status = status;
  }
}

/** The request belongs to another worker; `url` is null while it is not known (409). */
export class NotHereError extends Error {
  readonly url: string | null;
  constructor(url: string | null, message = 'This request must be handled by another worker') {
    super(message);
    this.name = 'NotHereError';
    this.url = url;
  }
}
