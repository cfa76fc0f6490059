/** Settings of Kafka clients that the storage topics replace, in Java's words. Pure. Source: connect-runtime §1.2. */
import type { WorkerConfig } from './worker-config';

type Worker = Pick<WorkerConfig, 'client' | 'exactlyOnceSourceSupport'>;

/**
 * A setting of Kafka clients that storage topics replace, in Java's words. Null: it has that value, or none.
 * @param whose completes the sentence, e.g. "the worker offsets topic consumer"
 */
export function replacedWarning(given: string | undefined, key: string, value: string, whose: string): string | null {
  if (given === undefined || given.toLowerCase() === value) return null;
  return (
    `The value '${given}' for the '${key}' property will be ignored as it cannot be overridden for ${whose}. ` +
    `The value '${value}' will be used instead.`
  );
}

/** Of the worker's own clients: one sentence for each replaced value. */
export function forcedSettingWarnings({ client, exactlyOnceSourceSupport: support }: Worker): string[] {
  const given = client('worker');
  const replaced = (key: string, value: string, whose: string): string[] => {
    const warning = replacedWarning(given[key], key, value, whose);
    return warning === null ? [] : [warning];
  };
  const committed = (consumer: string): string[] => replaced('isolation.level', 'read_committed', consumer);
  const enabled = 'when exactly-once source support is enabled';
  switch (support) {
    case 'disabled':
      return committed('the worker offsets topic consumer');
    case 'preparing':
      return [...committed('the worker offsets topic consumer'), ...leaderProducer()];
    case 'enabled':
      return [
        ...committed(`the worker offsets topic consumer ${enabled}`),
        ...leaderProducer(),
        ...committed(`the worker's config topic consumer ${enabled}`),
      ];
  }

  function leaderProducer(): string[] {
    return replaced(
      'enable.idempotence',
      'true',
      `the worker's config topic producer ${enabled} or in preparation to be enabled`,
    );
  }
}
