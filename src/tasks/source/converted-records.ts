/** Records that their task has converted: their bytes pass as they are. */
import { ConnectError, type SourceRecord } from '@millrace/sdk';
import type { ProducerRecord, RecordHeader } from '@millrace/kafka-client';
import { timestampOf } from './source-conversion';

export class ConvertedRecords {
  constructor(private readonly owner: string) {}

  /** Throws ConnectError for a record that is not converted. */
  convert(record: SourceRecord): ProducerRecord {
    const { topic, partition, key, value, headers } = record;
    if (!isBytes(key)) throw this.invalid('key', topic);
    if (!isBytes(value)) throw this.invalid('value', topic);
    if (headers) for (const header of headers) if (!isBytes(header.value)) throw this.invalid('header', topic);
    return {
      topic,
      partition,
      key,
      value,
      headers: headers && headers.length > 0 ? (headers as readonly RecordHeader[]) : null,
      timestamp: timestampOf(record),
    };
  }

  private invalid(part: string, topic: string): ConnectError {
    return new ConnectError(
      `poll() of ${this.owner} returned a record whose ${part} is neither bytes nor null, although its task has taken the converters.`,
      { code: 'SOURCE_RECORD_INVALID', place: { topic } },
    );
  }
}

function isBytes(data: unknown): data is Uint8Array | null {
  return data === null || data instanceof Uint8Array;
}
