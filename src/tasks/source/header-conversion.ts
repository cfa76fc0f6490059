/** Converts headers of source records to Kafka headers. */
import type { Header, HeaderConverter } from '@millrace/sdk';
import type { RecordHeader } from '@millrace/kafka-client';

/** A frozen list is converted once per topic, however many records share it. */
export class HeaderConversion {
  private shared: readonly Header[] | null = null;
  private readonly byTopic = new Map<string, readonly RecordHeader[]>();

  constructor(private readonly converter: HeaderConverter) {}

  /** Throws what the converter throws. The result for a frozen list is frozen. */
  convert(topic: string, headers: readonly Header[]): readonly RecordHeader[] {
    if (headers !== this.shared) {
      if (!isConstant(headers)) return this.convertList(topic, headers);
      this.shared = headers;
      this.byTopic.clear();
    }
    let converted = this.byTopic.get(topic);
    if (converted === undefined) {
      converted = Object.freeze(this.convertList(topic, headers));
      this.byTopic.set(topic, converted);
    }
    return converted;
  }

  private convertList(topic: string, headers: readonly Header[]): RecordHeader[] {
    return headers.map(({ key, schema, value }) => {
      const bytes = this.converter.fromConnectHeader(topic, key, schema, value);
      // A copy, because the converter may reuse the buffer for the next header.
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
