import type { CatalogTable } from '../../../../connectors/postgres/src/database/catalog';
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
  const window = (): ChunkWindow => new ChunkWindow(table({}), rowIdentity(table({}), model()));
  const left = (one: ChunkWindow): string[] => one.remaining().map(({ key }) => key);

  test('drops the rows that change before and after they are read', () => {
    const one = window();
    one.remove('a');
    one.load(rows('a', 'b', 'c'));
    one.remove('b');
    one.remove('x');
    expect([left(one), one.stale]).toEqual([['c'], false]);
  });

  test.each([true, false])(
    'is stale when a change is of one of several equal rows; before they are read: %s',
    (early) => {
      const one = window();
      if (early) one.remove('a');
      one.load(rows('a', 'a', 'b'));
      if (!early) one.remove('a');
      expect(one.stale).toBe(true);
    },
  );

  test.each([true, false])('is stale after a change of unknown rows; before they are read: %s', (early) => {
    const one = window();
    if (early) one.invalidate();
    one.load(rows('a'));
    if (!early) one.invalidate();
    expect(one.stale).toBe(true);
  });
});
