/** Headers of source records to those of Kafka. */
import type { Header, HeaderConverter } from '@millrace/sdk';
import type { RecordHeader } from '../../kafka/port';

/** A list that cannot change any more is converted once for each topic, however many records share it. */
export class HeaderConversion {
  private shared: readonly Header[] | null = null;
  private readonly byTopic = new Map<string, readonly RecordHeader[]>();

  constructor(private readonly converter: HeaderConverter) {}

  /** Throws what the converter throws. A shared list's result is frozen. */
  convert(topic: string, headers: readonly Header[]): readonly RecordHeader[] {
    if (headers !== this.shared) {
      if (!isConstant(headers)) return this.fresh(topic, headers);
      this.shared = headers;
      this.byTopic.clear();
    }
    let converted = this.byTopic.get(topic);
    if (converted === undefined) {
      converted = Object.freeze(this.fresh(topic, headers));
      this.byTopic.set(topic, converted);
    }
    return converted;
  }

  private fresh(topic: string, headers: readonly Header[]): RecordHeader[] {
    return headers.map(({ key, schema, value }) => {
      const bytes = this.converter.fromConnectHeader(topic, key, schema, value);
      // Copied: the next header may be written to the same buffer.
      return { key, value: bytes && Buffer.from(bytes) };
    });
  }
}

function isConstant(headers: readonly Header[]): boolean {
  return (
    Object.isFrozen(headers) &&
    headers.every((header) => Object.isFrozen(header) && (header.value === null || typeof header.value !== 'object'))
  );
}
