import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { once, EventEmitter } from 'node:events';
import { silentLogger, type Logger } from '../../../src/logging/logger';
import { TreeBudget } from '../../../src/plugins/watch/folder-tree';
import { PluginWatcher, type PluginWatcherOptions } from '../../../src/plugins/watch/plugin-watcher';
import { packageJson, PluginFolders } from '../plugin-folder';

let folders: PluginFolders;
const watchers: PluginWatcher[] = [];
beforeEach(() => (folders = new PluginFolders()));
afterEach(() => {
  for (const watcher of watchers.splice(0)) watcher.close();
  folders.remove();
});

const add = (name: string, files: Record<string, unknown> = {}): string =>
  folders.add(name, { 'package.json': packageJson({ type: 'source', class: `x.${name}` }), 'index.js': '1', ...files });

interface Watched {
  readonly changes: string[][];
  /** Resolves with the names of the folders of the next report. */
  next(): Promise<string[]>;
}

async function watched(options: Partial<PluginWatcherOptions> = {}): Promise<Watched> {
  const changes: string[][] = [];
  const emitter = new EventEmitter();
  let read = 0;
  const watcher = new PluginWatcher({
    paths: [folders.root],
    logger: silentLogger,
    ...options,
    onChange: async (changed) => {
      changes.push([...changed].map((folder) => basename(folder)).sort());
      emitter.emit('change');
      await options.onChange?.(changed);
    },
  });
  watchers.push(watcher);
  await watcher.start();
  return {
    changes,
    next: async () => {
      if (changes.length <= read) await once(emitter, 'change');
      return changes[read++] as string[];
    },
  };
}

/** Shows that earlier events were not reported: the next report is about this folder alone. */
async function expectNothingElse({ next }: Watched): Promise<void> {
  add('marker', { 'index.js': String(Math.random()) });
  expect(await next()).toEqual(['marker']);
}

test('a changed, added and removed file; an atomic rename; a new subfolder', async () => {
  const plugin = add('p');
  const seen = await watched();
  appendFileSync(join(plugin, 'index.js'), '2');
  expect(await seen.next()).toEqual(['p']);
  writeFileSync(join(plugin, 'more.js'), '1');
  expect(await seen.next()).toEqual(['p']);
  rmSync(join(plugin, 'more.js'));
  expect(await seen.next()).toEqual(['p']);
  writeFileSync(join(plugin, '.index.js.tmp'), '3');
  renameSync(join(plugin, '.index.js.tmp'), join(plugin, 'index.js'));
  expect(await seen.next()).toEqual(['p']);
  mkdirSync(join(plugin, 'lib', 'deep'), { recursive: true });
  writeFileSync(join(plugin, 'lib', 'deep', 'a.js'), '1');
  expect(await seen.next()).toEqual(['p']);
  appendFileSync(join(plugin, 'lib', 'deep', 'a.js'), '2');
  expect(await seen.next()).toEqual(['p']);
});

test('a jar that is added, replaced and removed', async () => {
  const folder = folders.add('jars', { 'lib/a.jar': 'a' });
  const seen = await watched();
  writeFileSync(join(folder, 'lib', 'b.jar'), 'b');
  expect(await seen.next()).toEqual(['jars']);
  writeFileSync(join(folder, 'lib', 'new'), 'changed');
  renameSync(join(folder, 'lib', 'new'), join(folder, 'lib', 'a.jar'));
  expect(await seen.next()).toEqual(['jars']);
  rmSync(join(folder, 'lib', 'b.jar'));
  expect(await seen.next()).toEqual(['jars']);
});

test('nothing is reported for the same content, other files, dependencies and dot files', async () => {
  const plugin = add('p', { 'src/index.ts': '1', 'node_modules/d/index.js': '1' });
  const seen = await watched();
  writeFileSync(join(plugin, 'index.js'), '1');
  writeFileSync(join(plugin, 'out.log'), '1');
  writeFileSync(join(plugin, '.cache.json'), '1');
  writeFileSync(join(plugin, 'src', 'index.ts'), '2');
  writeFileSync(join(plugin, 'node_modules', 'd', 'index.js'), '2');
  await expectNothingElse(seen);
});

