/** Rejects records that a worker could not write. */
import { checkValue } from '../check-value';
import { checkTopicName, SourceBatchCheck } from '../checks';
import type { SourceRecord } from '../record';
import { TESTED } from './tested';

/** As the runtime does, and with its words; and also that values fit their schemas, which converters check there. */
export class RecordsCheck {
  private readonly batches = new SourceBatchCheck(TESTED);

  /**
   * The records of a batch. Throws a ConnectError that names the record and the field.
   * @param first number of the first record
   */
  check(batch: unknown, first: number): readonly SourceRecord[] {
    const records = this.batches.check(batch, first) ?? [];
    for (const [i, record] of records.entries()) {
      checkTopicName(record.topic);
      for (const part of ['key', 'value'] as const) {
        const problem = checkValue(record[`${part}Schema`], record[part]);
        if (problem === null) continue;
        const reason = `${part}${problem.path === '' ? '' : `, field "${problem.path}"`}: ${problem.reason}`;
        throw this.batches.error({ code: 'CONVERTER_MISMATCH', reason }, record, first + i);
      }
    }
    return records;
  }
}
