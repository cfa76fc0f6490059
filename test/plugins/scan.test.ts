import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scanPlugins } from '../../src/plugins/scan';
import { packageJson, PluginFolders, SINK, SOURCE } from './plugin-folder';

let folders: PluginFolders;
beforeEach(() => (folders = new PluginFolders()));
afterEach(() => folders.remove());

describe('plugin folders', () => {
  test('a folder of plugin folders; defaults are filled in and nothing is imported', () => {
    const tick = folders.add('tick', {
      'package.json': packageJson({ type: 'source', class: 'com.example.TickSourceConnector' }),
      'index.js': 'throw new Error("imported")',
    });
    const sink = folders.add('sink', {
      'package.json': packageJson(
        {
          type: 'sink',
          class: 'com.example.S',
          aliases: ['s'],
          taskClass: 'T',
          version: '9',
          module: './a.mjs',
          export: 'x',
          putIsRepeatable: false,
          deadLetters: { topic: 'dead.topic', bootstrapServers: 'dead.servers' },
        },
        { main: 'other.js' },
      ),
      'a.mjs': '',
    });
    folders.add('not-a-plugin', { 'package.json': { name: 'x' } });
    folders.add('no-package', { 'index.js': '' });
    folders.add('.hidden', { 'package.json': '{' });
    writeFileSync(join(folders.root, 'file.txt'), '');

    expect(scanPlugins([folders.root])).toEqual({
      problems: [],
      entries: [
        {
          description: {
            type: 'sink',
            class: 'com.example.S',
            version: '9',
            aliases: ['s'],
            taskClass: 'T',
            location: sink,
            putIsRepeatable: false,
            deadLetters: { topic: 'dead.topic', bootstrapServers: 'dead.servers' },
          },
          file: join(sink, 'a.mjs'),
          exportName: 'x',
        },
        {
          description: {
            type: 'source',
            class: 'com.example.TickSourceConnector',
            version: '1.2.3',
            aliases: [],
            taskClass: 'com.example.TickSourceTask',
            location: tick,
          },
          file: join(tick, 'index.js'),
          exportName: null,
        },
      ],
    });
  });

  test('a plugin’s own folder, also by a link, counts once', () => {
    const folder = folders.add('a/tick', {
      'package.json': packageJson({ type: 'source', class: 'Tick' }, { main: 'lib.js' }),
      'lib.js': SOURCE,
    });
    symlinkSync(folder, join(folders.root, 'link'));
    const scan = scanPlugins([folder, join(folders.root, 'a'), join(folders.root, 'link')]);
    expect(scan.problems).toEqual([]);
    expect(scan.entries.map((e) => e.file)).toEqual([join(folder, 'lib.js')]);
  });

  test('a path without a plugin is reported', () => {
    folders.add('empty/not-a-plugin', { 'package.json': '{"name": "x"}' });
    const path = join(folders.root, 'empty');
    expect(scanPlugins([path]).problems).toEqual([
      {
        location: path,
        message: `The plugin path ${path} has no plugin: neither it nor a folder in it has a package.json with "millrace".`,
      },
    ]);
  });

  test('a broken plugin is reported and the others are found', () => {
    const bad = (name: string, content: unknown) => folders.add(name, { 'package.json': content, 'index.js': SINK });
    bad('1-json', '{ "name": ');
    bad('2-kind', packageJson({ type: 'sinc', class: 'X' }));
    bad('3-class', packageJson({ type: 'sink' }));
    bad('4-member', packageJson({ type: 'sink', class: 'X', klass: 'Y' }));
    bad('5-module', packageJson({ type: 'sink', class: 'X', module: './gone.js' }));
    bad('6-manifest', { millrace: [] });
    const panel = { title: 'P', figures: { lag: { metric: 'm' } }, facts: [{ title: 'F', figure: 'lag' }] };
    const declares = (console: unknown) => packageJson({ type: 'source', class: 'X', console });
    bad('6a-long', declares({ effects: { delete: 'x'.repeat(501) } }));
    bad('6b-unit', declares({ panels: [{ ...panel, figures: { lag: { metric: 'm', unit: 'miles' } } }] }));
    bad('6c-figure', declares({ panels: [panel, { ...panel, states: [{ text: '{lag} of {total}' }] }] }));
    bad('6d-condition', declares({ panels: [{ ...panel, states: [{ when: { gone: 1 }, text: 'x' }] }] }));
    bad('6e-many', declares({ panels: Array.from({ length: 11 }, () => panel) }));
    bad('6f-fine', packageJson({ type: 'source', class: 'Fine', console: { panels: [panel] } }));
    bad('7-good', packageJson({ type: 'sink', class: 'Good' }));
    const scan = scanPlugins([folders.root, join(folders.root, 'nowhere'), join(folders.root, '7-good', 'index.js')]);
    expect(scan.entries.map((e) => e.description.class)).toEqual(['Fine', 'Good']);
    expect(scan.entries[0]?.description.console).toEqual({ panels: [panel] });
    const root = folders.root;
    expect(scan.problems.map((p) => p.message)).toEqual([
      `The plugin path ${root}/nowhere cannot be read: it does not exist.`,
      `The plugin path ${root}/7-good/index.js cannot be read: it is not a folder.`,
      expect.stringContaining(`${root}/1-json/package.json cannot be read as JSON: `),
      `The manifest in ${root}/2-kind/package.json is invalid: millrace.plugins[0].type must be one of source, sink, converter, header_converter, transformation, predicate, column_converter.`,
      `The manifest in ${root}/3-class/package.json is invalid: millrace.plugins[0] must have required property 'class'.`,
      `The manifest in ${root}/4-member/package.json is invalid: millrace.plugins[0] has an unknown member "klass".`,
      `The module ${root}/5-module/gone.js of X does not exist.`,
      `The manifest in ${root}/6-manifest/package.json is invalid: millrace must be object.`,
      `The manifest in ${root}/6a-long/package.json is invalid: millrace.plugins[0].console.effects.delete must NOT have more than 500 characters.`,
      `The manifest in ${root}/6b-unit/package.json is invalid: millrace.plugins[0].console.panels[0].figures.lag.unit must be one of count, bytes, seconds, percent, boolean, hex64.`,
      `The manifest in ${root}/6c-figure/package.json is invalid: millrace.plugins[0].console.panels[1] has no figure "total".`,
      `The manifest in ${root}/6d-condition/package.json is invalid: millrace.plugins[0].console.panels[0] has no figure "gone".`,
      `The manifest in ${root}/6e-many/package.json is invalid: millrace.plugins[0].console.panels must NOT have more than 10 items.`,
    ]);
  });

  test('a module outside of the plugin’s folder is reported and not loaded: by .., by a link to it or to its folder', () => {
    folders.add('outside', { 'x.js': SINK, 'lib/y.js': SINK });
    const plugin = (name: string, module: string, files = {}): string =>
      folders.add(`p/${name}`, { 'package.json': packageJson({ type: 'sink', class: name, module }), ...files });
    const up = plugin('1-up', '../../outside/x.js');
    const link = plugin('2-link', 'x.js');
    symlinkSync(join(folders.root, 'outside', 'x.js'), join(link, 'x.js'));
    const lib = plugin('3-lib', 'lib/y.js');
    symlinkSync(join(folders.root, 'outside', 'lib'), join(lib, 'lib'));
    const main = folders.add('p/4-main', {
      'package.json': packageJson({ type: 'sink', class: '4-main' }, { main: '../../outside/x.js' }),
    });
    // As Kubernetes mounts a ConfigMap.
    const mounted = plugin('5-inside', 'x.js', { '..2026/x.js': SINK });
    symlinkSync('..2026', join(mounted, '..data'));
    symlinkSync(join('..data', 'x.js'), join(mounted, 'x.js'));
    const scan = scanPlugins([join(folders.root, 'p')]);
    expect(scan.entries.map((e) => e.description.class)).toEqual(['5-inside']);
    const outside = (name: string, module: string) =>
      `The module ${module} of ${name} is not loaded: it is outside of the plugin's folder. Copy it into the folder.`;
    expect(scan.problems).toEqual([
      { location: up, message: outside('1-up', join(folders.root, 'outside', 'x.js')) },
      { location: link, message: outside('2-link', join(link, 'x.js')) },
      { location: lib, message: outside('3-lib', join(lib, 'lib', 'y.js')) },
      { location: main, message: outside('4-main', join(folders.root, 'outside', 'x.js')) },
    ]);
  });

  test('jars are units beside plugin folders: a jar, and a folder of jars', () => {
    const good = folders.add('good', { 'package.json': packageJson({ type: 'sink', class: 'G' }), 'index.js': SINK });
    folders.add('debezium', { 'a.jar': '', 'b.jar': '', 'c.jar': '', 'd.jar': '', 'e.jar': '', 'f.JAR': '' });
    writeFileSync(join(folders.root, 'single.jar'), '');
    const scan = scanPlugins([folders.root]);
    expect(scan.entries.map((e) => e.description.location)).toEqual([good]);
    const [root, jars] = [folders.root, ['a.jar', 'b.jar', 'c.jar', 'd.jar', 'e.jar', 'f.JAR']];
    expect(scan).toMatchObject({
      problems: [],
      units: [
        { location: `${root}/debezium`, classPath: jars.map((name) => `${root}/debezium/${name}`) },
        { location: `${root}/single.jar`, classPath: [`${root}/single.jar`] },
      ],
    });
  });

  test('of two plugins with one class and version the first is kept; another type or version is allowed', () => {
    const first = folders.add('a', { 'package.json': packageJson({ type: 'sink', class: 'X' }), 'index.js': SINK });
    const second = folders.add('b', { 'package.json': packageJson({ type: 'sink', class: 'X' }), 'index.js': SINK });
    const newer = folders.add('d', {
      'package.json': packageJson({ type: 'sink', class: 'X', version: '2.0' }),
      'index.js': SINK,
    });
    folders.add('c', { 'package.json': packageJson({ type: 'source', class: 'X' }), 'index.js': SOURCE });
    const scan = scanPlugins([folders.root]);
    expect(scan.entries.map((e) => [e.description.type, e.description.location])).toEqual([
      ['sink', first],
      ['source', join(folders.root, 'c')],
      ['sink', newer],
    ]);
    expect(scan.problems).toEqual([
      { location: second, message: `X is already provided by ${first}; the one in ${second} is not used.` },
    ]);
  });
});
