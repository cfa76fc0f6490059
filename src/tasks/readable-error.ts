/**
 * A plugin may throw anything: an object without a prototype, a proxy, an error whose message is a number.
 * Code that logs and stores errors must not fail because of it.
 */
import { isConnectError, isErrorLike, isRetriable, messageOf } from '@millrace/sdk';

/** The thrown value, or an error in place of one that cannot be read as an error or text. */
export function readableError(thrown: unknown): unknown {
  return isReadable(thrown) ? thrown : new Error(messageOf(thrown));
}

function isReadable(thrown: unknown): boolean {
  try {
    isConnectError(thrown);
    isRetriable(thrown);
    if (!isErrorLike(thrown)) return typeof String(thrown) === 'string';
    const { name, message, stack } = thrown;
    return [name, message, stack ?? ''].every((text) => typeof text === 'string');
  } catch {
    return false;
  }
}
