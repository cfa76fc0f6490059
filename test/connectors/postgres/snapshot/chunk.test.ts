import type { SourceOffset } from '@millrace/sdk';
import { formatRanges } from '../../../../connectors/postgres/src/snapshot/block-ranges';
import { planChunks, SnapshotTable, type Chunk } from '../../../../connectors/postgres/src/snapshot/chunk';
import { chunkQuery } from '../../../../connectors/postgres/src/snapshot/chunk-query';
import { FinishedWork } from '../../../../connectors/postgres/src/snapshot/finished-work';
import {
  progressLength,
  readResumePoint,
  type FinishedTable,
} from '../../../../connectors/postgres/src/snapshot/resume-point';
import type { CatalogTable } from '../../../../connectors/postgres/src/database/catalog';
import type { TableModel } from '../../../../connectors/postgres/src/events/table-model';

const MIB = 1024 * 1024;
/** 100 rows in a block. */
const SIZE = { blocks: 1000, rows: 100_000, bytes: 8 * MIB, byBlock: true, storage: '', files: '', parts: 1 };
const ONE = { threads: 1, multiplier: 1, serverVersion: 150000, exactlyOnce: false, resumed: false };

const model = { columns: ['id', 'q"'], decoders: [() => 0, null] } as unknown as TableModel;
function table(size: Partial<typeof SIZE> = {}, finished: FinishedTable | null = null, override: string | null = null) {
  const catalog = { oid: 7, schema: 's', name: 't' } as CatalogTable;
  return new SnapshotTable(catalog, 's.t', model, override, { ...SIZE, ...size }, 'abc', finished);
}
const finished = (from: number, to: number, ...more: [number, number][]): FinishedTable => ({
  fingerprint: 'abc',
  rows: 5,
  blocks: [[from, to] as const, ...more].map(([start, end]) => ({ from: start, to: end })),
});
const shown = (chunks: readonly Chunk[]): string[] =>
  chunks.map(({ blocks, changedOnly }) => `${changedOnly ? 'changed ' : ''}${formatRanges([blocks])}`);

test('chunks have about as many rows each; the last one has no end', () => {
  expect(shown(planChunks(table(), ONE))).toEqual([
    '0-164',
    '164-328',
    '328-492',
    '492-656',
    '656-820',
    '820-984',
    '984-',
  ]);
});

test.each([
  ['an empty table', { blocks: 0, rows: 0, bytes: 0 }, ['0-']],
  ['a table that was never analyzed', { blocks: 300, rows: 0, bytes: 2 * MIB }, ['0-128', '128-256', '256-']],
  ['rows of a megabyte', { blocks: 3, rows: 300, bytes: 300 * MIB }, ['0-1', '1-2', '2-']],
  ['a table without blocks', { byBlock: false }, ['0-']],
])('%s', (_, size, expected) => {
  expect(shown(planChunks(table(size), ONE))).toEqual(expected);
});

test('several threads share a table, unless it is small', () => {
  const few = { blocks: 160, rows: 16_000, bytes: MIB };
  expect(shown(planChunks(table(few), { ...ONE, threads: 2 }))).toEqual(['0-80', '80-']);
  expect(shown(planChunks(table(few), { ...ONE, threads: 8, multiplier: 4 }))).toEqual(['0-64', '64-128', '128-']);
});

test('a range of blocks is not read alone before PostgreSQL 14', () => {
  expect(shown(planChunks(table(), { ...ONE, serverVersion: 130000 }))).toEqual(['0-']);
  expect(shown(planChunks(table({}, finished(0, Infinity)), { ...ONE, serverVersion: 130000 }))).toEqual([
    'changed 0-',
  ]);
});

test('cdc-postgres §4.7: another attempt reads what is missing, and rows written since', () => {
  expect(shown(planChunks(table({}, finished(0, 500, [700, Infinity])), ONE))).toEqual([
    'changed 0-500',
    'changed 700-',
    '500-664',
    '664-700',
  ]);
  expect(shown(planChunks(table({}, finished(0, Infinity)), ONE))).toEqual(['changed 0-']);
  // More blocks were finished than there are now.
  expect(shown(planChunks(table({ blocks: 10 }, finished(0, 500)), ONE))).toEqual(['changed 0-500', '500-']);
});

