import { builtInConnectors } from '../../src/plugins/built-in-connectors';

test('the connectors that the worker depends on are found by module resolution', () => {
  const { folders, missing } = builtInConnectors();
  expect(missing).toEqual([]);
  const names = folders.map((folder) => /[\\/]([a-z-]+)$/.exec(folder)?.[1]);
  expect(names).toEqual(['analytics', 'file', 'postgres', 'converters-schema-registry', 'transforms-debezium']);
});

test('a package that is not installed is named, and the others are found', () => {
  const resolve = (request: string): string => {
    if (request.startsWith('@millrace/connector-b/')) throw new Error('not found');
    return `/modules/${request}`;
  };
  expect(builtInConnectors(['@millrace/connector-a', '@millrace/connector-b'], resolve)).toEqual({
    folders: ['/modules/@millrace/connector-a'],
    missing: ['@millrace/connector-b'],
  });
});
