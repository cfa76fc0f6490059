import type { SinkRecord } from '../record';

/**
 * A record to put. Missing members have defaults: partition 0, the next offset, no schemas, no key. Set
 * `originalTopic`, `originalPartition` and `originalOffset` too for a record whose topic or partition a transformation
 * has changed.
 */
export type PutRecord = Partial<SinkRecord> & { readonly value: unknown };

/** @param nextOffset called if the record has no offset */
export function completeRecord(
  record: PutRecord,
  defaultTopic: string,
  nextOffset: (topic: string, partition: number) => number,
): SinkRecord {
  const topic = record.originalTopic ?? record.topic ?? defaultTopic;
  const partition = record.originalPartition ?? record.partition ?? 0;
  const offset = record.originalOffset ?? record.offset ?? nextOffset(topic, partition);
  return {
    keySchema: null,
    key: null,
    valueSchema: null,
    timestamp: null,
    timestampType: 'NoTimestampType',
    headers: [],
    topic,
    partition,
    offset,
    ...record,
    originalTopic: topic,
    originalPartition: partition,
    originalOffset: offset,
  };
}
