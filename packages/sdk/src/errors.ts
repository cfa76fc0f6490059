/**
 * Errors a plug-in may throw, and how the runtime reads them.
 *
 * Two copies of this package may be loaded at once (the worker's and a plug-in's), so the runtime never asks
 * `instanceof`: it looks for the brand below, which is the same symbol in every copy.
 */
const BRAND = Symbol.for('millrace.connect-error');

export interface ConnectErrorOptions {
  /** Stable code, upper snake case with a short owner prefix, e.g. `PG_WAL_LEVEL`. Default: the class's own code. */
  code?: string;
  /** What led to this error. Its text is appended to the trace as `Caused by:`. */
  cause?: unknown;
  /** Where it happened: topic, partition, offset, table, LSN… Never secrets. */
  place?: Readonly<Record<string, string | number | bigint>>;
}

/** A fatal error: the task or connector becomes FAILED. The message is one sentence a person can act on. */
export class ConnectError extends Error {
  readonly [BRAND] = true as const;
  readonly code: string;
  /** True when trying the same call again may succeed. */
  readonly retriable: boolean = false;
  /** Java class name that Connect users know this error by; printed first in traces. */
  readonly javaClass: string = 'org.apache.kafka.connect.errors.ConnectException';
  readonly place: Readonly<Record<string, string | number | bigint>>;

  constructor(message: string, options: ConnectErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = options.code ?? 'CONNECT_ERROR';
    this.place = options.place ?? {};
  }
}

/** The same call may succeed later: the runtime calls again, a sink gets the same batch again. */
export class RetriableError extends ConnectError {
  override readonly retriable = true;
  override readonly javaClass: string = 'org.apache.kafka.connect.errors.RetriableException';
}

/** One record cannot be converted or handled; subject to `errors.tolerance`. */
export class DataError extends ConnectError {
  override readonly javaClass: string = 'org.apache.kafka.connect.errors.DataException';
}

/** The configuration is wrong; nothing but changing it helps. */
export class ConfigError extends ConnectError {
  override readonly javaClass: string = 'org.apache.kafka.common.config.ConfigException';
}

/** The plug-in does not do what it was asked for, e.g. to change its offsets. */
export class UnsupportedOperationError extends ConnectError {
  override readonly javaClass = 'java.lang.UnsupportedOperationException';

  constructor(message: string, options: ConnectErrorOptions = {}) {
    super(message, { code: 'UNSUPPORTED_OPERATION', ...options });
  }
}

/** Also for an error of another copy of this package. */
export function isUnsupportedOperation(error: unknown): boolean {
  return isConnectError(error) && error.javaClass === 'java.lang.UnsupportedOperationException';
}

export function isConnectError(error: unknown): error is ConnectError {
  return typeof error === 'object' && error !== null && (error as Record<symbol, unknown>)[BRAND] === true;
}

/** True for errors after which the same call may succeed: ours, and any error that says `retriable: true`. */
export function isRetriable(error: unknown): boolean {
  return typeof error === 'object' && error !== null && (error as { retriable?: unknown }).retriable === true;
}