test('the SELECT of a chunk', () => {
  const query = (chunk: Partial<Chunk>, of = table()) =>
    chunkQuery(
      { table: of, blocks: { from: 0, to: Infinity }, changedOnly: false, rows: 0, fetched: false, ...chunk },
      { changedFrom: 5n, unchanged: 'unchanged' },
    );
  expect(query({})).toBe('SELECT "id", NULL FROM "s"."t"');
  expect(query({ blocks: { from: 8, to: 16 } })).toBe(
    `SELECT "id", NULL FROM "s"."t" WHERE ctid >= '(8,0)'::tid AND ctid < '(16,0)'::tid`,
  );
  expect(query({ blocks: { from: 8, to: Infinity }, changedOnly: true })).toBe(
    `SELECT "id", NULL FROM "s"."t" WHERE ctid >= '(8,0)'::tid AND (xmin::text::int8 - 5 + 4294967296) % 4294967296 < 2147483648`,
  );
  expect(query({}, table({}, null, 'SELECT 1; '))).toBe('SELECT "id", NULL FROM (SELECT 1\n) AS override');
  expect(query({}, table({}, null, 'SELECT 1 -- one'))).toBe('SELECT "id", NULL FROM (SELECT 1 -- one\n) AS override');
});

describe('the offset of a running snapshot', () => {
  const first = { xmin: 97n, xmax: 99n, running: [97n] };
  const chunk = (of: SnapshotTable, from: number, to: number, rows = 10, changedOnly = false): Chunk => ({
    ...{ table: of, blocks: { from, to }, rows, changedOnly },
    fetched: true,
  });

  test('is as before until a chunk is finished, then one object per finished chunk', () => {
    const base = { lsn: 1 };
    const of = table();
    const work = new FinishedWork(base, first, false, [of]);
    expect(work.offset).toBe(base);
    work.finish(chunk(of, 0, 8));
    expect(work.offset).toEqual({ lsn: 1, snapshot_progress: '1 97:99:97 7:abc:10:0-8' });
    expect(work.offset).toBe(work.offset);
    work.finish(chunk(of, 16, Infinity));
    expect(work.offset).toEqual({ lsn: 1, snapshot_progress: '1 97:99:97 7:abc:20:0-8,16-' });
    work.finish(chunk(of, 8, 16));
    expect(work.offset).toEqual({ lsn: 1, snapshot_progress: '1 97:99:97 7:abc:30:0-' });
  });

  test('has what earlier attempts finished, and nothing of what must be read again each time', () => {
    const resumed = table({}, finished(0, 8));
    const work = new FinishedWork({}, first, false, [resumed]);
    work.finish(chunk(resumed, 0, 8, 3, true));
    work.finish(chunk(table({}, null, 'SELECT 1'), 0, Infinity));
    work.finish(chunk(table({ byBlock: false }), 0, Infinity));
    expect(work.offset).toEqual({ snapshot_progress: '1 97:99:97 7:abc:5:0-8' });
    expect(readResumePoint(work.offset)).toEqual({
      ...{ snapshot: first, exactlyOnce: false },
      tables: new Map([[7, finished(0, 8)]]),
    });
  });

  test('of an earlier release, it has only the oldest transaction that ran', () => {
    expect(readResumePoint({ snapshot_progress: '1 99 7:abc:5:0-8' })).toEqual({
      ...{ snapshot: { xmin: 99n, xmax: 99n, running: [] }, exactlyOnce: false },
      tables: new Map([[7, finished(0, 8)]]),
    });
  });

  test('has a limit: tables beyond it are read again', () => {
    const work = new FinishedWork({}, first, false, []);
    for (let oid = 0; oid < 40_000; oid++)
      work.finish(chunk({ ...table(), table: { oid }, resumable: true } as never, 0, Infinity));
    expect(progressLength(work.offset)).toBeGreaterThan(400_000);
    expect(progressLength(work.offset)).toBeLessThan(600_000);
  });

  test.each([
    null,
    {},
    { snapshot_progress: 1 },
    { snapshot_progress: '' },
    { snapshot_progress: '2 99 7:abc:5:0-8' },
    { snapshot_progress: '1 x 7:abc:5:0-8' },
    { snapshot_progress: '1 97:99:97 7:abc:5' },
    { snapshot_progress: '1 97:99:97 7:abc:5:8-0' },
    { snapshot_progress: '1 97:99:97 7:abc:5:0-8 ' },
  ])('%p gives nothing to resume from', (offset) => {
    expect(readResumePoint(offset as SourceOffset | null)).toBeNull();
  });
});
