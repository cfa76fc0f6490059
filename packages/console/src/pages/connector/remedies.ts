/** What the buttons of a reason do: labels, the offset that skips a record, the keys of a dead letter queue. Pure. */
import type { HealthAction } from '../../worker-api';
import type { Config } from '../../documents/parse-document';
import { partitionTitle, type OffsetRow } from '../../offsets/offsets-model';

export type SkipRecord = Extract<HealthAction, { readonly kind: 'skip-record' }>;

export function labelOf(action: HealthAction): string {
  switch (action.kind) {
    case 'skip-record':
      return `Skip to offset ${action.offset}`;
    case 'dead-letter-queue':
      return 'Set a dead letter queue';
    case 'reset-offsets':
      return 'Reset offsets';
    case 'restart':
      return 'Restart what failed';
  }
}

/** The offset of the partition, moved after the record; `stored`: the offsets that are committed now. */
export function skipped({ topic, partition, offset }: SkipRecord, stored: readonly OffsetRow[]): OffsetRow {
  const key = JSON.stringify({ kafka_topic: topic, kafka_partition: partition });
  const found = stored.find((row) => partitionTitle(row.partition) === partitionTitle(key));
  return { partition: key, before: found?.before ?? null, text: String(offset), isReset: false };
}

export function deadLetterTopicOf(connector: string): string {
  return `${connector.replace(/[^\w.-]/g, '-')}-dead-letters`.slice(-249);
}

/** A topic name as Kafka takes it. */
export function topicProblem(topic: string): string | null {
  if (topic === '') return 'Name the topic';
  return /^[\w.-]{1,249}$/.test(topic) && topic !== '.' && topic !== '..'
    ? null
    : 'A topic has letters, digits, ".", "_" and "-", at most 249';
}

export function withDeadLetterQueue(config: Config, topic: string, replicationFactor: string): Config {
  return {
    ...config,
    'errors.tolerance': 'all',
    'errors.deadletterqueue.topic.name': topic,
    'errors.deadletterqueue.topic.replication.factor': replicationFactor,
    'errors.deadletterqueue.context.headers.enable': 'true',
  };
}
