/**
 * Converts errors to plain data for a thread boundary and back: a structured clone keeps neither class nor code.
 */
import { ConnectError, isConnectError, messageOf } from '@millrace/sdk';
import { ValidationError } from '../../config/validation/validation-error';

const MAX_CAUSES = 10;

interface Common {
  readonly message: string;
  readonly name: string;
  readonly stack: string | null;
  readonly cause: ErrorCopy | null;
}

export type ErrorCopy =
  | (Common & {
      readonly kind: 'connect';
      readonly code: string;
      readonly javaClass: string;
      readonly retriable: boolean;
      readonly restartable: boolean;
      readonly place: ConnectError['place'];
    })
  | (Common & { readonly kind: 'validation'; readonly status: number; readonly javaClass: string })
  | (Common & { readonly kind: 'other'; readonly code: string | null; readonly retriable: boolean });

/** Accepts any thrown value; a value that is not an error becomes an error with its text. */
export function copyError(error: unknown, depth = 0): ErrorCopy {
  const { name, stack, cause, code, retriable } = (typeof error === 'object' && error !== null ? error : {}) as {
    [key in 'name' | 'stack' | 'cause' | 'code' | 'retriable']?: unknown;
  };
  const common: Common = {
    message: messageOf(error),
    name: typeof name === 'string' ? name : 'Error',
    stack: typeof stack === 'string' ? stack : null,
    cause: cause == null || depth >= MAX_CAUSES ? null : copyError(cause, depth + 1),
  };
  if (isConnectError(error)) {
    const place = Object.fromEntries(Object.entries(error.place).map(([key, value]) => [key, plain(value)]));
    return {
      ...common,
      kind: 'connect',
      code: String(error.code),
      javaClass: String(error.javaClass),
      retriable: error.retriable,
      // An older copy of the SDK has no such member.
      restartable: error.restartable === true,
      place,
    };
  }
  if (error instanceof ValidationError)
    return { ...common, kind: 'validation', status: error.status, javaClass: error.javaClass };
  const shownCode = typeof code === 'string' || typeof code === 'number' ? String(code) : null;
  return { ...common, kind: 'other', code: shownCode, retriable: retriable === true };
}

export function errorFrom(copy: ErrorCopy): Error {
  const error = createError(copy, copy.cause === null ? undefined : errorFrom(copy.cause));
  Object.defineProperties(error, {
    name: { value: copy.name, configurable: true, writable: true },
    // The stack of the thread that threw it, not of this one.
    stack: { value: copy.stack ?? undefined, configurable: true, writable: true },
  });
  return error;
}

function createError(copy: ErrorCopy, cause: unknown): Error {
  const { message } = copy;
  if (copy.kind === 'validation')
    return new ValidationError(copy.status, message, { javaClass: copy.javaClass, cause });
  if (copy.kind === 'connect') {
    const { code, place, javaClass, retriable, restartable } = copy;
    return Object.assign(new ConnectError(message, { code, place, cause, restartable }), { javaClass, retriable });
  }
  const error = new Error(message, cause === undefined ? undefined : { cause });
  return Object.assign(error, copy.code !== null && { code: copy.code }, copy.retriable && { retriable: true });
}

function plain(value: unknown): string | number | bigint {
  return typeof value === 'number' || typeof value === 'bigint' ? value : String(value);
}
