/** Refusals of requests for lack of authentication or of a role. Their codes are in docs/errors.md. */
import { RestError } from '../http/rest-error';

/** Java's text, in a body that is not JSON whatever its Content-Type. */
const JAVA_TEXT = 'User cannot access the resource.';
const RETRY_AFTER_S = 5;

type AccessCode =
  | 'REST_UNAUTHENTICATED'
  | 'REST_TOO_MANY_LOGINS'
  | 'REST_TOKEN_INVALID'
  | 'REST_TOKEN_KEYS'
  | 'REST_FORBIDDEN'
  | 'REST_HIDDEN_VALUE';

interface AccessErrorOptions {
  readonly status: number;
  readonly code: AccessCode;
  readonly message: string;
  readonly retryAfterS?: number;
  readonly challenge?: string;
  /** Who was refused, if the credentials were valid. */
  readonly user?: string | null;
  readonly cause?: unknown;
}

export class AccessError extends RestError {
  readonly code: AccessCode;
  readonly user: string | null;

  constructor({ status, code, message, user = null, ...options }: AccessErrorOptions) {
    super(status, `${message} (${code})`, options);
    this.name = 'AccessError';
    this.code = code;
    this.user = user;
  }
}

/** The response of Java's extension: the same text for missing and for wrong credentials. */
export function javaUnauthenticated(): RestError {
  return new RestError(401, JAVA_TEXT, { plain: true });
}

export function unauthenticated(): AccessError {
  return new AccessError({
    status: 401,
    code: 'REST_UNAUTHENTICATED',
    challenge: 'Bearer',
    message: 'This request needs an Authorization header with valid credentials of a type that this worker accepts',
  });
}

export function tooManyLogins(retryAfterS: number): AccessError {
  const message = 'Too many logins with a wrong password have come from this address; retry in a moment';
  return new AccessError({ status: 429, code: 'REST_TOO_MANY_LOGINS', message, retryAfterS });
}

export class InvalidTokenError extends AccessError {
  /** @param reason completes "The bearer token is not valid:", and contains nothing of the token */
  constructor(
    readonly reason: string,
    cause?: unknown,
  ) {
    const message = `The bearer token is not valid: ${reason}`;
    super({ status: 401, code: 'REST_TOKEN_INVALID', message, challenge: 'Bearer error="invalid_token"', cause });
    this.name = 'InvalidTokenError';
  }
}

/** A failure of this worker or of the identity provider, not of the caller. */
export function keysUnavailable(cause?: unknown): AccessError {
  // The log has the reason, which may name hosts.
  const message = 'The keys that sign bearer tokens cannot be read; retry in a moment';
  return new AccessError({ status: 503, code: 'REST_TOKEN_KEYS', message, retryAfterS: RETRY_AFTER_S, cause });
}

export function forbidden(message: string, user: string | null): AccessError {
  return new AccessError({ status: 403, code: 'REST_FORBIDDEN', message, user });
}

export function hiddenValue(key: string): AccessError {
  const message = `The value of "${key}" has the mark [hidden], which replaces a value that was not shown; send the value itself, or PATCH the config without this key to keep it`;
  return new AccessError({ status: 400, code: 'REST_HIDDEN_VALUE', message });
}
