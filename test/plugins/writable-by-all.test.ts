import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { writableByAll } from '../../src/plugins/writable-by-all';
import { packageJson, PluginFolders, SINK } from './plugin-folder';

let folders: PluginFolders;
let plugins: string;
let plugin: string;
beforeEach(() => {
  folders = new PluginFolders();
  plugins = join(folders.root, 'plugins');
  plugin = folders.add('plugins/a', { 'package.json': packageJson({ type: 'sink', class: 'A' }), 'index.js': SINK });
  folders.add('plugins/b', { 'package.json': packageJson({ type: 'sink', class: 'B' }), 'index.js': SINK });
  mkdirSync(join(plugins, 'no-plugin'));
});
afterEach(() => folders.remove());

const warned = (...path: string[]): string[] => writableByAll(path, 'linux').map(({ message }) => message);

test('none, of folders that only their owner or a group can write', () => {
  chmodSync(plugin, 0o775);
  chmodSync(join(plugins, 'no-plugin'), 0o777);
  expect(warned(plugins, plugin, join(folders.root, 'absent'))).toEqual([]);
});

test.each<[string, number]>([
  ['', 0o777],
  ['plugins', 0o777],
  // Users can add a plugin.
  ['plugins', 0o1777],
  ['plugins/a', 0o777],
  ['plugins/a/package.json', 0o666],
  ['plugins/a/index.js', 0o666],
])('%j with mode %o', (path, mode) => {
  const writable = join(folders.root, path);
  chmodSync(writable, mode);
  expect(warned(plugins)).toEqual([
    `Every user can write ${writable}, from where plugins are loaded, and so run code as this worker: remove the permission with chmod o-w (PLUGIN_FOLDER_WRITABLE).`,
  ]);
  expect(writableByAll([plugins], 'win32')).toEqual([]);
});

test.each([['jars'], ['jars/lib/a.jar'], ['single.jar']])('a folder of jars, a jar in it, a jar: %s', (path) => {
  folders.add('plugins/jars', { 'lib/a.jar': '', 'lib/b.jar': '' });
  folders.add('plugins', { 'single.jar': '' });
  expect(warned(plugins)).toEqual([]);
  chmodSync(join(plugins, path), 0o777);
  expect(warned(plugins)).toEqual([expect.stringContaining(`Every user can write ${join(plugins, path)}, `)]);
});

test('below a sticky folder, users cannot replace what others own', () => {
  chmodSync(folders.root, 0o1777);
  expect(warned(plugins)).toEqual([]);
});

test('one warning names the folders of an entry, up to five', () => {
  for (const name of ['b', 'c', 'd', 'e', 'f', 'g']) {
    const entry = { type: 'sink', class: name.toUpperCase() };
    chmodSync(folders.add(`plugins/${name}`, { 'package.json': packageJson(entry), 'index.js': SINK }), 0o777);
  }
  expect(warned(plugins)).toEqual([expect.stringContaining(`${join(plugins, 'f')} and 1 more, from where`)]);
});
