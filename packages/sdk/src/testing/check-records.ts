/** Rejects records that a worker could not write. */
import { checkValue } from '../check-value';
import type { SourceRecord } from '../record';

/** Throws a TypeError that names the record and the field. */
export function checkSourceRecord(record: SourceRecord, number: number): void {
  const fail = (reason: string): never => {
    throw new TypeError(`record ${number} (topic ${String(record.topic)}): ${reason}`);
  };
  if (typeof record.topic !== 'string' || record.topic === '') fail('topic must be a non-empty string');
  for (const member of ['sourcePartition', 'sourceOffset', 'keySchema', 'valueSchema'] as const) {
    if (record[member] === undefined) fail(`${member} is missing: use null for none`);
  }
  for (const part of ['key', 'value'] as const) {
    const problem = checkValue(record[`${part}Schema`], record[part]);
    if (problem) fail(`${part}${problem.path === '' ? '' : `, field "${problem.path}"`}: ${problem.reason}`);
  }
  if (record.timestamp !== undefined && record.timestamp !== null && !(record.timestamp >= -1)) {
    fail(`timestamp ${record.timestamp} is invalid: milliseconds since the epoch, or null`);
  }
}
