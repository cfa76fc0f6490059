/** Panels of a connector, from the manifest of its plugin and published series; and those series between workers. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConnectorConsole, PluginManifest } from '@millrace/sdk';
import type { WorkerFigures } from '../../../src/cluster/entities';
import type { PublishedSeries } from '../../../src/metrics/published-series';
import type { Panel, TextPart } from '@millrace/console';
import { panelsOf, publishedSeries, readSeries, type Series } from '../../../src/rest/console/panels';

const FILE = join(__dirname, '../../../connectors/postgres/package.json');
const { millrace } = JSON.parse(readFileSync(FILE, 'utf8')) as { millrace: PluginManifest };
const DECLARED = millrace.plugins[0]?.console as ConnectorConsole;
const one = (name: string, value: number, labels: Record<string, string> = {}): Series => ({ name, labels, value });
const SLOT = { name: 'x', slot: 'todos' };
const HAS_SLOT = one('millrace_postgres_oldest_unacked_seconds', 0, SLOT);
const valuesOf = (panel: Panel | undefined) =>
  Object.fromEntries((panel?.facts ?? []).map(({ title, figure }) => [title, figure.value]));
const textOf = (parts: readonly TextPart[] | null | undefined) =>
  parts?.map((part) => (typeof part === 'string' ? part : `<${part.value} ${part.noun?.[1] ?? part.unit}>`)).join('');

test('a running snapshot, and a slot', () => {
  const [snapshot, slot, ...more] = panelsOf(DECLARED, [
    one('debezium_metrics_SnapshotRunning', 1),
    one('debezium_metrics_SnapshotCompleted', 0),
    one('debezium_metrics_RemainingTableCount', 1),
    one('debezium_metrics_RowsScanned', 10, { table: 'public.a' }),
    one('millrace_postgres_snapshot_table_percent', 100, { table: 'public.a' }),
    one('millrace_postgres_snapshot_table_percent', 12.5, { table: 'public.b' }),
    HAS_SLOT,
    one('millrace_postgres_slot_active', 1, SLOT),
    one('millrace_postgres_slot_wal_status', 0, { ...SLOT, status: 'reserved' }),
    one('millrace_postgres_slot_wal_status', 1, { ...SLOT, status: 'extended' }),
    one('millrace_postgres_slot_retained_wal_bytes', 16_777_216, SLOT),
    one('millrace_postgres_slot_confirmed_lag_bytes', 56, SLOT),
    one('millrace_postgres_last_flush_lsn', 0x1_0000_00ab * 16, SLOT),
  ]);
  expect(more).toEqual([]);
  expect(snapshot).toEqual({
    title: 'Snapshot',
    state: ['running, ', { value: 1, unit: 'count', noun: ['table', 'tables'] }, ' left'],
    notice: null,
    facts: [],
    progress: {
      noun: ['row', 'rows'],
      isActive: true,
      rows: [
        { name: 'public.a', percent: 100, count: 10 },
        { name: 'public.b', percent: 12.5, count: null },
      ],
    },
  });
  expect(slot).toMatchObject({ title: 'Replication slot', state: null, notice: null, progress: null });
  expect(slot?.facts[6]).toEqual({
    title: 'Until it is lost',
    figure: { value: null, unit: 'bytes', noun: null },
    unknown: 'no limit known',
  });
  expect(valuesOf(slot)).toEqual({
    Name: 'todos',
    Connected: null,
    'In use': 1,
    'WAL status': 'extended',
    'Not confirmed': 56,
    'Retained WAL': 16_777_216,
    'Until it is lost': null,
    'Confirmed LSN': 0x1_0000_00ab * 16,
  });
});

test.each([
  ['completed', 'SnapshotCompleted', undefined],
  ['aborted', 'SnapshotAborted', 'The snapshot did not finish'],
])('%s', (state, name, notice) => {
  const [snapshot, slot] = panelsOf(DECLARED, [
    one('debezium_metrics_SnapshotRunning', 0),
    one(`debezium_metrics_${name}`, 1),
    one('millrace_postgres_slot_active', 0, SLOT),
  ]);
  expect([textOf(snapshot?.state), snapshot?.notice?.title, snapshot?.progress?.isActive]).toEqual([
    ...[state, notice, false],
  ]);
  expect(valuesOf(slot)).toMatchObject({ 'In use': 0, 'Confirmed LSN': null });
});

test('no slot yet, no snapshot, and connectors without panels', () => {
  const titles = (series: readonly Series[], declared = DECLARED) =>
    panelsOf(declared, series).map(({ title }) => title);
  expect(titles([one('debezium_metrics_SnapshotRunning', 1)])).toEqual(['Snapshot']);
  expect(titles([one('debezium_metrics_SnapshotSkipped', 1), HAS_SLOT])).toEqual(['Replication slot']);
  expect(titles([])).toEqual([]);
  expect(titles([HAS_SLOT], {})).toEqual([]);
});

test.each([
  [{ wal_status: 1 }, 'lost', 'failed', /^PostgreSQL has removed WAL/],
  [{ wal_status: 1 }, 'unreserved', 'failed', /^Little can still be written/],
  [{ safe_wal_size_bytes: 1024 }, '', 'failed', /^<1024 bytes> can still be written/],
  [{ safe_wal_size_bytes: -5 }, '', 'failed', /^0 B can still be written/],
  [{ active: 0, retained_wal_bytes: 7 }, '', 'degraded', /, <7 bytes> now, until/],
  [{ active: 0, retained_wal_bytes: 0 }, '', undefined, /^$/],
  [{ safe_wal_size_bytes: 2 ** 31, active: 1, retained_wal_bytes: 7 }, '', undefined, /^$/],
])('the notice of a slot with %j %s', (values, status, kind, text) => {
  const series = Object.entries(values).map(([name, value]) =>
    one(`millrace_postgres_slot_${name}`, value, { ...SLOT, status }),
  );
  const notice = panelsOf(DECLARED, series)[0]?.notice;
  expect(notice?.kind).toBe(kind);
  expect(textOf(notice?.text) ?? '').toMatch(text);
});

test('a server that cannot be reached: what is unknown is not a slot that nothing reads', () => {
  const [slot] = panelsOf(DECLARED, [HAS_SLOT, one('millrace_postgres_connected', 0, SLOT)]);
  expect(slot?.notice).toMatchObject({ kind: 'degraded', title: 'PostgreSQL cannot be reached' });
  expect(valuesOf(slot)).toMatchObject({ Name: 'todos', Connected: 0, 'In use': null, 'Retained WAL': null });
});

test('several tasks: the largest value, the smallest or the sum, of the series with the labels', () => {
  const figure = { metric: 'm', labels: { kind: 'a' } };
  const facts = ['all', 'low', 'high'].map((name) => ({ title: name, figure: name }));
  const figures = {
    high: figure,
    low: { ...figure, combine: 'smallest' },
    all: { ...figure, combine: 'sum' },
  } as const;
  const series = [one('m', 2, { kind: 'a' }), one('m', 5, { kind: 'a' }), one('m', 100, { kind: 'b' })];
  const [panel] = panelsOf({ panels: [{ title: 'p', figures, facts }] }, series);
  expect(valuesOf(panel)).toEqual({ all: 7, low: 2, high: 5 });
});

test('tables are bounded', () => {
  const many = Array.from({ length: 5_000 }, (_, i) =>
    one('millrace_postgres_snapshot_table_percent', 1, { table: `t${i}` }),
  );
  const [snapshot] = panelsOf(DECLARED, [one('debezium_metrics_SnapshotRunning', 1), ...many]);
  expect(snapshot?.progress?.rows).toHaveLength(1_000);
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
  expect(publishedSeries(figures, 'a', DECLARED, 0)).toEqual([
    one('millrace_postgres_slot_active', 1, { name: 'x' }),
    one('debezium_metrics_SnapshotRunning', 0, { name: 'x' }),
  ]);
  expect(publishedSeries(figures, 'c', DECLARED, 0)).toEqual([]);
  expect(publishedSeries(figures, 'a', {}, 0)).toEqual([]);
});

test('reports of other workers are checked', () => {
  const good = one('n', 1, { a: 'b' });
  expect(
    readSeries([good, null, 1, {}, { ...good, name: 1 }, { ...good, value: '1' }, { ...good, labels: { a: 1 } }]),
  ).toEqual([good]);
  expect(readSeries({ error_code: 404 })).toEqual([]);
  expect(readSeries(null)).toEqual([]);
});
