/** Errors for records that do not match their topic's format: site W of analytics-sink §4.6. */
import { DataError, checkValue, type SinkRecord } from '@millrace/sdk';

export function recordError(record: SinkRecord, message: string, cause?: unknown): DataError {
  return new DataError(message, {
    code: 'ANALYTICS_RECORD',
    cause,
    place: { topic: record.originalTopic, partition: record.originalPartition, offset: record.originalOffset },
  });
}

/** Names the member that does not match its schema, where that is the reason. */
export function unwritable(record: SinkRecord, format: string, cause: unknown): DataError {
  const problem = checkValue(record.valueSchema, record.value);
  const place = problem === null || problem.path === '' ? '' : `${problem.path}: `;
  const reason = problem === null ? '' : `: ${place}${problem.reason}`;
  return recordError(record, `The value cannot be written as ${format}${reason}.`, cause);
}
