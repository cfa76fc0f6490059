import type { FetchedBatch, RecordHeader } from '@millrace/kafka-client';
import { ViewedRecord } from '../../../packages/kafka-client/src/records/viewed-record';

/** As the group consumer returns it. */
export function viewed(of: FetchedBatch, headers: readonly RecordHeader[] = []): FetchedBatch {
  const views = of.records.map(({ offset, timestamp, key, value }) => {
    const bytes = Buffer.concat([key ?? Buffer.alloc(0), value ?? Buffer.alloc(0)]);
    const keyEnd = key?.length ?? 0;
    const starts = { key: key === null ? -1 : 0, value: value === null ? -1 : keyEnd };
    return new ViewedRecord(offset, timestamp, bytes, starts.key, keyEnd, starts.value, bytes.length, headers);
  });
  return { ...of, records: views, views };
}
