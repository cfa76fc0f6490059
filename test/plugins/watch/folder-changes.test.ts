import { changedFolders, isCode, isIgnored, scanTime } from '../../../src/plugins/watch/folder-changes';

const states = (folders: Record<string, Record<string, string>>) =>
  new Map(Object.entries(folders).map(([folder, files]) => [folder, new Map(Object.entries(files))]));

test('folders with an added, removed or changed file, and added or removed folders', () => {
  const before = states({ a: { x: '1' }, b: { x: '1' }, c: { x: '1' }, d: { x: '1' }, e: {} });
  const after = states({ a: { x: '1' }, b: { x: '2' }, c: { x: '1', y: '1' }, d: { y: '1' }, f: {} });
  expect([...changedFolders(before, after)].sort()).toEqual(['b', 'c', 'd', 'e', 'f']);
});

test('files that count as code', () => {
  const counted = (names: string[], typescript: boolean) => names.filter((name) => isCode(name, typescript));
  const names = ['a.js', 'a.mjs', 'a.cjs', 'package.json', 'a.wasm', 'a.node', 'a.ts', 'a.mts', 'a.d.ts', 'a.log', 'a'];
  expect(counted(names, false)).toEqual(names.slice(0, 6));
  expect(counted(names, true)).toEqual(names.slice(0, 8));
  expect(['node_modules', '.git', '.index.js.swp', 'src'].filter(isIgnored)).toEqual([
    'node_modules',
    '.git',
    '.index.js.swp',
  ]);
});

test('waits until writing pauses, at most a second', () => {
  expect(scanTime(5_000, 5_000)).toBe(5_100);
  expect(scanTime(5_000, 5_090)).toBe(5_190);
  expect(scanTime(5_000, 5_990)).toBe(6_000);
});
