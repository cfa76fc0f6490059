import { usedPlugins } from '../../../src/cluster/running/used-plugins';
import { silentLogger } from '../../../src/logging/logger';
import { createPluginRegistry } from '../../../src/plugins/create-registry';
import type { CatalogEntry } from '../../../src/plugins/manifest';

const entry = (type: CatalogEntry['description']['type'], name: string): CatalogEntry => ({
  description: { type, class: name, version: '1', aliases: [], taskClass: null, location: '/x' },
  file: '/x/index.js',
  exportName: null,
});
const registry = createPluginRegistry({
  pluginPath: [],
  builtIns: [],
  logger: silentLogger,
  catalog: {
    entries: [
      entry('source', 'x.TickSourceConnector'),
      entry('converter', 'x.WorkersConverter'),
      entry('converter', 'x.OwnConverter'),
      entry('header_converter', 'x.Headers'),
      entry('transformation', 'x.Mark'),
      entry('predicate', 'x.IsMarked'),
      entry('column_converter', 'x.Isbn'),
      entry('transformation', 'a.Twice'),
      entry('transformation', 'b.Twice'),
    ],
    problems: [],
  },
});
const worker = { keyConverter: 'x.WorkersConverter', valueConverter: 'x.WorkersConverter', headerConverter: 'none' };
const used = (config: Record<string, string>): string[] =>
  usedPlugins(config, worker, registry).map((plugin) => plugin.class);

test('the connector by any of its names, and the converters of the worker', () => {
  expect(used({ 'connector.class': 'TickSource' })).toEqual([
    'x.TickSourceConnector',
    'x.WorkersConverter',
    'x.WorkersConverter',
  ]);
});

test('its own converters, transformations, predicates and column converters', () => {
  const config = {
    'connector.class': 'x.TickSourceConnector',
    'key.converter': 'x.OwnConverter',
    'value.converter': 'x.OwnConverter',
    'header.converter': 'x.Headers',
    transforms: 'a, b',
    'transforms.a.type': 'Mark',
    predicates: 'p',
    'predicates.p.type': 'x.IsMarked',
    converters: 'isbn',
    'isbn.type': 'x.Isbn',
  };
  expect(used(config)).toEqual([
    'x.TickSourceConnector',
    'x.OwnConverter',
    'x.OwnConverter',
    'x.Headers',
    'x.Mark',
    'x.IsMarked',
    'x.Isbn',
  ]);
});

test('unknown and ambiguous names are left out', () => {
  const config = { 'connector.class': 'x.Gone', 'key.converter': 'x.Gone', 'value.converter': 'x.Gone' };
  expect(used({ ...config, transforms: 'a', 'transforms.a.type': 'Twice' })).toEqual([]);
  expect(used({ transforms: 'a', 'key.converter': 'x.Gone', 'value.converter': 'x.Gone' })).toEqual([]);
});
