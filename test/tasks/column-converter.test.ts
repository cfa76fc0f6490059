import { silentLogger } from '../../src/logging/logger';
import { createPluginRegistry } from '../../src/plugins/create-registry';
import { columnConverter } from '../../src/tasks/task-converters';
import { packageJson, PluginFolders } from '../plugins/plugin-folder';

let folders: PluginFolders;
beforeEach(() => (folders = new PluginFolders()));
afterEach(() => folders.remove());

const find = (name: string) =>
  columnConverter(name, createPluginRegistry({ pluginPath: [folders.root], builtIns: [], logger: silentLogger }));

const entry = { type: 'column_converter', class: 'com.example.IsbnConverter' };

test('the plugin of a class, by its full or short name', async () => {
  folders.add('isbn', {
    'package.json': packageJson(entry),
    'index.js':
      'exports.type = "column_converter"; exports.config = []; exports.create = () => ({ conversion: () => null });',
  });
  for (const name of ['com.example.IsbnConverter', 'IsbnConverter', 'Isbn'])
    expect((await find(name)).create()).toEqual({ conversion: expect.any(Function) });
});

test('an unknown name, and the name of another kind of plugin', async () => {
  folders.add('other', { 'package.json': packageJson({ ...entry, type: 'converter' }), 'index.js': '' });
  const unknown = { code: 'COLUMN_CONVERTER_UNKNOWN', message: expect.stringContaining('"com.example.IsbnConverter"') };
  await expect(find('com.example.IsbnConverter')).rejects.toMatchObject(unknown);
});

test('a plugin without a function to create converters', async () => {
  folders.add('isbn', {
    'package.json': packageJson(entry),
    'index.js': 'exports.type = "column_converter"; exports.config = [];',
  });
  await expect(find('Isbn')).rejects.toMatchObject({ code: 'PLUGIN_LOAD_FAILED' });
});
