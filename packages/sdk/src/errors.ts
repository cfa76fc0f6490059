/**
 * Errors that a plugin may throw, and how the runtime classifies them.
 *
 * Two copies of this package may be loaded at once (the worker's and a plugin's), so the runtime does not use
 * `instanceof`. It checks for the brand below, which is the same symbol in every copy.
 */
const BRAND = Symbol.for('millrace.connect-error');

export interface ConnectErrorOptions {
  /**
   * Stable code, upper snake case with a short prefix, e.g. `PG_WAL_LEVEL`. (Default: the class's own, e.g.
   * `CONNECT_ERROR`)
   */
  code?: string;
  /** The error that caused this one, appended to the trace as `Caused by:`. */
  cause?: unknown;
  /** Where the error occurred: topic, partition, offset, table, LSN… Must not contain secrets. */
  place?: Readonly<Record<string, string | number | bigint>>;
  /** See `ConnectError.restartable`. (Default: false) */
  restartable?: boolean;
}

/** A fatal error: the task or connector becomes FAILED. The message is one sentence that an operator can act on. */
export class ConnectError extends Error {
  readonly [BRAND] = true as const;
  readonly code: string;
  /** True if the same call may succeed later. */
  readonly retriable: boolean = false;
  /** Class name of the equivalent Java exception, printed first in traces. */
  readonly javaClass: string = 'org.apache.kafka.connect.errors.ConnectException';
  readonly place: Readonly<Record<string, string | number | bigint>>;
  /** Whether an automatic restart of the task or connector may help, although the same call would fail again. */
  readonly restartable: boolean;

  constructor(message: string, options: ConnectErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = options.code ?? 'CONNECT_ERROR';
    this.place = options.place ?? {};
    this.restartable = options.restartable ?? false;
  }
}

/** The same call may succeed later. The runtime retries it: a sink receives the same batch again. */
export class RetriableError extends ConnectError {
  override readonly retriable = true;
  override readonly javaClass: string = 'org.apache.kafka.connect.errors.RetriableException';
}

/** One record cannot be converted or processed. `errors.tolerance` decides whether the task fails. */
export class DataError extends ConnectError {
  override readonly javaClass: string = 'org.apache.kafka.connect.errors.DataException';
}

/** The configuration is invalid. Retrying does not help until it is changed. */
export class ConfigError extends ConnectError {
  override readonly javaClass: string = 'org.apache.kafka.common.config.ConfigException';
}

/** True also for an error from another copy of this package. */
export function isConfigError(error: unknown): boolean {
  return isConnectError(error) && error.javaClass === 'org.apache.kafka.common.config.ConfigException';
}

/** The plugin does not support the requested operation, e.g. altering offsets. */
export class UnsupportedOperationError extends ConnectError {
  override readonly javaClass = 'java.lang.UnsupportedOperationException';

  constructor(message: string, options: ConnectErrorOptions = {}) {
    super(message, { code: 'UNSUPPORTED_OPERATION', ...options });
  }
}

/** True also for an error from another copy of this package. */
export function isUnsupportedOperation(error: unknown): boolean {
  return isConnectError(error) && error.javaClass === 'java.lang.UnsupportedOperationException';
}

export function isConnectError(error: unknown): error is ConnectError {
  return typeof error === 'object' && error !== null && (error as Record<symbol, unknown>)[BRAND] === true;
}

/** True if the same call may succeed later: for RetriableError, and for any error with `retriable: true`. */
export function isRetriable(error: unknown): boolean {
  return typeof error === 'object' && error !== null && (error as { retriable?: unknown }).retriable === true;
}

/** True for errors, also those of another realm: from a module in a sandbox, or copied from another thread. */
export function isErrorLike(error: unknown): error is Error {
  return (
    error instanceof Error ||
    (typeof error === 'object' && error !== null && typeof (error as Error).message === 'string')
  );
}

/** Of an error that has no message but is made of others. */
const MAX_PARTS = 10;
const MAX_DEPTH = 3;

/** The message of a thrown value, without its class: for log lines and errors that quote others. Never throws. */
export function messageOf(error: unknown): string {
  try {
    return messageAt(error, 1);
  } catch {
    return 'the thrown value has no readable message';
  }
}

function messageAt(error: unknown, depth: number): string {
  if (!isErrorLike(error)) return String(error);
  if (error.message !== '') return String(error.message);
  // Node reports a host with several addresses as an AggregateError without a message.
  const { errors, code } = error as { errors?: unknown; code?: unknown };
  const parts = Array.isArray(errors) && depth < MAX_DEPTH ? errors.slice(0, MAX_PARTS) : [];
  return parts.map((part) => messageAt(part, depth + 1)).join('; ') || String(code === undefined ? error.name : code);
}
