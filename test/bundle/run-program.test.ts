import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { codeCachePath } from '../../src/bundle/programs';
import { provideSdk, runProgram } from '../../src/bundle/run-program';
import { importModule } from '../../src/plugins/import-module';

let dist: string;
let folder: string;
const bundle = () => join(folder, 'task-thread.bundle.js');

beforeEach(() => {
  dist = mkdtempSync(join(tmpdir(), 'millrace-bundle-'));
  folder = join(dist, 'bundle');
  mkdirSync(folder);
  writeFileSync(join(dist, 'task-thread.js'), write('modules'));
});
afterEach(() => {
  delete process.env.MILLRACE_BUNDLE;
  rmSync(dist, { recursive: true });
});

function write(text: string): string {
  return `require('node:fs').writeFileSync(${JSON.stringify(join(dist, 'ran'))}, ${JSON.stringify(text)});`;
}

function writeBundle(): string {
  const source = `//0123456789abcdef\n(function (require, __filename, __dirname) {${write('bundle')}})`;
  writeFileSync(bundle(), source);
  return source;
}

function ran(): string {
  runProgram('task-thread', folder);
  return readFileSync(join(dist, 'ran'), 'utf8');
}

test('a program runs from its modules if it has no bundle', () => {
  expect(ran()).toBe('modules');
});

test('a program runs from its bundle', () => {
  writeBundle();
  expect(ran()).toBe('bundle');
});

test('with MILLRACE_BUNDLE=off, it runs from its modules', () => {
  writeBundle();
  process.env.MILLRACE_BUNDLE = 'off';
  expect(ran()).toBe('modules');
});

test.each<[string, (source: string) => Buffer]>([
  ['its own', (source) => new Script(source).createCachedData()],
  ['of another source', () => new Script('(function () { throw new Error("of another source"); })').createCachedData()],
  ['that is none', () => Buffer.from('no bytecode')],
  ['that is empty', () => Buffer.alloc(0)],
])('with bytecode %s, it runs what is in the bundle', (_title, bytecode) => {
  const source = writeBundle();
  writeFileSync(codeCachePath(bundle(), source), bytecode(source));
  expect(ran()).toBe('bundle');
});

test('bytecode is for one bundle and one version of Node', () => {
  const path = codeCachePath(join('bundles', 'worker.bundle.js'), '//0123456789abcdef\n(function () {})');
  expect(path).toBe(join('bundles', `0123456789abcdef-${process.version}-${process.arch}.cache`));
});

test('a module with a bundle beside it is loaded from it, once, as import() loads CommonJS', async () => {
  const file = join(dist, 'index.js');
  writeFileSync(file, 'exports.from = "modules";');
  writeFileSync(
    join(dist, 'index.bundle.js'),
    '//0123456789abcdef\n(function (require, __filename, __dirname) {return { from: "bundle", folder: __dirname }; })',
  );
  const module = await importModule(file);
  expect(module).toEqual({ from: 'bundle', folder: dist, default: { from: 'bundle', folder: dist } });
  expect(await importModule(file)).toBe(module);
});

describe('the SDK of a thread', () => {
  const sdk = () => join(dist, 'index.js');
  const thread = (cache: NodeJS.Dict<NodeJS.Module> = {}) => ({
    resolve: Object.assign(() => sdk(), { paths: () => null }),
    cache,
  });

  test('is loaded from its bundle, for all who require it later', () => {
    writeFileSync(
      join(dist, 'index.bundle.js'),
      '//0123456789abcdef\n(function (require, __filename, __dirname) {return { from: "bundle" }; })',
    );
    const one = thread();
    provideSdk(one);
    expect(one.cache[sdk()]).toMatchObject({ id: sdk(), filename: sdk(), loaded: true, exports: { from: 'bundle' } });
    const first = one.cache[sdk()];
    provideSdk(one);
    expect(one.cache[sdk()]).toBe(first);
  });

  test('is loaded from its modules if it has no bundle', () => {
    const one = thread();
    provideSdk(one);
    expect(one.cache).toEqual({});
  });
});
