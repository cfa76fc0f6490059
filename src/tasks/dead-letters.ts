/** The dead letter topic: failed records as they were consumed, with the reason in their headers. Source: connect-runtime §5.8. */
import { ConnectError } from '@millrace/sdk';
import type { Admin, Producer, RecordHeader } from '../kafka/port';
import type { Logger } from '../logging/logger';
import type { ErrorMetrics } from '../metrics/error-metrics';
import type { ErrorSettings } from './error-settings';
import type { FailedRecord, FailureReporter } from './failed-record';
import type { TaskId } from './host';
import { formatTrace, javaClassOf, messageOf } from './trace';

const PREFIX = '__connect.errors.';

/** Creates the topic with one partition when it is missing. */
export async function ensureDeadLetterTopic(admin: Admin, topic: string, replicationFactor: number): Promise<void> {
  try {
    if ((await admin.describeTopics([topic])).length > 0) return;
    await admin.createTopics([{ name: topic, partitions: 1, replicationFactor }]);
  } catch (error) {
    throw new ConnectError(
      `The dead letter topic ${topic} could not be created: ${messageOf(error)}. Create it by hand or correct ` +
        'errors.deadletterqueue.topic.replication.factor.',
      { code: 'DLQ_TOPIC', cause: error, place: { topic } },
    );
  }
}

export class DeadLetters implements FailureReporter {
  constructor(
    private readonly producer: Producer,
    private readonly topic: string,
    private readonly id: TaskId,
    private readonly settings: Pick<ErrorSettings, 'deadLetterHeaders'>,
    private readonly metrics: ErrorMetrics,
    private readonly logger: Logger,
  ) {}

  /** Resolves when the record is in the topic, or when writing it has failed, which is logged. */
  async report(failure: FailedRecord): Promise<void> {
    const consumed = failure.consumed;
    if (!consumed) return;
    this.metrics.deadLetterRequests.add();
    const { key, value, headers, timestamp } = consumed.record;
    const context = this.settings.deadLetterHeaders ? contextHeaders(failure, this.id) : [];
    try {
      await this.producer.prepare([this.topic]);
      await new Promise<void>((resolve, reject) => {
        const record = {
          topic: this.topic,
          key,
          value,
          headers: [...headers, ...context],
          timestamp: timestamp < 0 ? null : timestamp,
        };
        this.producer.send(record, (error) => (error ? reject(error) : resolve()));
      });
    } catch (error) {
      this.metrics.deadLetterFailures.add();
      this.logger.error(
        `A failed record could not be written to the dead letter topic ${this.topic}: ${messageOf(error)}`,
        { error, topic: consumed.topic, partition: consumed.partition, offset: consumed.record.offset },
      );
    }
  }
}

/** In Java's order; all values are text. */
export function contextHeaders(failure: FailedRecord, id: TaskId): RecordHeader[] {
  const { consumed, error } = failure;
  const message = error instanceof Error || (typeof error === 'object' && error !== null) ? messageOf(error) : null;
  const pairs: [string, string | null][] = [
    ['topic', consumed?.topic ?? null],
    ['partition', consumed ? String(consumed.partition) : null],
    ['offset', consumed ? String(consumed.record.offset) : null],
    ['connector.name', id.connector],
    ['task.id', String(id.task)],
    ['stage', failure.stage],
    ['class.name', failure.className],
    ['exception.class.name', javaClassOf(error)],
    ['exception.message', message],
    ['exception.stacktrace', formatTrace(error)],
  ];
  return pairs.map(([name, text]) => ({ key: PREFIX + name, value: text === null ? null : Buffer.from(text) }));
}
