/**
 * Errors in the code of a plugin: a call that returned what the interface does not allow. The runtime and the test kit
 * report them with the same words.
 */
import { kindOf } from '../check-value';
import { ConnectError } from '../errors';

/** What is wrong with a value that a plugin returned. */
export interface Fault {
  readonly code: string;
  /** Follows the name of what is wrong: `topic must be a non-empty string`. Without a full stop. */
  readonly reason: string;
}

/**
 * An error that fails the task or connector and is not retried: the code of the plugin must be corrected.
 * @param subject the call and its owner, e.g. `poll() of com.acme.Source`
 */
export function pluginFault(
  options: { readonly code: string; readonly place?: Readonly<Record<string, string | number>> },
  subject: string,
  reason: string,
): ConnectError {
  return new ConnectError(`${subject} ${reason}.`, options);
}

/** Describes a value that is not what was expected. Never the value itself, which may be a secret. */
export function actualKind(value: unknown): string {
  if (value === undefined) return 'undefined';
  if (typeof value === 'number') return 'a number';
  return isThenable(value) ? 'a Promise' : kindOf(value);
}

/** True for a promise of any library. */
export function isThenable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

/** An object that may stand for a record, a task or a map of settings: no array, Map, Date, Buffer or promise. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  if (Object.getPrototypeOf(value) === Object.prototype) return true;
  return Object.prototype.toString.call(value) === '[object Object]' && !isThenable(value);
}
