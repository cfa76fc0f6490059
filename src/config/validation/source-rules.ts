/**
 * Rejects guarantees of a source that this worker does not support: running without them would break what was
 * requested. Source: connect-rest §3.5.
 */
import { valueOf, type Entry, type NullableConfig } from './entry';

/** Adds messages to the entries of `exactly.once.support` and `transaction.boundary`. */
export function checkSourcePromises(entries: ReadonlyMap<string, Entry>, config: NullableConfig): void {
  const text = (key: string): string => (valueOf(config, key) ?? '').trim();
  const add = (key: string, message: string): void => void entries.get(key)?.errors.push(message);
  if (text('exactly.once.support').toLowerCase() === 'required') {
    add('exactly.once.support', 'This worker does not have exactly-once source support enabled.');
  }
  if (text('transaction.boundary').toLowerCase() === 'connector') {
    add(
      'transaction.boundary',
      'The connector does not support connector-defined transaction boundaries with the given configuration. Please reconfigure it to use a different transaction boundary definition.',
    );
  }
}
