/**
 * Converts source records to producer records. Converters reuse their buffers: pass each record to the producer before
 * converting the next one.
 */
import {
  ConnectError,
  converterCall,
  converterReady,
  isRawRow,
  plainRecord,
  RawCursor,
  type RawRow,
  type SourceRecord,
} from '@millrace/sdk';
import type { ProducerRecord, RecordHeader } from '@millrace/kafka-client';
import { type ConverterWait, retriedWhenReady } from '../errors/converter-wait';
import { endsTask, type ErrorPolicy, type Operation } from '../errors/error-policy';
import type { Stage } from '../errors/failed-record';
import type { TaskConverters } from '../task-converters';
import { HeaderConversion } from './header-conversion';

export class SourceConversion {
  private readonly headers: HeaderConversion;
  private readonly cursor = new RawCursor();

  constructor(
    private readonly converters: TaskConverters,
    private readonly policy: ErrorPolicy,
    private readonly wait: Pick<ConverterWait, 'until'>,
  ) {
    this.headers = new HeaderConversion(converters.header.converter);
  }

  /**
   * The record for Kafka, or null when it is skipped. A promise only after a failure, or when a converter is not ready
   * yet: it rejects with RetryInterrupted when the task is stopped meanwhile. `polled` is the record before
   * transformations, which reports show.
   */
  convert(record: SourceRecord, polled: SourceRecord): ProducerRecord | null | Promise<ProducerRecord | null> {
    if (isRawRow(record.value)) return this.convertRaw(record, record.value, polled);
    const { key, value, header } = this.converters;
    const timestamp = timestampOf(record);
    let stage: Stage = 'HEADER_CONVERTER';
    try {
      const headers = this.convertHeaders(record);
      stage = 'KEY_CONVERTER';
      const keyBytes = key.converter.fromConnectData(record.topic, record.keySchema, record.key);
      stage = 'VALUE_CONVERTER';
      const valueBytes = value.converter.fromConnectData(record.topic, record.valueSchema, record.value);
      return { topic: record.topic, partition: record.partition, key: keyBytes, value: valueBytes, headers, timestamp };
    } catch (error) {
      const failed = stage === 'HEADER_CONVERTER' ? header : stage === 'KEY_CONVERTER' ? key : value;
      const run = (): ProducerRecord | Promise<ProducerRecord> =>
        retriedWhenReady(() => this.convertRecord(record), this.wait);
      const operation = { stage, className: failed.className, source: polled, run };
      const ready = converterReady(error);
      return ready === null
        ? this.convertWithRetry(operation, error)
        : this.convertOnceReady(ready, converterCall(error), operation, () => this.convert(record, polled));
    }
  }

  private async convertOnceReady(
    ready: Promise<unknown>,
    call: string | null,
    operation: Operation<ProducerRecord>,
    convert: () => ReturnType<SourceConversion['convert']>,
  ): Promise<ProducerRecord | null> {
    try {
      await this.wait.until(ready, call);
    } catch (error) {
      if (endsTask(error)) throw error;
      return await this.convertWithRetry(operation, error);
    }
    return await convert();
  }

  /** As `convert`. Whatever the converters do not write from bytes, they get as plain values. */
  private convertRaw(record: SourceRecord, row: RawRow, polled: SourceRecord): ReturnType<SourceConversion['convert']> {
    const { key, value } = this.converters;
    const { topic, partition } = record;
    const { cursor } = this;
    const keyStruct = isRawRow(record.key) ? row.shape.key : null;
    try {
      cursor.locate(row);
      const keyBytes = keyStruct === null ? null : key.converter.fromRaw?.(topic, keyStruct, cursor);
      if ((keyStruct === null && record.key === null) || keyBytes) {
        const valueBytes = value.converter.fromRaw?.(topic, row.shape.value, cursor);
        if (valueBytes) {
          const headers = this.convertHeaders(record);
          return {
            topic,
            partition,
            key: keyBytes as Uint8Array | null,
            value: valueBytes,
            headers,
            timestamp: timestampOf(record),
          };
        }
      }
    } catch {
      // Converted as a plain record, it fails at the stage whose error is reported.
    }
    return this.convert(plainRecord(record), polled);
  }

  private async convertWithRetry(operation: Operation<ProducerRecord>, error: unknown): Promise<ProducerRecord | null> {
    const recovered = await this.policy.recover(operation, error);
    return recovered === null ? null : recovered.value;
  }

  private convertRecord(record: SourceRecord): ProducerRecord {
    const { topic, partition } = record;
    const headers = this.convertHeaders(record);
    const key = this.converters.key.converter.fromConnectData(topic, record.keySchema, record.key);
    const value = this.converters.value.converter.fromConnectData(topic, record.valueSchema, record.value);
    return { topic, partition, key, value, headers, timestamp: timestampOf(record) };
  }

  private convertHeaders({ topic, headers }: SourceRecord): readonly RecordHeader[] | null {
    return headers && headers.length > 0 ? this.headers.convert(topic, headers) : null;
  }
}

/** -1 stands for "no timestamp", as in Java. */
export function timestampOf({ timestamp, topic }: SourceRecord): number | null {
  if (timestamp === null || timestamp === undefined || timestamp === -1) return null;
  if (timestamp >= 0) return timestamp;
  throw new ConnectError(`Invalid record timestamp ${timestamp}: it must not be negative.`, {
    code: 'INVALID_TIMESTAMP',
    place: { topic },
  });
}
