import type { SourceRecord } from '@millrace/sdk';
import { SnapshotMarkers, TableRows } from '../../../../connectors/postgres/src/snapshot/snapshot-markers';

const RUNNING = { lsn: 1 };
const COMPLETED = { lsn: 2 };

const record = (id = 0): SourceRecord => ({ value: { id, source: {} } }) as unknown as SourceRecord;
const marksOf = (out: readonly SourceRecord[]): string[] =>
  out.map(({ value }) => (value as { source: { snapshot: string } }).source.snapshot);

/** Marks of tables with so many rows each, one table after another. */
function marks(...tables: number[]): string[] {
  const markers = new SnapshotMarkers(() => RUNNING, COMPLETED);
  const out: SourceRecord[] = [];
  for (const rows of tables) {
    const table = new TableRows();
    for (let i = 0; i < rows; i++) markers.row(table, record(), out);
    markers.tableEnded(table, out);
  }
  markers.finish(out);
  expect(out.map(({ sourceOffset }) => sourceOffset)).toEqual(
    out.map((_, i) => (i === out.length - 1 ? COMPLETED : RUNNING)),
  );
  return marksOf(out);
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

test('cdc-postgres 28: tables read at once have one first and one last row each, and so has the snapshot', () => {
  const markers = new SnapshotMarkers(() => RUNNING, COMPLETED);
  const [a, b] = [new TableRows(), new TableRows()];
  const out: SourceRecord[] = [];
  for (const [table, id] of [
    [b, 1],
    [a, 2],
    [a, 3],
    [b, 4],
    [a, 5],
  ] as const)
    markers.row(table, record(id), out);
  markers.tableEnded(b, out);
  markers.row(a, record(6), out);
  markers.tableEnded(a, out);
  markers.finish(out);
  const seen = out.map(({ value }) => (value as { id: number }).id);
  expect(seen.map((id, i) => `${id} ${marksOf(out)[i]}`)).toEqual([
    '2 first',
    '1 first_in_data_collection',
    '3 true',
    '4 last_in_data_collection',
    '5 true',
    '6 last',
  ]);
});

test('a chunk is finished with its last row, whose offset contains it', () => {
  let finished = 0;
  const markers = new SnapshotMarkers(() => ({ finished }), COMPLETED);
  const table = new TableRows();
  const out: SourceRecord[] = [];
  const part = { emitted: () => void finished++ };
  markers.row(table, record(), out);
  markers.row(table, record(), out);
  markers.partEnded(table, part);
  expect(finished).toBe(0);
  markers.row(table, record(), out);
  expect(out.map(({ sourceOffset }) => sourceOffset)).toEqual([{ finished: 0 }, { finished: 1 }]);
  expect(markers.lastOffset).toEqual({ finished: 1 });
  // A part without rows.
  markers.partEnded(new TableRows(), part);
  expect(finished).toBe(2);
});
