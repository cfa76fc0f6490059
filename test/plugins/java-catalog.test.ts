/** Plugins of jars in the catalog and the registry. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JavaDiscovery, JavaUnit } from '@millrace/java-host';

import { javaHost } from '../../src/java/java-host';
import { silentLogger } from '../../src/logging/logger';
import { createPluginRegistry } from '../../src/plugins/create-registry';
import { type PluginDiscovery, withJavaPlugins } from '../../src/plugins/java-catalog';
import { javaUnits } from '../../src/plugins/java-units';
import { scanPlugins } from '../../src/plugins/scan';
import { classes, jar, service } from '../java-host/discovery/jars';
import { packageJson, PluginFolders, SINK } from './plugin-folder';

let folders: PluginFolders;
beforeEach(() => (folders = new PluginFolders()));
afterEach(() => folders.remove());

const SOURCE = 'x.Src';
function addJar(path: string, content = jar({ ...service('source', SOURCE), ...classes(SOURCE) })): string {
  const file = join(folders.root, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, content);
  return file;
}
const units = (problems: { message: string }[] = []) =>
  javaUnits(folders.root, problems as never).map(({ location, classPath }) =>
    [location, ...classPath].map((path) => path.slice(folders.root.length + 1)),
  );

describe('units, as Java’s plugin.path has them', () => {
  test('a jar, folders of jars at any depth, folders of classes', () => {
    folders.add('', { 'single-1.jar': '', 'notes.txt': '', 'X.class': '', 'archive.ZIP': '' });
    folders.add('deep', { 'lib/a.jar': '', 'lib/more/b.jar': '', 'doc/readme.md': '', 'x/Y.class': '' });
    folders.add('classes', { 'org/x/A.class': '', 'META-INF/services/x': '' });
    folders.add('nothing', { 'readme.md': '' });
    expect(units()).toEqual([
      ['archive.ZIP', 'archive.ZIP'],
      ['classes', 'classes'],
      ['deep', 'deep/lib/a.jar', 'deep/lib/more/b.jar'],
      ['single-1.jar', 'single-1.jar'],
    ]);
  });

  test('jars of npm packages and of hidden folders are none', () => {
    folders.add('npm', { 'package.json': '{}', 'lib/a.jar': '' });
    folders.add('mixed', { 'a.jar': '', 'tool/package.json': '{}', 'tool/b.jar': '', 'node_modules/c/c.jar': '' });
    folders.add('.hidden', { 'a.jar': '' });
    folders.add('node_modules', { 'x/a.jar': '' });
    expect(units()).toEqual([['mixed', 'mixed/a.jar']]);
  });

  test('links: within the folder and plugin.path they count once, others are a problem, circles end', () => {
    const outside = new PluginFolders();
    const problems: { message: string }[] = [];
    folders.add('shared', { 'common.jar': '' });
    folders.add('a', { 'a.jar': '', '..2026/b.jar': '' });
    outside.add('', { 'secret.jar': '' });
    outside.add('linked', { 'l.jar': '' });
    const link = (target: string, path: string) => symlinkSync(target, join(folders.root, path));
    link('../shared/common.jar', 'a/common.jar');
    link('a.jar', 'a/again.jar');
    link('..2026/b.jar', 'a/b.jar');
    link('..', 'a/circle');
    link(join(outside.root, 'secret.jar'), 'a/secret.jar');
    link('gone.jar', 'a/gone.jar');
    link(join(outside.root, 'linked'), 'linked');
    const found = javaUnits(folders.root, problems as never);
    outside.remove();
    const [a, linked] = found;
    expect(found).toHaveLength(3);
    expect(a?.classPath).toEqual(
      ['a/..2026/b.jar', 'a/a.jar', 'shared/common.jar'].map((path) => join(folders.root, path)),
    );
    expect(linked).toEqual({
      location: join(outside.root, 'linked'),
      classPath: [join(outside.root, 'linked', 'l.jar')],
    });
    expect(problems).toEqual([
      expect.objectContaining({
        message: `${folders.root}/a/secret.jar is not used: it is a link to ${outside.root}/secret.jar, which is outside of the plugin's folder and of plugin.path. Copy it into the folder.`,
      }),
    ]);
  });

  test('a jar in plugin.path itself', () => {
    const file = addJar('single.jar');
    expect(scanPlugins([file]).units).toEqual([{ location: file, classPath: [file] }]);
  });
});

describe('the catalog', () => {
  const scan = () => {
    addJar('jars/x-2.jar');
    return scanPlugins([folders.root]);
  };

  test('without the package: one warning that names it', async () => {
    folders.add('debezium', { 'a.jar': '', 'b.jar': '', 'c.jar': '', 'd.jar': '', 'e.jar': '', 'f.JAR': '' });
    const found = await withJavaPlugins(scan(), null, { find: () => null });
    const jars = ['a', 'b', 'c', 'd', 'e'].map((name) => `${folders.root}/debezium/${name}.jar`);
    expect(found.entries).toEqual([]);
    expect(found.problems.map(({ message }) => message)).toEqual([
      `Java plugins cannot run in this worker: ${jars.join(', ')} and 2 more in plugin.path are ignored. Install the package @millrace/java-host beside millrace to run them.`,
    ]);
  });

  test('without jars, the package is not looked for', async () => {
    folders.add('a', { 'package.json': packageJson({ type: 'sink', class: 'A' }), 'index.js': SINK });
    const find = jest.fn(() => null);
    const without = scanPlugins([folders.root]);
    expect(await withJavaPlugins(without, null, { find })).toBe(without);
    expect(find).not.toHaveBeenCalled();
  });

  test.each<[PluginDiscovery, string[]]>([
    [null, ['unnamed']],
    ['service_load', []],
    ['only_scan', ['jars', 'unnamed']],
    ['hybrid_warn', ['jars', 'unnamed']],
    ['hybrid_fail', ['jars', 'unnamed']],
  ])('plugin.discovery=%s: the classes of the folders %j are searched', async (discovery, searched) => {
    addJar('unnamed/y-1.jar', jar(classes('y.Smt')));
    const host = javaHost() as NonNullable<ReturnType<typeof javaHost>>;
    const scanJavaUnits = jest.fn(async (asked: readonly JavaUnit[]) => ({
      ...{ others: [], problems: [] },
      plugins: asked.map((unit) => ({ ...unit, type: 'transformation' as const, class: 'y.Smt', version: '1' })),
    }));
    const find = () => ({ discoverJavaPlugins: host.discoverJavaPlugins, scanJavaUnits });
    const { entries } = await withJavaPlugins(scan(), null, { find, discovery });
    expect(entries.map(({ description }) => [description.class, description.location])).toEqual([
      [SOURCE, join(folders.root, 'jars')],
      ...searched.map((folder) => ['y.Smt', join(folders.root, folder)]),
    ]);
  });

  test('what the package cannot do is a problem', async () => {
    const fail = {
      scanJavaUnits: jest.fn(),
      discoverJavaPlugins: (): Promise<JavaDiscovery> => Promise.reject(new Error('no memory')),
    };
    const { entries, problems } = await withJavaPlugins(scan(), null, { find: () => fail });
    expect(entries).toEqual([]);
    expect(problems.map(({ message }) => message)).toEqual(['Java plugins cannot be found: no memory']);
  });

  test('a registry: the list, the choice of versions, and who loads them', async () => {
    addJar('jars/x-2.jar', jar({ ...service('sink', 'x.Snk'), ...classes('x.Snk') }));
    folders.add('npm', {
      'package.json': packageJson({ type: 'sink', class: 'x.Snk', version: '2' }),
      'index.js': `module.exports = ${SINK}`,
    });
    const warnings: string[] = [];
    const logger = { ...silentLogger, warn: (message: string) => void warnings.push(message) };
    const options = { pluginPath: [folders.root], builtIns: [], logger };
    const registry = createPluginRegistry(options);
    await registry.discover();
    const location = join(folders.root, 'jars');
    const java = { class: 'x.Snk', version: '2', location, java: true, putIsRepeatable: false };
    expect(registry.list().filter(({ class: name }) => name === 'x.Snk')).toEqual([
      expect.not.objectContaining({ java: true }),
      expect.objectContaining(java),
    ]);
    expect(registry.find('Snk')).not.toHaveProperty('java');
    const found = registry.find('Snk', 'sink', '2');
    expect(found).toMatchObject(java);
    await expect(registry.load(structuredClone(found as NonNullable<typeof found>))).rejects.toMatchObject({
      code: 'PLUGIN_LOAD_FAILED',
      message: `The plugin x.Snk in ${location} cannot be loaded: no JVMs are started here.`,
    });
    expect(warnings).toEqual([`The plugin x.Snk in ${location} cannot be loaded: no JVMs are started here.`]);
    // A thread gets the catalog and finds nothing itself.
    const inThread = createPluginRegistry({ ...options, catalog: structuredClone(registry.catalog) });
    expect(inThread.find('x.Snk', 'sink', '2')).toMatchObject(java);
  });
});
