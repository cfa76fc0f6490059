/** The reporter through which a sink task reports single records in `put`. Source: connect-runtime §5.8. */
import { ConnectError, convertWhenReady, type ErrantRecordReporter, type SinkRecord } from '@millrace/sdk';
import type { ConsumerRecord } from '@millrace/kafka-client';
import type { ErrorPolicy } from '../errors/error-policy';
import type { Consumed, FailedRecord } from '../errors/failed-record';
import type { OffsetHolds } from '../errors/offset-holds';
import type { TaskConverters } from '../task-converters';

const SINK_TASK = 'org.apache.kafka.connect.sink.SinkTask';

export class ErrantRecords implements ErrantRecordReporter {
  private readonly origins = new WeakMap<SinkRecord, Consumed>();
  private fatal: Error | null = null;

  constructor(
    private readonly policy: ErrorPolicy,
    /** Null: the task has taken them, and its records have bytes. */
    private readonly converters: TaskConverters | null,
    private readonly holds: OffsetHolds,
  ) {}

  readonly remember = (record: SinkRecord, consumed: Consumed): void => {
    this.origins.set(record, consumed);
  };

  /**
   * Resolves when the record is reported. Rejects without tolerance, or when the report cannot be written; the task
   * then fails whether or not it awaits the promise.
   */
  report(record: SinkRecord, error: unknown): Promise<void> {
    const consumed = this.consumed(record);
    if (!(consumed instanceof Promise)) return this.reportConsumed(consumed, error);
    const reporting = this.whenConverted(record, consumed, (found) => this.reportConsumed(found, error));
    reporting.catch(() => undefined);
    return reporting;
  }

  /** For a record that `put` rejects alone. The task continues without tolerance, too: see `PutBisection`. */
  reportRejected(record: SinkRecord, error: unknown): void {
    if (!this.policy.reports) return this.policy.setAside(null);
    const setAside = (consumed: Consumed): void =>
      this.policy.setAside({ stage: 'TASK_PUT', className: SINK_TASK, error, consumed });
    const consumed = this.consumed(record);
    if (!(consumed instanceof Promise)) return setAside(consumed);
    this.whenConverted(record, consumed, setAside).catch(() => undefined);
  }

  private reportConsumed(consumed: Consumed, error: unknown): Promise<void> {
    const failure: FailedRecord = { stage: 'TASK_PUT', className: SINK_TASK, error, consumed };
    const writing = this.policy.report(failure);
    writing.catch(() => undefined);
    if (this.policy.tolerant) return writing;
    this.holds.add(consumed);
    const fatal = this.policy.exceeded(failure);
    this.fatal ??= fatal;
    const refused = writing.then(() => Promise.reject(fatal));
    refused.catch(() => undefined);
    return refused;
  }

  private consumed(record: SinkRecord): Consumed | Promise<Consumed> {
    return this.origins.get(record) ?? convertWhenReady(() => this.rebuild(record));
  }

  /** Commits do not pass the record until `use` has it. If its bytes cannot be made, the task fails. */
  private async whenConverted<T>(
    record: SinkRecord,
    consumed: Promise<Consumed>,
    use: (consumed: Consumed) => T,
  ): Promise<Awaited<T>> {
    const { originalTopic: topic, originalPartition: partition, originalOffset: offset } = record;
    const hold = this.holds.add({ topic, partition, record: { offset } });
    let found: Consumed;
    try {
      found = await consumed;
    } catch (error) {
      this.fatal ??= error as Error;
      throw error;
    }
    const result = use(found);
    this.holds.release(hold);
    return await result;
  }

  /** Why the task must fail; null: it need not. */
  get failure(): Error | null {
    return this.fatal;
  }

  /** A record that the task made itself has no original bytes. */
  private rebuild(record: SinkRecord): Consumed {
    const { originalTopic: topic, originalPartition: partition, timestampType } = record;
    const position = { offset: record.originalOffset, timestamp: record.timestamp ?? -1 };
    const bytes = this.converters === null ? ownBytes(record) : convertedBytes(topic, record, this.converters);
    return { topic, partition, timestampType, record: { ...position, ...bytes } };
  }
}

type RecordBytes = Pick<ConsumerRecord, 'key' | 'value' | 'headers'>;

function convertedBytes(topic: string, record: SinkRecord, { key, value, header }: TaskConverters): RecordBytes {
  return {
    key: copied(key.converter.fromConnectData(topic, record.keySchema, record.key)),
    value: copied(value.converter.fromConnectData(topic, record.valueSchema, record.value)),
    headers: record.headers.map((h) => ({
      key: h.key,
      value: copied(header.converter.fromConnectHeader(topic, h.key, h.schema, h.value)),
    })),
  };
}

function ownBytes({ key, value, headers }: SinkRecord): RecordBytes {
  return {
    key: given(key),
    value: given(value),
    headers: headers.map((header) => ({ key: header.key, value: given(header.value) })),
  };
}

function given(data: unknown): Buffer | null {
  if (data === null || data instanceof Uint8Array) return copied(data);
  throw new ConnectError(
    'The task reports a record of its own that is not converted, although it has taken the converters.',
    { code: 'REPORTED_RECORD_INVALID' },
  );
}

function copied(bytes: Uint8Array | null): Buffer | null {
  return bytes && Buffer.from(bytes);
}
