/** Raw rows beside the general decoder, which is their oracle. */
import { isDeepStrictEqual } from 'node:util';
import { isRawRow, plainRecord, type SourceRecord } from '@millrace/sdk';

/** What decoding one case left behind. */
export interface Decoded {
  readonly records: readonly SourceRecord[];
  /** Compared as a whole, e.g. counters. */
  readonly state: object;
}

/**
 * Expects the records of a decoding with raw rows to be those of the general decoder, and calls `each` for each pair.
 * Returns the number of raw rows.
 */
export function compareRecords(
  number: number,
  raw: Decoded,
  general: Decoded,
  each: (record: SourceRecord, expected: SourceRecord) => void,
): number {
  let rows = 0;
  expect(general.records.some(({ value }) => isRawRow(value))).toBe(false);
  if (!isDeepStrictEqual(raw.state, general.state)) expect({ case: number, ...raw.state }).toEqual(general.state);
  expect(raw.records).toHaveLength(general.records.length);
  for (const [j, expected] of general.records.entries()) {
    const record = raw.records[j] as SourceRecord;
    const plain = plainRecord(record);
    // Deep equality of schemas is that of their models, which both decodings build.
    const isSame = isDeepStrictEqual(
      { ...plain, keySchema: null, valueSchema: null },
      { ...expected, keySchema: null, valueSchema: null },
    );
    if (!isSame) expect({ case: number, ...plain }).toEqual({ case: number, ...expected });
    if (j === 0) expect([plain.keySchema, plain.valueSchema]).toEqual([expected.keySchema, expected.valueSchema]);
    each(record, expected);
    if (isRawRow(record.value)) rows++;
  }
  return rows;
}
