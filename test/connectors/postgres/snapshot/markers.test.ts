import type { SourceRecord } from '@millrace/sdk';
import { SnapshotMarkers } from '../../../../connectors/postgres/src/snapshot/snapshot-markers';

const RUNNING = { lsn: 1 };
const COMPLETED = { lsn: 2 };

/** Marks of tables with so many rows each; trailing zero-row tables never reach the markers. */
function marks(...tables: number[]): string[] {
  const markers = new SnapshotMarkers({ running: RUNNING, completed: COMPLETED });
  const out: SourceRecord[] = [];
  for (const rows of tables) {
    if (rows > 0) markers.tableEnded();
    for (let i = 0; i < rows; i++) markers.row({ value: { source: {} } } as SourceRecord, out);
  }
  markers.finish(out);
  expect(out.map((record) => record.sourceOffset)).toEqual(
    out.map((_, i) => (i === out.length - 1 ? COMPLETED : RUNNING)),
  );
  return out.map((record) => (record.value as { source: { snapshot: string } }).source.snapshot);
}

test.each([
  [[], []],
  [[1], ['last']],
  [[2], ['first', 'last']],
  [
    [1, 1],
    ['first', 'last'],
  ],
  [
    [2, 0, 1],
    ['first', 'last_in_data_collection', 'last'],
  ],
  [
    [3, 2, 1, 3, 0],
    [
      'first',
      'true',
      'last_in_data_collection',
      'first_in_data_collection',
      'last_in_data_collection',
      'last_in_data_collection',
      'first_in_data_collection',
      'true',
      'last',
    ],
  ],
])('cdc-postgres 14-16: %p', (tables, expected) => {
  expect(marks(...(tables as number[]))).toEqual(expected);
});
