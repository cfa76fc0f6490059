/** What this worker cannot do for a source yet: refused, because running without it would break the promise asked for. Source: connect-rest §3.5. */
import { valueOf, type Entry, type NullableConfig } from './validation-entry';

/** Adds messages to the entries of `exactly.once.support`, `transaction.boundary` and `offsets.storage.topic`. */
export function checkSourcePromises(
  entries: ReadonlyMap<string, Entry>,
  config: NullableConfig,
  workerOffsetsTopic: string,
): void {
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
  const topic = text('offsets.storage.topic');
  if (topic !== '' && topic !== workerOffsetsTopic) {
    add(
      'offsets.storage.topic',
      `This worker keeps the offsets of all connectors in '${workerOffsetsTopic}': remove 'offsets.storage.topic', and set the connector's offsets there if it has some elsewhere`,
    );
  }
}
