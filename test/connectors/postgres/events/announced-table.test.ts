/** Tables as of rows that are decoded later than the catalog was read. */
import type { CatalogColumn, CatalogTable } from '../../../../connectors/postgres/src/database/catalog';
import { announcedTable } from '../../../../connectors/postgres/src/events/announced-table';
import type { RelationMessage } from '../../../../connectors/postgres/src/events/relation-message';

const column = (name: string, notNull: boolean, more: Partial<CatalogColumn> = {}): CatalogColumn => ({
  ...{ name, typeOid: 23, typmod: -1, notNull, default: null, comment: null, generated: false, sent: true },
  ...more,
});
const table = (...columns: CatalogColumn[]): CatalogTable =>
  ({ oid: 1, schema: 'public', name: 't', columns, key: ['id'] }) as unknown as CatalogTable;
const announcement = (...names: string[]): RelationMessage => ({
  ...{ oid: 1, schema: 'public', name: 't', replicaIdentity: 'd' },
  columns: names.map((name) => ({ name, typeOid: 23, typmod: -1, inIdentity: name === 'id' })),
});

const id = column('id', true);
const was = table(id, column('a', true, { default: '7', comment: 'of a' }), column('b', false));

test.each<[ddl: string, now: CatalogTable | null, known: CatalogTable | null, names: string[], required: string[]]>([
  ['ADD COLUMN', table(...was.columns, column('c', true)), was, ['id', 'a', 'b'], ['id', 'a']],
  ['ADD COLUMN before a restart', table(...was.columns, column('c', true)), null, ['id', 'a', 'b'], ['id', 'a']],
  ['DROP COLUMN', table(id, column('b', false)), was, ['id', 'a', 'b'], ['id', 'a']],
  ['DROP COLUMN before a restart', table(id, column('b', false)), null, ['id', 'a', 'b'], ['id']],
  ['DROP NOT NULL and more', table(id, column('a', false)), was, ['id', 'a', 'b'], ['id']],
  [
    'SET NOT NULL and more',
    table(...was.columns.slice(0, 2), column('b', true), id),
    was,
    ['id', 'a', 'b'],
    ['id', 'a'],
  ],
  [
    'two ADD COLUMN',
    table(id, column('a', true), column('c', true), column('d', true)),
    was,
    ['id', 'a', 'c'],
    ['id', 'a', 'c'],
  ],
  [
    'ALTER TYPE before a restart',
    table(id, column('a', true, { typeOid: 25 }), column('b', false)),
    null,
    ['id', 'a', 'b'],
    ['id', 'a'],
  ],
  ['DROP TABLE', null, was, ['id', 'a', 'b'], ['id', 'a']],
])('cdc-postgres 88: a column stays required around an ordinary ALTER: %s', (_ddl, now, known, names, required) => {
  const { columns } = announcedTable(announcement(...names), now, known, null);
  expect(columns.map(({ name }) => name)).toEqual(names);
  expect(columns.filter(({ notNull }) => notNull).map(({ name }) => name)).toEqual(required);
});

test('cdc-postgres 88: a dropped column keeps its default and comment until its last row', () => {
  const { columns } = announcedTable(announcement('id', 'a', 'b'), table(id, column('b', false)), was, null);
  expect(columns[1]).toMatchObject({ default: '7', comment: 'of a' });
});
