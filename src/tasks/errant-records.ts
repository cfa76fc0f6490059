/** The reporter that a sink task gets for single bad records in `put`. Source: connect-runtime §5.8. */
import type { ErrantRecordReporter, SinkRecord, TopicPartition } from '@millrace/sdk';
import type { ConsumerRecord } from '../kafka/port';
import { toleranceExceeded, type ErrorPolicy } from './error-policy';
import type { Consumed, FailedRecord } from './failed-record';
import { includes } from './sink-offsets';
import type { TaskConverters } from './source-records';

const SINK_TASK = 'org.apache.kafka.connect.sink.SinkTask';

export class ErrantRecords implements ErrantRecordReporter {
  private readonly origins = new WeakMap<SinkRecord, Consumed>();
  private readonly writing = new Map<Promise<void>, TopicPartition>();
  private fatal: Error | null = null;

  constructor(
    private readonly policy: ErrorPolicy,
    private readonly converters: TaskConverters,
  ) {}

  readonly remember = (record: SinkRecord, consumed: Consumed): void => {
    this.origins.set(record, consumed);
  };

  /** Resolves when the record is reported. Rejects without tolerance; the task then fails whether or not it looks at the promise. */
  report(record: SinkRecord, error: unknown): Promise<void> {
    const consumed = this.origins.get(record) ?? this.rebuild(record);
    const failure: FailedRecord = { stage: 'TASK_PUT', className: SINK_TASK, error, consumed };
    const writing = this.policy.report(failure);
    this.writing.set(writing, { topic: consumed.topic, partition: consumed.partition });
    void writing.then(() => this.writing.delete(writing));
    if (this.policy.tolerant) return writing;
    const fatal = toleranceExceeded(failure);
    this.fatal ??= fatal;
    const refused = writing.then(() => Promise.reject(fatal));
    refused.catch(() => undefined);
    return refused;
  }

  /** Why the task has to fail now, if it has. */
  get failure(): Error | null {
    return this.fatal;
  }

  /** Resolves when the reports about these partitions are through: before that their offsets must not be committed. */
  async settled(partitions: readonly TopicPartition[]): Promise<void> {
    const open = [...this.writing].filter(([, partition]) => includes(partitions, partition));
    await Promise.all(open.map(([writing]) => writing));
  }

  /** A record that the task made itself has no original bytes. */
  private rebuild(record: SinkRecord): Consumed {
    const { key, value, header } = this.converters;
    const { originalTopic: topic, originalPartition: partition, timestampType } = record;
    const bytes = (data: Uint8Array | null): Buffer | null => data && Buffer.from(data);
    const consumed: ConsumerRecord = {
      offset: record.originalOffset,
      timestamp: record.timestamp ?? -1,
      key: bytes(key.converter.fromConnectData(topic, record.keySchema, record.key)),
      value: bytes(value.converter.fromConnectData(topic, record.valueSchema, record.value)),
      headers: record.headers.map((h) => ({
        key: h.key,
        value: bytes(header.converter.fromConnectHeader(topic, h.key, h.schema, h.value)),
      })),
    };
    return { topic, partition, timestampType, record: consumed };
  }
}
