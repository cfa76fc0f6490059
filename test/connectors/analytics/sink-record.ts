/** A record as the worker passes it to a sink. */
import type { SinkRecord } from '@millrace/sdk';

export function sinkRecord(value: unknown, rest: Partial<SinkRecord> = {}): SinkRecord {
  return {
    topic: 't',
    partition: 0,
    offset: 7,
    originalTopic: rest.topic ?? 't',
    originalPartition: rest.partition ?? 0,
    originalOffset: rest.offset ?? 7,
    key: null,
    keySchema: null,
    value: value as SinkRecord['value'],
    valueSchema: null,
    timestamp: null,
    timestampType: 'NoTimestampType',
    headers: [],
    ...rest,
  };
}
