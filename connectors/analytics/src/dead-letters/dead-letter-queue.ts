/** The topic for records that could not be delivered. Sources: analytics-sink §1.6, §4.7. */
import {
  ConnectError,
  type KafkaHeader,
  type KafkaRecord,
  type TaskContext,
  type TaskProducer,
  unlessAborted,
} from '@millrace/sdk';
import type { RawRecord } from '../batcher/record-log';
import type { DeadLetterSettings } from '../config/settings';

/** Limits the memory that the records of a large file occupy at a time. */
const BUFFER_BYTES = 4 * 1024 * 1024;

export interface DeadLetterPlace {
  readonly connector: string;
  readonly task: number;
  readonly topic: string;
  readonly partition: number;
  readonly stage: 'WRITE' | 'INGEST';
  readonly database: string;
  readonly table: string;
  readonly sourceId: string;
}

export class DeadLetterQueue {
  private constructor(
    private readonly producer: TaskProducer,
    private readonly topic: string,
  ) {}

  /** @throws ConnectError `ANALYTICS_DEAD_LETTERS` when its Kafka is unreachable or a setting is unknown. */
  static async open(
    { bootstrapServers, topic, client }: DeadLetterSettings,
    { connector, task, createProducer }: Pick<TaskContext, 'connector' | 'task' | 'createProducer'>,
  ): Promise<DeadLetterQueue> {
    const servers = bootstrapServers.join(',');
    let producer: TaskProducer | null = null;
    try {
      producer = createProducer({
        'client.id': `connector-dlq-${connector}-${task}`,
        'buffer.memory': String(BUFFER_BYTES),
        ...client,
        'bootstrap.servers': servers,
        // Offsets advance once a record is acknowledged.
        acks: 'all',
        'enable.idempotence': 'true',
      });
      await producer.connect();
    } catch (error) {
      await producer?.close();
      throw new ConnectError(
        `The dead letter queue's Kafka at ${servers} cannot be used: ${(error as Error).message}. Check "misc.deadletterqueue.*".`,
        { code: 'ANALYTICS_DEAD_LETTERS', cause: error },
      );
    }
    return new DeadLetterQueue(producer, topic);
  }

  /**
   * Resolves when all records are acknowledged. Rejects when `signal` is aborted first: the partition's next owner
   * sends them again.
   */
  async send(
    records: AsyncIterable<RawRecord> | Iterable<RawRecord>,
    place: DeadLetterPlace,
    error: Error,
    signal: AbortSignal,
  ): Promise<void> {
    await unlessAborted(this.producer.send(this.toDeadLetters(records, place, error, signal)), signal);
  }

  async close(): Promise<void> {
    await this.producer.close();
  }

  private async *toDeadLetters(
    records: AsyncIterable<RawRecord> | Iterable<RawRecord>,
    place: DeadLetterPlace,
    error: Error,
    signal: AbortSignal,
  ): AsyncGenerator<KafkaRecord> {
    const reasons = reasonHeaders(place, error);
    for await (const { offset, key, value, timestamp, headers } of records) {
      signal.throwIfAborted();
      const original = headers.map(([name, bytes]): KafkaHeader => ({ key: name, value: bytes }));
      const offsetHeader = { key: '__connect.errors.offset', value: Buffer.from(String(offset)) };
      yield { topic: this.topic, key, value, timestamp, headers: [...original, offsetHeader, ...reasons] };
    }
  }
}

/** The reason and the origin, the same for all records of a file. */
function reasonHeaders(place: DeadLetterPlace, error: Error): KafkaHeader[] {
  const code = (error as { serviceCode?: string | null }).serviceCode;
  const texts = {
    '__connect.errors.topic': place.topic,
    '__connect.errors.partition': String(place.partition),
    '__connect.errors.connector.name': place.connector,
    '__connect.errors.task.id': String(place.task),
    '__connect.errors.stage': place.stage,
    '__connect.errors.exception.class.name': code ?? error.name,
    '__connect.errors.exception.message': error.message,
    '__connect.errors.exception.stacktrace': error.stack ?? '',
    '__analytics.errors.database': place.database,
    '__analytics.errors.table': place.table,
    '__analytics.errors.source.id': place.sourceId,
  };
  return Object.entries(texts).map(([key, text]) => ({ key, value: Buffer.from(text) }));
}
