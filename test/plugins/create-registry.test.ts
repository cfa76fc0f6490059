import { chmodSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { silentLogger } from '../../src/logging/logger';
import { createPluginRegistry } from '../../src/plugins/create-registry';
import type { BuiltInPlugin } from '../../src/plugins/registry';
import { packageJson, PluginFolders, SINK, SOURCE } from './plugin-folder';

let folders: PluginFolders;
beforeEach(() => (folders = new PluginFolders()));
afterEach(() => folders.remove());

const converter: BuiltInPlugin = {
  description: {
    type: 'converter',
    class: 'org.apache.kafka.connect.json.JsonConverter',
    version: '4.3.1',
    aliases: [],
    taskClass: null,
    location: 'built-in',
  },
  plugin: { type: 'converter', config: [], create: () => ({}) as never },
};
const registry = (logger = silentLogger) =>
  createPluginRegistry({ pluginPath: [folders.root], builtIns: [converter], logger });

function add(name: string, type: string, className: string, code: string, entry = {}, files = {}): void {
  folders.add(name, {
    'package.json': packageJson({ type, class: className, ...entry }),
    'index.js': code,
    ...files,
  });
}

describe('installed plugins', () => {
  test('connect-rest 1.19: sinks, sources, converters; by class name', () => {
    add('a', 'source', 'zz.Source', '');
    add('b', 'sink', 'zz.Sink', '');
    add('c', 'sink', 'aa.Sink', '');
    add('d', 'header_converter', 'aa.H', '');
    const own = registry()
      .list()
      .filter((d) => d.location.startsWith(folders.root) || d.location === 'built-in');
    expect(own.map((d) => d.class)).toEqual([
      'aa.Sink',
      'zz.Sink',
      'zz.Source',
      'org.apache.kafka.connect.json.JsonConverter',
      'aa.H',
    ]);
  });

  test('rescan: new, changed and removed plugins; new problems are logged once', async () => {
    add('a', 'source', 'x.A', '');
    add('b', 'source', 'x.B', '');
    const warnings: string[] = [];
    const own = registry({ ...silentLogger, warn: (message) => void warnings.push(message) });
    const before = own.catalog;
    add('c', 'source', 'x.C', '');
    folders.add('a', { 'package.json': '{' });
    rmSync(join(folders.root, 'b'), { recursive: true });
    const change = await own.rescan(new Set([join(folders.root, 'a')]));
    expect(change).toMatchObject({ changed: [], removed: [{ class: 'x.B' }] });
    expect(change.added.map(({ description }) => description.class)).toEqual(['x.C']);
    expect(own.catalog).not.toEqual(before);
    expect(['x.A', 'x.B', 'x.C', 'JsonConverter'].map((name) => own.find(name) !== null)).toEqual([
      true,
      false,
      true,
      true,
    ]);
    await own.rescan(new Set());
    expect(warnings).toEqual([expect.stringContaining('cannot be read as JSON')]);
    expect(own.problems()).toHaveLength(1);
  });

  test('a folder that every user can write is used, with one warning that has a code', async () => {
    add('a', 'source', 'x.A', '');
    const folder = join(folders.root, 'a');
    chmodSync(folder, 0o777);
    const warnings: string[] = [];
    const own = registry({ ...silentLogger, warn: (message) => void warnings.push(message) });
    expect(warnings).toEqual([expect.stringMatching(`Every user can write ${folder}, .*PLUGIN_FOLDER_WRITABLE`)]);
    expect(own.find('x.A')).not.toBeNull();
    // It does not keep a plugin that is removed.
    folders.add('a', { 'package.json': packageJson({ type: 'source', class: 'x.B' }) });
    expect((await own.rescan(new Set())).removed.map((description) => description.class)).toEqual(['x.A']);
    expect(warnings).toHaveLength(1);
  });

  test('a module that a link has replaced since is not imported', async () => {
    add('a', 'source', 'x.A', `module.exports = ${SOURCE}`);
    const own = registry();
    folders.add('outside', { 'index.js': `module.exports = ${SOURCE}` });
    rmSync(join(folders.root, 'a', 'index.js'));
    symlinkSync(join(folders.root, 'outside', 'index.js'), join(folders.root, 'a', 'index.js'));
    await expect(own.load(own.find('x.A')!)).rejects.toMatchObject({
      code: 'PLUGIN_LOAD_FAILED',
      message: expect.stringContaining('its module is outside of its folder'),
    });
  });

  test('the built-in file sink is found without settings', () => {
    const found = createPluginRegistry({ pluginPath: [], builtIns: [], logger: silentLogger }).find('FileStreamSink');
    expect(found).toMatchObject({
      class: 'org.apache.kafka.connect.file.FileStreamSinkConnector',
      taskClass: 'org.apache.kafka.connect.file.FileStreamSinkTask',
      type: 'sink',
      version: '4.3.1',
    });
  });

  test('names are resolved among the requested types; ambiguous ones are rejected', () => {
    add('a', 'source', 'a.XConnector', '');
    add('b', 'sink', 'b.XConnector', '');
    add('c', 'sink', 'b.YConnector', '', { aliases: ['io.other.Y'] });
    const r = registry();
    expect(r.find('X', 'source')?.class).toBe('a.XConnector');
    expect(r.find('XConnector', ['sink', 'converter'])?.class).toBe('b.XConnector');
    expect(r.find('io.other.Y')?.class).toBe('b.YConnector');
    expect(r.find('a.XConnector', 'sink')).toBeNull();
    expect(r.find('JsonConverter')).toBe(converter.description);
    expect(() => r.find('X')).toThrow('The name X may mean b.XConnector or a.XConnector: use the full class name.');
  });

  test('problems are logged once, and a catalog saves the next registry the scan', () => {
    folders.add('bad', { 'package.json': '{' });
    add('good', 'sink', 'G', '');
    const warn = jest.fn();
    const first = registry({ ...silentLogger, warn });
    expect(warn).toHaveBeenCalledTimes(1);
    expect(first.problems()).toHaveLength(1);
    const second = createPluginRegistry({
      pluginPath: [],
      builtIns: [converter],
      logger: { ...silentLogger, warn },
      catalog: structuredClone(first.catalog),
    });
    expect(warn).toHaveBeenCalledTimes(1);
    expect(second.list()).toEqual(first.list());
    expect(second.problems()).toEqual(first.problems());
  });
});

describe('loading', () => {
  test.each<[string, Record<string, string>, Record<string, string>]>([
    ['CommonJS module.exports', {}, { 'index.js': `module.exports = ${SINK}` }],
    ['CommonJS with exports.default', {}, { 'index.js': `exports.__esModule = true; exports.default = ${SINK}` }],
    [
      'CommonJS, the module itself',
      {},
      { 'index.js': 'exports.type = "sink"; exports.config = []; exports.createTask = () => ({})' },
    ],
    ['CommonJS, named', { export: 'mine' }, { 'index.js': `exports.mine = ${SINK}` }],
    ['ESM default', { module: './index.mjs' }, { 'index.mjs': `export default ${SINK}` }],
    ['ESM named', { module: './index.mjs', export: 'mine' }, { 'index.mjs': `export const mine = ${SINK}` }],
    [
      'ESM, the module itself',
      { module: './m.mjs' },
      { 'm.mjs': 'export const type = "sink", config = [], createTask = () => ({})' },
    ],
    ['ESM of a package of type module', {}, { 'index.js': `export default ${SINK}`, type: 'module' }],
  ])('%s', async (_, entry, { type, ...files }) => {
    const folder = folders.add('p', {
      'package.json': packageJson({ type: 'sink', class: 'P', ...entry }, { type: type ?? 'commonjs' }),
      ...files,
    });
    const r = registry();
    const found = r.find('P');
    expect(found?.location).toBe(folder);
    const plugin = await r.load(found as never);
    expect(plugin).toMatchObject({ type: 'sink', config: [], createTask: expect.any(Function) });
    expect(await r.load(structuredClone(found) as never)).toBe(plugin);
    expect(r.problems()).toEqual([]);
  });

  test('a plugin that is compiled into the worker', async () => {
    expect(await registry().load(converter.description)).toBe(converter.plugin);
  });

  test.each<[string, string, Record<string, string>, string]>([
    ['throws', 'throw new Error("no such luck")', {}, 'no such luck'],
    ['needs a missing package', 'require("not-there-at-all")', {}, "Cannot find module 'not-there-at-all'"],
    ['exports nothing', '', {}, 'its export should have type "sink" but has undefined'],
    ['has another kind', `module.exports = ${SOURCE}`, {}, 'its export should have type "sink" but has "source"'],
    [
      'makes no tasks',
      'module.exports = { type: "sink", config: [] }',
      {},
      'its export should have a function "createTask"',
    ],
    [
      'has no config',
      'module.exports = { type: "sink", createTask() {} }',
      {},
      'its export should have a list "config"',
    ],
    [
      'a config key without a type',
      `module.exports = { type: 'sink', createTask() {}, config: [{ name: 'a' }] }`,
      {},
      'the setting a of its "config" has the type undefined: expected one of BOOLEAN, STRING, INT, SHORT, LONG, DOUBLE, LIST, CLASS, PASSWORD',
    ],
    [
      'a config key that is a text',
      `module.exports = { type: 'sink', createTask() {}, config: ['a'] }`,
      {},
      'entry 0 of its "config" is a string: expected { name, type, … }',
    ],
    [
      'a config key that accepts a text, not a list of texts',
      `module.exports = { type: 'sink', createTask() {}, config: [{ name: 'a', type: 'STRING', accepts: { values: 'b' } }] }`,
      {},
      'the "accepts" of the setting a is an object: expected { values: [texts], anyCase? }',
    ],
    [
      'a config key with a condition that is not a list',
      `module.exports = { type: 'sink', createTask() {}, config: [{ name: 'a', type: 'STRING', requiredUnless: 'b' }] }`,
      {},
      'the "requiredUnless" of the setting a is a string: expected a list of texts',
    ],
    ['lacks the export', `module.exports = ${SINK}`, { export: 'x' }, 'it has no export named "x"'],
  ])('a module that %s is reported with its folder', async (_, code, entry, reason) => {
    add('p', 'sink', 'P', code, entry);
    const r = registry();
    const description = r.find('P') as never;
    const message = `The plugin P in ${folders.root}/p cannot be loaded: ${reason}`;
    await expect(r.load(description)).rejects.toMatchObject({
      code: 'PLUGIN_LOAD_FAILED',
      message: expect.stringContaining(message),
    });
    await expect(r.load(description)).rejects.toThrow(message);
    expect(r.problems()).toHaveLength(1);
  });

  test('a manifest from another place', async () => {
    const strange = { ...converter.description, class: 'other.Thing' };
    await expect(registry().load(strange)).rejects.toThrow('other.Thing in built-in is not installed in this worker');
  });
});
