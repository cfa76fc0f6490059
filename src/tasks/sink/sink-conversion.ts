/** Converts and transforms consumed records, a fetched batch at a time. Source: connect-runtime §5.3. */
import { converterCall, converterReady, type Header, type SinkRecord } from '@millrace/sdk';
import type { ConsumerRecord, FetchedBatch } from '@millrace/kafka-client';
import type { TransformationChain } from '../../transforms/chain';
import { type ConverterWait, retriedWhenReady } from '../errors/converter-wait';
import { endsTask, type ErrorPolicy, type Operation } from '../errors/error-policy';
import type { Consumed, Stage } from '../errors/failed-record';
import type { TaskConverters } from '../task-converters';
import { recoverTransformation } from '../errors/transform-recovery';
import { TurnLimit } from '../turn-limit';

const NO_HEADERS: readonly Header[] = Object.freeze([]);

/** Makes the records that `put` gets. */
export interface BatchConversion {
  /**
   * Appends the batch's records to `into`, without skipped and filtered ones. Rejects for a record that fails the task:
   * `reached` is its offset, and those before it are in `into`.
   */
  convertBatch(batch: FetchedBatch, into: SinkRecord[]): Promise<void>;
  /** The values of these records may be passed on as bytes: nothing is converted that could fail or be seen. */
  readsTexts(batch: FetchedBatch): boolean;
  /** Nothing is left for the runtime. */
  readonly isTasks: boolean;
  /** Offset of the record that is converted, or was the last one. */
  readonly reached: number;
}

export class SinkConversion implements BatchConversion {
  readonly isTasks = false;
  private readonly turns = new TurnLimit();
  private reachedOffset = -1;

  constructor(
    private readonly converters: TaskConverters,
    /** Null: no transformations. */
    private readonly chain: TransformationChain | null,
    private readonly policy: ErrorPolicy,
    private readonly wait: Pick<ConverterWait, 'until'>,
    /** Keeps the consumed record for reports; null when failures are not reported. */
    private readonly remember: ((record: SinkRecord, consumed: Consumed) => void) | null,
  ) {}

  async convertBatch(batch: FetchedBatch, into: SinkRecord[]): Promise<void> {
    this.turns.begin();
    for (const record of batch.records) {
      this.reachedOffset = record.offset;
      const turn = this.chain === null ? null : this.turns.next();
      if (turn !== null) await turn;
      let sinkRecord: SinkRecord | null;
      try {
        sinkRecord = this.convertRecord(batch, record);
      } catch (error) {
        sinkRecord = await this.convertAfter(error, batch, record);
      }
      if (sinkRecord !== null && this.chain !== null) {
        const transformed = this.transform(this.chain, sinkRecord, batch, record);
        sinkRecord = transformed instanceof Promise ? await transformed : transformed;
      }
      if (sinkRecord === null) continue;
      this.remember?.(sinkRecord, consumedRecord(batch, record));
      into.push(sinkRecord);
    }
  }

  readsTexts({ views }: FetchedBatch): boolean {
    const { key, value } = this.converters;
    if (views === undefined || this.chain !== null || this.remember !== null || !value.converter.readsText)
      return false;
    const anyKey = key.converter.readsText === true;
    return views.every(({ keyStart, headers }) => headers.length === 0 && (anyKey || keyStart < 0));
  }

  get reached(): number {
    return this.reachedOffset;
  }

  private convertRecord(batch: FetchedBatch, record: ConsumerRecord): SinkRecord {
    const { topic, partition, timestampType } = batch;
    const { headers } = record;
    const key = this.converters.key.converter.toConnectData(topic, record.key, headers);
    const value = this.converters.value.converter.toConnectData(topic, record.value, headers);
    return {
      topic,
      partition,
      offset: record.offset,
      originalTopic: topic,
      originalPartition: partition,
      originalOffset: record.offset,
      keySchema: key.schema,
      key: key.value,
      valueSchema: value.schema,
      value: value.value,
      timestamp: record.timestamp < 0 ? null : record.timestamp,
      timestampType,
      headers: headers.length === 0 ? NO_HEADERS : this.headers(topic, record),
    };
  }

  private async convertAfter(error: unknown, batch: FetchedBatch, record: ConsumerRecord): Promise<SinkRecord | null> {
    let failure = error;
    for (let ready = converterReady(failure); ready !== null; ready = converterReady(failure)) {
      try {
        await this.wait.until(ready, converterCall(failure));
      } catch (reason) {
        if (endsTask(reason)) throw reason;
        return await this.convertWithRetry(batch, record, reason);
      }
      try {
        return this.convertRecord(batch, record);
      } catch (next) {
        failure = next;
      }
    }
    return await this.convertWithRetry(batch, record, failure);
  }

  /** A promise only after a failure. */
  private transform(
    chain: TransformationChain,
    converted: SinkRecord,
    batch: FetchedBatch,
    record: ConsumerRecord,
  ): SinkRecord | null | Promise<SinkRecord | null> {
    try {
      return withOrigin(chain.apply(converted), converted);
    } catch (error) {
      const consumed = consumedRecord(batch, record);
      return recoverTransformation<SinkRecord>(chain, this.policy, this.wait, error, { consumed }).then((recovered) =>
        withOrigin(recovered, converted),
      );
    }
  }

  private headers(topic: string, record: ConsumerRecord): Header[] {
    return record.headers.map(({ key, value }) => {
      const converted = this.converters.header.converter.toConnectHeader(topic, key, value);
      return { key, schema: converted.schema, value: converted.value };
    });
  }

  private async convertWithRetry(
    batch: FetchedBatch,
    record: ConsumerRecord,
    error: unknown,
  ): Promise<SinkRecord | null> {
    const operation: Operation<SinkRecord> = {
      ...this.failedStage(batch.topic, record),
      consumed: consumedRecord(batch, record),
      run: () => retriedWhenReady(() => this.convertRecord(batch, record), this.wait),
    };
    const recovered = await this.policy.recover(operation, error);
    return recovered === null ? null : recovered.value;
  }

  /** Finds the converter that failed by calling each again, so that only failed records pay for it. */
  private failedStage(topic: string, record: ConsumerRecord): { stage: Stage; className: string } {
    const { key, value, header } = this.converters;
    if (fails(() => key.converter.toConnectData(topic, record.key, record.headers)))
      return { stage: 'KEY_CONVERTER', className: key.className };
    if (fails(() => value.converter.toConnectData(topic, record.value, record.headers)))
      return { stage: 'VALUE_CONVERTER', className: value.className };
    return { stage: 'HEADER_CONVERTER', className: header.className };
  }
}

/** Restores the original position, which commits need, when a transformation has created a new record. */
export function withOrigin(transformed: SinkRecord | null, converted: SinkRecord): SinkRecord | null {
  const { originalTopic, originalPartition, originalOffset } = converted;
  if (
    transformed === null ||
    (transformed.originalOffset === originalOffset &&
      transformed.originalPartition === originalPartition &&
      transformed.originalTopic === originalTopic)
  )
    return transformed;
  return { ...transformed, originalTopic, originalPartition, originalOffset };
}

function fails(run: () => unknown): boolean {
  try {
    run();
    return false;
  } catch {
    return true;
  }
}

export function consumedRecord({ topic, partition, timestampType }: FetchedBatch, record: ConsumerRecord): Consumed {
  return { topic, partition, timestampType, record };
}
