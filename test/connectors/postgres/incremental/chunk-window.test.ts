import type { CatalogTable } from '../../../../connectors/postgres/src/database/catalog';
import type { Cells } from '../../../../connectors/postgres/src/events/row';
import type { TableModel } from '../../../../connectors/postgres/src/events/table-model';
import { ChunkWindow, type ChunkRow } from '../../../../connectors/postgres/src/incremental/chunk-window';
import { identityText, rowIdentity } from '../../../../connectors/postgres/src/incremental/row-identity';

const NAMES = ['id', 'email', 'name'];
const column = (name: string): object => ({ name, notNull: name !== 'name', generated: false });
const table = (parts: Partial<CatalogTable>): CatalogTable =>
  ({
    ...{ schema: 'public', name: 't', columns: NAMES.map(column), key: ['id'], hasPrimaryKey: true },
    ...{ replicaIdentity: 'd', identityIndex: [], ...parts },
  }) as unknown as CatalogTable;
const model = (hidden: readonly string[] = []): TableModel =>
  ({
    columns: NAMES,
    decoders: NAMES.map((name) => (hidden.includes(name) ? null : () => 0)),
  }) as unknown as TableModel;

test.each([
  ['the primary key', {}, model(), [0], true, true],
  ['the index of the replica identity', { replicaIdentity: 'i', identityIndex: ['email'] }, model(), [1], true, true],
  ['a unique index, with complete old rows', { replicaIdentity: 'f', hasPrimaryKey: false }, model(), [0], true, false],
  ['all columns: no key', { replicaIdentity: 'f', key: [] }, model(), [0, 1, 2], false, false],
  ['all columns: a key with NULL', { key: ['name'], hasPrimaryKey: false }, model(), [0, 1, 2], false, false],
  ['all others: a key that is not captured', {}, model(['id']), [1, 2], false, false],
])('cdc-postgres 101: rows are recognized by %s', (_name, parts, of, cells, isUnique, isInOldKey) => {
  expect(rowIdentity(table(parts), of)).toEqual({ cells, isUnique, isInOldKey });
});

test('values of all kinds give different texts; an unchanged one gives none', () => {
  const identity = { cells: [0, 2], isUnique: true, isInOldKey: true };
  const values = [1, '1', null, true, Buffer.from('1'), new Date(1), ['1'], ['1', '1'], { a: 1 }, new Map([['1', 1]])];
  const texts = values.map((value) => identityText(identity, [value, 'other', 7]));
  expect(new Set(texts).size).toBe(values.length);
  expect(identityText(identity, [1, 2, undefined])).toBeNull();
});

describe('a window', () => {
  const rows = (...keys: string[]): ChunkRow[] => keys.map((key) => ({ key, bytes: Buffer.from(key) }));
  const SEEN = 1;
  const MISSED = 2;
  /** Of a server in recovery: it cannot be told. */
  const UNKNOWN = 3;
  const visibility = { misses: (xid: number) => xid === MISSED, contains: (xid: number) => xid === SEEN };
  const window = (isUnique = true): ChunkWindow =>
    new ChunkWindow(table({}), model(), isUnique ? rowIdentity(table({}), model()) : { ...EQUAL, isUnique });
  const EQUAL = { cells: [0, 1, 2], isUnique: false, isInOldKey: false };
  const change = (xid: number, to: string | null, unsent: Cells | null = null, from: string | null = null) => ({
    ...{ xid, from, to, unsent },
  });
  const left = (one: ChunkWindow): string[] =>
    one.remaining().map(({ bytes, newer }) => bytes.toString() + (newer === null ? '' : JSON.stringify(newer)));

  const at = (early: boolean, isUnique: boolean, steps: (one: ChunkWindow) => void): [string[], boolean] => {
    const one = window(isUnique);
    if (early) steps(one);
    one.load(rows('a', 'b', 'b'), visibility);
    if (!early) steps(one);
    return [left(one), one.stale];
  };

  describe.each([true, false])('changes that arrive before the rows: %s', (early) => {
    test('cdc-postgres 99: between the marks, rows that change are dropped', () => {
      const steps = (one: ChunkWindow): void => (
        one.open(),
        one.change(change(SEEN, 'a')),
        one.change(change(SEEN, 'x'))
      );
      expect(at(early, true, steps)).toEqual([['b', 'b'], false]);
    });

    test('cdc-postgres 99: before the opening mark, only rows that lack the change are dropped', () => {
      expect(at(early, true, (one) => one.change(change(SEEN, 'a')))[0]).toContain('a');
      for (const xid of [MISSED, UNKNOWN])
        expect(at(early, true, (one) => one.change(change(xid, 'a')))[0]).toEqual(['b', 'b']);
    });

    test('cdc-postgres 99: values that an event lacks are those of the row that was read', () => {
      const steps = (xid: number) => (one: ChunkWindow) => {
        one.open();
        one.change(change(xid, 'a', [1, undefined, 'x']));
        one.change(change(xid, 'a', [1, 'y', undefined]));
      };
      expect(at(early, true, steps(SEEN))[0]).toEqual(['a', 'b', 'b']);
      for (const xid of [MISSED, UNKNOWN])
        expect(at(early, true, steps(xid))[0]).toEqual(['b', 'b', 'a[1,"y","x"]'].sort());
      const moved = (one: ChunkWindow): void => {
        one.change(change(MISSED, 'c', [2, undefined], 'a'));
        one.change(change(MISSED, 'c', [3, undefined]));
      };
      expect(at(early, true, moved)[0]).toEqual(['b', 'b', 'a[3,null]']);
      const complete = (one: ChunkWindow): void => (steps(MISSED)(one), one.change(change(MISSED, 'a')));
      expect(at(early, true, complete)[0]).toEqual(['b', 'b']);
    });

    test('rows that equal others: those of a change that was read without it are read again', () => {
      const removed = (xid: number, from: string) => (one: ChunkWindow) => (
        one.open(),
        one.change(change(xid, null, null, from))
      );
      expect(at(early, false, removed(SEEN, 'b'))).toEqual([['a', 'b', 'b'], false]);
      expect(at(early, false, removed(MISSED, 'b'))[1]).toBe(true);
      expect(at(early, false, removed(MISSED, 'a'))).toEqual([['b', 'b'], false]);
      expect(at(early, false, removed(UNKNOWN, 'a'))[1]).toBe(true);
    });

    test('is stale after a change of unknown rows that its rows lack', () => {
      expect([SEEN, MISSED, UNKNOWN].map((xid) => at(early, true, (one) => one.invalidate(xid))[1])).toEqual([
        ...[false, true, true],
      ]);
    });
  });

  test('is full when it remembers too many changes, and sooner when they have values', () => {
    const one = window();
    for (let i = 0; i < 2000; i++) one.change(change(SEEN, String(i), [i, undefined]));
    expect(one.isFull).toBe(true);
    one.load([], visibility);
    expect(one.isFull).toBe(false);
  });
});
