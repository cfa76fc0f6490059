/** A record that can not be written into a file of its topic's format: site W of analytics-sink §4.6. */
import { DataError, type SinkRecord } from '@millrace/sdk';

export function recordError(record: SinkRecord, message: string, cause?: unknown): DataError {
  return new DataError(message, {
    code: 'ANALYTICS_RECORD',
    cause,
    place: { topic: record.originalTopic, partition: record.originalPartition, offset: record.originalOffset },
  });
}
