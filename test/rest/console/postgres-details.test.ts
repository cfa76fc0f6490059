/** Snapshot and slot, from published series; and those series as workers tell each other. */
import type { WorkerFigures } from '../../../src/cluster/entities';
import type { PublishedSeries } from '../../../src/metrics/published-series';
import { postgresDetails } from '../../../src/rest/console/postgres-details';
import { publishedSeries, readSeries, type Series } from '../../../src/rest/console/published';

const one = (name: string, value: number, labels: Record<string, string> = {}): Series => ({ name, labels, value });
const SLOT = { name: 'x', slot: 'todos' };

test('a running snapshot, and a slot', () => {
  expect(
    postgresDetails([
      one('debezium_metrics_SnapshotRunning', 1),
      one('debezium_metrics_SnapshotCompleted', 0),
      one('debezium_metrics_RemainingTableCount', 1),
      one('debezium_metrics_RowsScanned', 10, { table: 'public.a' }),
      one('millrace_postgres_snapshot_table_percent', 100, { table: 'public.a' }),
      one('millrace_postgres_snapshot_table_percent', 12.5, { table: 'public.b' }),
      one('millrace_postgres_slot_active', 1, SLOT),
      one('millrace_postgres_slot_wal_status', 0, { ...SLOT, status: 'reserved' }),
      one('millrace_postgres_slot_wal_status', 1, { ...SLOT, status: 'extended' }),
      one('millrace_postgres_slot_retained_wal_bytes', 16_777_216, SLOT),
      one('millrace_postgres_slot_confirmed_lag_bytes', 56, SLOT),
      one('millrace_postgres_last_flush_lsn', 0x1_0000_00ab * 16, SLOT),
    ]),
  ).toEqual({
    snapshot: {
      state: 'running',
      tables: [
        { table: 'public.a', percent: 100, rowsScanned: 10 },
        { table: 'public.b', percent: 12.5, rowsScanned: null },
      ],
      remainingTables: 1,
    },
    slot: {
      name: 'todos',
      isActive: true,
      walStatus: 'extended',
      retainedWalBytes: 16_777_216,
      safeWalBytes: null,
      lagBytes: 56,
      confirmedLsn: '10/AB0',
    },
  });
});

test.each([
  ['completed', 'SnapshotCompleted'],
  ['aborted', 'SnapshotAborted'],
  ['none', 'SnapshotSkipped'],
])('%s', (state, name) => {
  const details = postgresDetails([one(`debezium_metrics_${name}`, 1), one('millrace_postgres_slot_active', 0, SLOT)]);
  expect([details?.snapshot.state, details?.slot?.isActive, details?.slot?.confirmedLsn]).toEqual([state, false, null]);
});

test('no slot yet, and other plugins', () => {
  expect(postgresDetails([one('millrace_postgres_snapshot_table_percent', 1, { table: 't' })])?.slot).toBeNull();
  expect(postgresDetails([])).toBeNull();
  expect(postgresDetails([one('debezium_metrics_SnapshotRunning', 1)])).toBeNull();
});

test('tables are bounded', () => {
  const many = Array.from({ length: 5_000 }, (_, i) =>
    one('millrace_postgres_snapshot_table_percent', 1, { table: `t${i}` }),
  );
  expect(postgresDetails(many)?.snapshot.tables).toHaveLength(1_000);
});

test('only the series of the connector that are shown are published, with known values', () => {
  const series = (name: string, value: number): PublishedSeries => {
    const memory = new SharedArrayBuffer(8);
    new Float64Array(memory)[0] = value;
    return { key: name, name, help: '', type: 'gauge', labels: { name: 'x' }, memory, cell: 0 };
  };
  const published = [
    series('millrace_postgres_slot_active', 1),
    series('millrace_postgres_slot_safe_wal_size_bytes', NaN),
    series('debezium_metrics_QueueTotalCapacity', 1),
    series('debezium_metrics_SnapshotRunning', 0),
  ];
  const figures = {
    tasks: [
      { connector: 'a', published },
      { connector: 'b', published },
    ],
  } as unknown as WorkerFigures;
  expect(publishedSeries(figures, 'a', 0)).toEqual([
    one('millrace_postgres_slot_active', 1, { name: 'x' }),
    one('debezium_metrics_SnapshotRunning', 0, { name: 'x' }),
  ]);
  expect(publishedSeries(figures, 'c', 0)).toEqual([]);
});

test('what another worker sends is checked', () => {
  const good = one('n', 1, { a: 'b' });
  expect(
    readSeries([good, null, 1, {}, { ...good, name: 1 }, { ...good, value: '1' }, { ...good, labels: { a: 1 } }]),
  ).toEqual([good]);
  expect(readSeries({ error_code: 404 })).toEqual([]);
  expect(readSeries(null)).toEqual([]);
});
