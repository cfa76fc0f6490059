/**
 * Warnings about settings of the worker's own Kafka clients that the storage topics replace, in Java's words. A
 * `transactional.id` is refused at once. Pure.
 */
import type { WorkerConfig } from './worker-config';

type Worker = Pick<WorkerConfig, 'client' | 'exactlyOnceSourceSupport'>;

/** One sentence for each replaced value. */
export function forcedSettingWarnings({ client, exactlyOnceSourceSupport: support }: Worker): string[] {
  const given = client('worker');
  const replaced = (key: string, value: string, whose: string): string[] =>
    given[key] === undefined || given[key].toLowerCase() === value
      ? []
      : [
          `The value '${given[key]}' for the '${key}' property will be ignored as it cannot be overridden for ${whose}. ` +
            `The value '${value}' will be used instead.`,
        ];
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
