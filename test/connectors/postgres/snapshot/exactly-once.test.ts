import { planChunks, SnapshotTable, type Chunk } from '../../../../connectors/postgres/src/snapshot/chunk';
import { ChunkPosition } from '../../../../connectors/postgres/src/snapshot/chunk-position';
import { chunkQuery } from '../../../../connectors/postgres/src/snapshot/chunk-query';
import { FinishedWork } from '../../../../connectors/postgres/src/snapshot/finished-work';
import {
  changedFrom,
  formatSnapshot,
  parseSnapshot,
  tellsChanges,
  unchangedSince,
  type FirstSnapshot,
} from '../../../../connectors/postgres/src/snapshot/first-snapshot';
import {
  readResumePoint,
  type FinishedTable,
  type ResumePoint,
} from '../../../../connectors/postgres/src/snapshot/resume-point';
import type { CatalogTable } from '../../../../connectors/postgres/src/database/catalog';
import type { TableModel } from '../../../../connectors/postgres/src/events/table-model';

const SETTINGS = { threads: 1, multiplier: 1, serverVersion: 150000, exactlyOnce: true, resumed: true };
const model = { columns: ['id'], decoders: [() => 0] } as unknown as TableModel;

function table(parts: number, finished: FinishedTable | null, exact = true): SnapshotTable {
  const catalog = { oid: 7, schema: 's', name: 't' } as CatalogTable;
  const size = { blocks: 300, rows: 30_000, bytes: 2_000_000, byBlock: true, storage: '', files: '', parts };
  return new SnapshotTable(catalog, 's.t', model, null, size, 'abc', finished, exact);
}

const first: FirstSnapshot = { xmin: 10n, xmax: 20n, running: [12n, 13n] };
const queries = (chunks: readonly Chunk[]): string[] =>
  chunks.map((chunk) => chunkQuery(chunk, { changedFrom: 10n, unchanged: unchangedSince(first, 30n) }));
const UNCHANGED = "(xmin::text::int8 < 20 OR xmin::text::int8 >= 30) AND xmin::text::int8 <> ALL ('{12,13}'::int8[])";

/** A DataRow's end: the length and text of its last columns. */
function row(...columns: string[]): Buffer {
  const cell = (text: string): Buffer => {
    const length = Buffer.alloc(4);
    length.writeInt32BE(text.length);
    return Buffer.concat([length, Buffer.from(text)]);
  };
  return Buffer.concat(columns.map(cell));
}

test.each(['10:20:12,13', '10:10:', '4294967296:4294967300:4294967297'])('the snapshot %s is kept', (text) => {
  expect(formatSnapshot(parseSnapshot(text) as FirstSnapshot)).toBe(text);
});

test.each(['', '10:20', '10:20:x', '10:20:1,', ':20:', '1:2:3:4'])('%p is no snapshot', (text) => {
  expect(parseSnapshot(text)).toBeNull();
});

test('the 32 bits of a row name one transaction in the first epoch only', () => {
  expect(tellsChanges((1n << 32n) - 1n)).toBe(true);
  expect(tellsChanges(1n << 32n)).toBe(false);
});

test.each([
  ['has ended', [11n, 13n], 12n],
  ['runs, as all others do', [11n, 12n, 13n, 25n], 20n],
  ['is unknown to a standby', [], 11n],
])('cdc-postgres §4.7: changes are looked for from the first transaction on that %s', (_, running, expected) => {
  const later = { xmin: 11n, xmax: 30n, running };
  expect(changedFrom({ xmin: 10n, xmax: 20n, running: [11n, 12n, 13n] }, later)).toBe(expected);
  expect(changedFrom({ xmin: 10n, xmax: 20n, running: [] }, later)).toBe(10n);
});

test.each([
  [['(0,1)'], { part: 0, position: 1 / 65536 }],
  [['(4294967295,65535)'], { part: 0, position: 4294967295 + 65535 / 65536 }],
])('the position of a row is its last column: %p', (columns, expected) => {
  const position = new ChunkPosition(false);
  expect(position.last(false)).toBeNull();
  const bytes = row('some text', ...columns);
  position.row(bytes, bytes.length);
  expect(position.last(false)).toEqual(expected);
  expect(position.last(true)).toBeNull();
});

test('in a table with several parts, the part is the column before; the row before the last one is known', () => {
  const position = new ChunkPosition(true);
  for (const columns of [
    ['99', '16384', '(1,2)'],
    ['99', '4294967295', '(0,7)'],
  ]) {
    const bytes = row(...columns);
    position.row(bytes, bytes.length);
  }
  expect(position.last(true)).toEqual({ part: 16384, position: 1 + 2 / 65536 });
  expect(position.last(false)).toEqual({ part: 4294967295, position: 7 / 65536 });
});

test('connect-runtime 80: another attempt reads unread rows of the first snapshot only', () => {
  const resumed = table(1, { fingerprint: 'abc', rows: 5, blocks: [{ from: 0, to: 200 + 17 / 65536 }], exact: true });
  expect(queries(planChunks(resumed, SETTINGS))).toEqual([
    `SELECT "id", ctid FROM "s"."t" WHERE ctid >= '(200,17)'::tid AND ${UNCHANGED}`,
  ]);
  const finished = table(1, { fingerprint: 'abc', rows: 5, blocks: [{ from: 0, to: Infinity }], exact: true });
  expect(planChunks(finished, SETTINGS)).toEqual([]);
});

