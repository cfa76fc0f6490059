/** What a worker passes to `putTexts`, and the same values as `put` gets them from StringConverter. */
import type { SinkRecord, TextBatch } from '@millrace/sdk';
import { StringConverter } from '../../src/converters/string-converter';

export type Text = Buffer | null;

/** All in one buffer with bytes between them that are no text, as in a record batch. */
export function textBatch(values: readonly Text[], partition = 0, firstOffset = 0): TextBatch {
  const parts: Buffer[] = [];
  let at = 0;
  const records = values.map((value, index) => {
    const frame = Buffer.from([0xff, 0x80, 10, 0xc3]);
    parts.push(frame, value ?? Buffer.alloc(0));
    const valueStart = at + frame.length;
    at = valueStart + (value?.length ?? 0);
    const offset = firstOffset + index;
    return { offset, timestamp: 1, bytes: Buffer.alloc(0), valueStart: value === null ? -1 : valueStart, valueEnd: at };
  });
  // Not at the start of its memory.
  const bytes = Buffer.concat([Buffer.alloc(3), ...parts]).subarray(3);
  return { topic: 't', partition, records: records.map((record) => ({ ...record, bytes })) };
}

const converter = new StringConverter();
converter.configure({});

export function convertedTexts(values: readonly Text[], firstOffset = 0): SinkRecord[] {
  return values.map((bytes, index) => {
    const { schema: valueSchema, value } = converter.toConnectData('t', bytes);
    const offset = firstOffset + index;
    return {
      ...{ topic: 't', partition: 0, offset, originalTopic: 't', originalPartition: 0, originalOffset: offset },
      ...{ keySchema: null, key: null, valueSchema, value, timestamp: 1, timestampType: 'CreateTime', headers: [] },
    };
  });
}
