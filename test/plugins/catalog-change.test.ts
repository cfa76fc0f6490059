import { catalogChange } from '../../src/plugins/catalog-change';
import type { CatalogEntry } from '../../src/plugins/manifest';
import type { Scan } from '../../src/plugins/scan';

const entry = (className: string, location: string, version = '1'): CatalogEntry => ({
  description: { type: 'source', class: className, version, aliases: [], taskClass: null, location },
  file: `${location}/index.js`,
  exportName: null,
});
const scan = (entries: CatalogEntry[], faulty: string[] = []): Scan => ({
  entries,
  problems: faulty.map((location) => ({ location, message: 'cannot be read' })),
});
const classes = (entries: readonly CatalogEntry[]): string[] => entries.map(({ description }) => description.class);

test('added, changed and removed plugins; the others are unchanged', () => {
  const before = scan([entry('A', '/a'), entry('B', '/b'), entry('C', '/c'), entry('D', '/d')]);
  const after = scan([entry('A', '/a'), entry('B', '/b', '2'), entry('C', '/c'), entry('E', '/e')]);
  const change = catalogChange(before, after, new Set(['/c', '/e']));
  expect(classes(change.added)).toEqual(['E']);
  expect(classes(change.changed)).toEqual(['B', 'C']);
  expect(change.removed.map((plugin) => plugin.class)).toEqual(['D']);
  expect(change.catalog).toEqual(after);
});

test('a class that another folder provides from now on has changed', () => {
  const change = catalogChange(scan([entry('A', '/a')]), scan([entry('A', '/b')]), new Set());
  expect(classes(change.changed)).toEqual(['A']);
});

test('plugins of a folder that cannot be read now stay as they were', () => {
  const before = scan([entry('A', '/a'), entry('B', '/b')]);
  const broken = catalogChange(before, scan([entry('B', '/b')], ['/a']), new Set(['/a']));
  expect(broken).toMatchObject({ added: [], changed: [], removed: [] });
  expect(classes(broken.catalog.entries)).toEqual(['B', 'A']);
  const healed = catalogChange(broken.catalog, before, new Set(['/a']));
  expect(healed).toMatchObject({ added: [], removed: [] });
  expect(classes(healed.changed)).toEqual(['A']);
});
