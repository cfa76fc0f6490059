/**
 * Conversion where the task has taken a part of it, the last one: see `takeProcessing` of the SDK. A fetched batch at a
 * time.
 */
import {
  checkProcessed,
  ConnectError,
  type Header,
  isProcessingFailure,
  type ProcessedSinkRecord,
  type ProcessingFailure,
  type SinkRecord,
  type SinkTask,
} from '@millrace/sdk';
import type { ConsumerRecord, FetchedBatch } from '@millrace/kafka-client';
import type { CallClock } from '../call-clock';
import type { ConverterWait } from '../errors/converter-wait';
import type { ErrorPolicy } from '../errors/error-policy';
import type { Consumed } from '../errors/failed-record';
import { recoverProcessing } from '../errors/processing-recovery';
import type { TaskProcessing } from '../task-processing';
import { type BatchConversion, consumedRecord, SinkConversion, withOrigin } from './sink-conversion';

type Remember = (record: SinkRecord, consumed: Consumed) => void;
type Failure = ProcessingFailure<ProcessedSinkRecord>;

export interface ConversionOptions {
  readonly task: Pick<SinkTask, 'process'>;
  /** The class of the connector. */
  readonly owner: string;
  readonly calls: Pick<CallClock, 'during'>;
  readonly policy: ErrorPolicy;
  readonly wait: Pick<ConverterWait, 'until'>;
  /** Keeps the consumed record for reports; null when failures are not reported. */
  readonly remember: Remember | null;
}

/** Throws ConnectError `TAKE_PROCESSING_RESULT` for a task that has taken something and cannot do it. */
export function batchConversion(
  { taken, converters, chain }: TaskProcessing,
  options: ConversionOptions,
): BatchConversion {
  const { policy, wait, remember, owner } = options;
  const first = (then: Remember | null): SinkConversion | null =>
    converters && new SinkConversion(converters, chain, policy, wait, then);
  const all = taken.steps === 0 && !taken.converters ? first(remember) : null;
  if (all !== null) return all;
  if (!options.task.process)
    throw new ConnectError(
      `takeProcessing() of ${owner} has taken a part of the processing, but its task has no method process().`,
      { code: 'TAKE_PROCESSING_RESULT' },
    );
  return new ProcessedConversion(first, options);
}

class ProcessedConversion implements BatchConversion {
  /** The runtime's part; null: the task does it all. */
  private readonly first: SinkConversion | null;
  /** Of the records that the runtime's part has made. */
  private consumed: Consumed[] = [];
  private reachedOffset = -1;

  constructor(
    first: (remember: Remember) => SinkConversion | null,
    private readonly options: ConversionOptions,
  ) {
    this.first = first((_record, consumed) => this.consumed.push(consumed));
  }

  get reached(): number {
    return this.reachedOffset;
  }

  get isTasks(): boolean {
    return this.first === null;
  }

  readsTexts(): false {
    return false;
  }

  async convertBatch(batch: FetchedBatch, into: SinkRecord[]): Promise<void> {
    this.consumed = [];
    const { first } = this;
    if (first === null) {
      this.consumed = batch.records.map((record) => consumedRecord(batch, record));
      return await this.process(
        batch.records.map((record) => bytesRecord(batch, record)),
        into,
      );
    }
    const records: SinkRecord[] = [];
    let end: { readonly error: unknown } | null = null;
    try {
      await first.convertBatch(batch, records);
    } catch (error) {
      end = { error };
    }
    // What comes before the record that ended it.
    await this.process(records, into);
    this.reachedOffset = first.reached;
    if (end !== null) throw end.error;
  }

  private async process(records: readonly SinkRecord[], into: SinkRecord[]): Promise<void> {
    const { task, owner, calls, policy, remember } = this.options;
    const [head] = records;
    if (head === undefined) return;
    this.reachedOffset = head.originalOffset;
    // A copy: the task may change it.
    const returned: unknown = await calls.during('process', () => task.process?.(records.slice()));
    const results = checkProcessed(returned, records.length, owner);
    for (const [at, record] of records.entries()) {
      const consumed = this.consumed[at] as Consumed;
      this.reachedOffset = record.originalOffset;
      let result = results[at] as ProcessedSinkRecord;
      if (isProcessingFailure(result)) {
        const failureOf = (again: ProcessedSinkRecord): Failure | null => this.failureOf(again);
        const recovered = await recoverProcessing<ProcessedSinkRecord>(result, policy, failureOf, { consumed });
        result = recovered === null ? null : recovered.result;
      }
      const processed = withOrigin(result as SinkRecord | null, record);
      if (processed === null) continue;
      remember?.(processed, consumed);
      into.push(processed);
    }
  }

  private failureOf(result: ProcessedSinkRecord): Failure | null {
    checkProcessed([result], 1, this.options.owner);
    return isProcessingFailure(result) ? (result as Failure) : null;
  }
}

const NO_HEADERS: readonly Header[] = Object.freeze([]);

/** The record as it was consumed. */
function bytesRecord({ topic, partition, timestampType }: FetchedBatch, record: ConsumerRecord): SinkRecord {
  const { offset, timestamp, key, value, headers } = record;
  return {
    topic,
    partition,
    offset,
    originalTopic: topic,
    originalPartition: partition,
    originalOffset: offset,
    keySchema: null,
    key,
    valueSchema: null,
    value,
    timestamp: timestamp < 0 ? null : timestamp,
    timestampType,
    headers:
      headers.length === 0
        ? NO_HEADERS
        : headers.map((header) => ({ key: header.key, schema: null, value: header.value })),
  };
}
