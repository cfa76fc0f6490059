/**
 * Creates the dead letter topic when a task starts, and the headers of its records. Source:
 * connect-runtime §5.8.
 */
import type { Admin, RecordHeader } from '@millrace/kafka-client';
import { ConnectError, messageOf } from '@millrace/sdk';
import { boundedText, TEXT_LIMIT } from '@millrace/texts/redaction';
import type { ConnectorTaskId } from '../../connector-task-id';
import { isTransient } from '../clients/connect-client';
import { formatTrace, javaClassOf } from '../trace';
import type { FailedRecord } from './failed-record';

const PREFIX = '__connect.errors.';

/** Creates the topic with one partition when it is missing. Rethrows transient errors unchanged. */
export async function ensureDeadLetterTopic(admin: Admin, topic: string, replicationFactor: number): Promise<void> {
  try {
    if ((await admin.describeTopics([topic])).length > 0) return;
    await admin.createTopics([{ name: topic, partitions: 1, replicationFactor }]);
  } catch (error) {
    if (isTransient(error)) throw error;
    throw new ConnectError(
      `The dead letter topic ${topic} could not be created: ${messageOf(error)}. Create it manually or correct ` +
        'errors.deadletterqueue.topic.replication.factor.',
      { code: 'DLQ_TOPIC', cause: error, place: { topic } },
    );
  }
}

/**
 * In Java's order; all values are text. Unlike in Java, exception texts are bounded: they may quote the record and must
 * not make the dead letter larger than the topic accepts.
 */
export function contextHeaders(failure: FailedRecord, id: ConnectorTaskId): RecordHeader[] {
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
    ['exception.message', message && boundedText(message, TEXT_LIMIT, { owners: id.connector, words: true })],
    ['exception.stacktrace', formatTrace(error, id.connector)],
  ];
  return pairs.map(([name, text]) => ({ key: PREFIX + name, value: text === null ? null : Buffer.from(text) }));
}
