/** Errors of JVMs: their codes, and what becomes of them on the way to another thread. */
import { ConfigError, ConnectError } from '@millrace/sdk';

/** Plain data, for a message to another thread. */
export interface JvmFailure {
  readonly code: string;
  readonly message: string;
  /** What the JVM wrote last, or why it could not be started. Null: nothing is known. */
  readonly detail: string | null;
  /** `final`: until an operator changes something; `config`: until the connector's config is changed. */
  readonly kind: 'restart' | 'final' | 'config';
}

/** A failure that a restart may cure fails the task, and the restart policy starts it in another JVM. */
export function failureError({ code, message, detail, kind }: JvmFailure): ConnectError {
  const cause = detail === null ? {} : { cause: new Error(detail) };
  return kind === 'config'
    ? new ConfigError(message, { code, ...cause })
    : new ConnectError(message, { code, restartable: kind === 'restart', ...cause });
}

/** An error with a failure that it can be turned into again in another thread. */
export class JvmError extends Error {
  constructor(readonly failure: JvmFailure) {
    super(failure.message);
  }
}

export function failureOf(error: unknown): JvmFailure {
  if (error instanceof JvmError) return error.failure;
  const { message } = error as Error;
  return {
    code: 'JVM_START_FAILED',
    message: `The JVM cannot be started: ${message}.`,
    detail: null,
    kind: 'restart',
  };
}