test('TypeScript counts where Node.js loads it', async () => {
  const plugin = folders.add('p', {
    'package.json': packageJson({ type: 'source', class: 'x.P', module: './index.ts' }),
    'index.ts': '1',
  });
  const seen = await watched();
  writeFileSync(join(plugin, 'index.ts'), '2');
  expect(await seen.next()).toEqual(['p']);
});

test('a plugin folder is added, removed and created again', async () => {
  const seen = await watched();
  const plugin = add('p');
  expect(await seen.next()).toEqual(['p']);
  rmSync(plugin, { recursive: true });
  expect(await seen.next()).toEqual(['p']);
  add('p');
  expect(await seen.next()).toEqual(['p']);
  appendFileSync(join(plugin, 'index.js'), '2');
  expect(await seen.next()).toEqual(['p']);
});

test('the path may be the folder of one plugin, may not exist yet, and may disappear', async () => {
  const path = join(folders.root, 'x', 'p');
  const seen = await watched({ paths: [path] });
  add('x/p');
  expect(await seen.next()).toEqual(['p']);
  rmSync(join(folders.root, 'x'), { recursive: true });
  expect(await seen.next()).toEqual(['p']);
  add('x/p');
  expect(await seen.next()).toEqual(['p']);
  appendFileSync(join(path, 'index.js'), '2');
  expect(await seen.next()).toEqual(['p']);
});

test('a linked folder: its files, another target, and a target that is created again', async () => {
  const other = new PluginFolders();
  try {
    const target = other.add('v1', { 'package.json': packageJson({ type: 'source', class: 'x.P' }), 'index.js': '1' });
    symlinkSync(target, join(folders.root, 'p'));
    const seen = await watched();
    appendFileSync(join(target, 'index.js'), '2');
    expect(await seen.next()).toEqual(['v1']);
    rmSync(target, { recursive: true });
    expect(await seen.next()).toEqual(['v1']);
    other.add('v1', { 'index.js': '3' });
    expect(await seen.next()).toEqual(['v1']);
    symlinkSync(other.add('v2', { 'index.js': '3' }), join(folders.root, 'new'));
    renameSync(join(folders.root, 'new'), join(folders.root, 'p'));
    let last = await seen.next();
    // The link under its first name may have been noticed by itself.
    if (!last.includes('v1')) last = await seen.next();
    expect(last).toContain('v1');
  } finally {
    other.remove();
  }
});

test('changes during a report are reported after it, together', async () => {
  const plugin = add('p');
  let finish = (): void => undefined;
  const busy = new Promise<void>((resolve) => (finish = resolve));
  const seen = await watched({ onChange: () => busy });
  appendFileSync(join(plugin, 'index.js'), '2');
  expect(await seen.next()).toEqual(['p']);
  appendFileSync(join(plugin, 'index.js'), '3');
  appendFileSync(join(plugin, 'index.js'), '4');
  add('q');
  finish();
  expect(await seen.next()).toEqual(['p', 'q']);
});

test('a report that fails is logged, and the next change is reported', async () => {
  const plugin = add('p');
  const errors: string[] = [];
  const logger: Logger = { ...silentLogger, error: (message) => void errors.push(message) };
  const seen = await watched({ logger, onChange: () => Promise.reject(new Error('no')) });
  appendFileSync(join(plugin, 'index.js'), '2');
  await seen.next();
  appendFileSync(join(plugin, 'index.js'), '3');
  expect(await seen.next()).toEqual(['p']);
  expect(errors[0]).toContain('could not be reloaded');
});

test('1,000 files, changed together', async () => {
  const files = (content: string) =>
    Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`lib${i % 20}/f${i}.js`, content]));
  add('p', files('1'));
  const seen = await watched();
  add('p', files('2'));
  expect(await seen.next()).toEqual(['p']);
});

test('too many files: one warning, and the first ones are watched', async () => {
  const plugin = add('p', { 'z.js': '1' });
  const warnings: string[] = [];
  const logger: Logger = { ...silentLogger, warn: (message) => void warnings.push(message) };
  const seen = await watched({ logger, budget: () => new TreeBudget(10, 2) });
  appendFileSync(join(plugin, 'z.js'), '2');
  appendFileSync(join(plugin, 'index.js'), '2');
  expect(await seen.next()).toEqual(['p']);
  expect(warnings).toEqual(['The plugin folders have too many files or subfolders to watch all of them']);
});