test('rows that the stream does not cover are read with their changes', () => {
  const resumed = table(1, { fingerprint: 'abc', rows: 5, blocks: [{ from: 0, to: 200 }], exact: false }, false);
  expect(queries(planChunks(resumed, SETTINGS))).toEqual([
    `SELECT "id" FROM "s"."t" WHERE ctid < '(200,0)'::tid AND (xmin::text::int8 - 10 + 4294967296) % 4294967296 < 2147483648`,
    `SELECT "id", ctid FROM "s"."t" WHERE ctid >= '(200,0)'::tid`,
  ]);
});

test('the parts of a table are read in order, after the last row that was emitted', () => {
  const partial = [{ blocks: { from: 0, to: 164 }, part: 16384, position: 3 + 4 / 65536 }];
  const resumed = table(2, { fingerprint: 'abc', rows: 5, blocks: [], exact: true, partial });
  expect(queries(planChunks(resumed, SETTINGS))).toEqual([
    `SELECT "id", tableoid, ctid FROM "s"."t" WHERE ctid < '(164,0)'::tid AND ${UNCHANGED} AND (tableoid, ctid) > (16384::oid, '(3,4)'::tid) ORDER BY tableoid, ctid`,
    `SELECT "id", tableoid, ctid FROM "s"."t" WHERE ctid >= '(164,0)'::tid AND ${UNCHANGED} ORDER BY tableoid, ctid`,
  ]);
});

describe('the offset of a running snapshot', () => {
  const planned = (of: SnapshotTable): Chunk[] => planChunks(of, { ...SETTINGS, resumed: false });
  const read = (chunk: Chunk, ...columns: string[]): void => {
    const bytes = row(...columns);
    chunk.exactly?.position.row(bytes, bytes.length);
    chunk.rows++;
  };

  test('names every table, and the rows that were emitted but for the one that is held back', () => {
    const of = table(1, null);
    const work = new FinishedWork({ lsn: 1 }, first, true, [of]);
    expect(work.offset).toEqual({ lsn: 1, snapshot_progress: '2 10:20:12,13 7:abc:0:' });
    const [chunk] = planned(of) as [Chunk];
    read(chunk, '(0,1)');
    read(chunk, '(0,2)');
    of.marks.held = {} as never;
    of.heldOf = chunk;
    expect(work.partly([chunk])).toEqual({ lsn: 1, snapshot_progress: '2 10:20:12,13 7:abc:1:0-0.2' });
    of.marks.held = null;
    expect(work.partly([chunk])).toEqual({ lsn: 1, snapshot_progress: '2 10:20:12,13 7:abc:2:0-0.3' });
    work.finish(chunk);
    expect(work.offset).toEqual({ lsn: 1, snapshot_progress: '2 10:20:12,13 7:abc:2:0-164' });
  });

  test('has the last row of a chunk of several parts until it is finished', () => {
    const of = table(2, null, false);
    const work = new FinishedWork({}, first, true, [of]);
    const [chunk] = planned(of) as [Chunk];
    read(chunk, '16385', '(2,3)');
    const offset = work.partly([chunk]);
    expect(offset).toEqual({ snapshot_progress: '2 10:20:12,13 7:abc:1::u:0-164@16385@2.3' });
    const table7 = readResumePoint(offset)?.tables.get(7);
    expect(table7).toMatchObject({ exact: false, partial: [{ part: 16385, position: 2 + 3 / 65536 }] });
    const again = new FinishedWork({}, first, true, [table(2, table7 as FinishedTable, false)]);
    expect(again.offset).toEqual(offset);
    work.finish(chunk);
    expect(work.offset).toEqual({ snapshot_progress: '2 10:20:12,13 7:abc:1:0-164:u' });
  });

  test('names hundreds of tables, of which some are finished', () => {
    const { model, size } = table(1, null);
    const tables = Array.from(
      { length: 400 },
      (_, i) => new SnapshotTable({ oid: i } as CatalogTable, `s.t${i}`, model, null, size, 'abc', null, true),
    );
    const work = new FinishedWork({}, first, true, tables);
    const left = (): number[] => {
      const { tables: all } = readResumePoint(work.offset) as ResumePoint;
      expect(all.size).toBe(400);
      return [...all].filter(([, { blocks }]) => blocks.length === 0).map(([oid]) => oid);
    };
    const oids = tables.map((one) => one.table.oid);
    expect(left()).toEqual(oids);
    for (const unfinished of [(oid: number) => oid % 100 >= 50, (oid: number) => oid >= 350, () => false]) {
      for (const one of [...tables].reverse())
        if (!unfinished(one.table.oid)) for (const chunk of planned(one)) work.finish(chunk);
      expect(left()).toEqual(oids.filter((oid) => unfinished(oid)));
    }
  });

  test.each([
    { snapshot_progress: '2 99 7:abc:5:0-8' },
    { snapshot_progress: '2 9:9: 7:abc:5:0-8:x' },
    { snapshot_progress: '2 9:9: 7:abc:5:0-8:1-2@3' },
  ])('%p is not resumed from', (offset) => {
    expect(readResumePoint(offset)).toBeNull();
  });
});
