/** Jars without service files: a JVM reads their classes once. */
import { chmodSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JavaUnit, Jvms } from '@millrace/java-host';
import { defaultCacheFolder, ScanCache } from '../../../packages/java-host/src/scan/scan-cache';
import { scanJavaUnits } from '../../../packages/java-host/src/scan/scan-java-units';
import { classes, JarFolders, manifest } from '../discovery/jars';

let folders: JarFolders;
/** What the JVM is asked, and answers. */
let asked: unknown[][];
let answer: (jars: readonly string[]) => unknown;
let opened: number;
let closed: number;
beforeEach(() => {
  folders = new JarFolders();
  [asked, opened, closed] = [[], 0, 0];
  answer = () => [{ class: 'x.Snk', type: 'sink', version: '7' }];
});
afterEach(() => folders.remove());

const jvms = (): Jvms => ({
  open: async () => {
    opened++;
    return {
      call: async (...call: unknown[]) => {
        asked.push(call);
        return answer(call[1] as string[]);
      },
      close: () => void closed++,
    } as never;
  },
});
const key = async () => ({ location: 'scan', classPath: [] });
const cacheFolder = () => join(folders.root, 'cache');
const scan = async (
  units: JavaUnit[],
  { folder = cacheFolder() as string | null, run = jvms as (() => Jvms) | null } = {},
) => {
  const { plugins, others, problems } = await scanJavaUnits(units, { jvms: run, cache: new ScanCache(folder), key });
  return {
    found: [...plugins, ...others].map((one) => `${one.type} ${one.class} ${one.version}`),
    problems: problems.map(({ message }) => message.replace(/^.*cannot be searched: /, '')),
  };
};
const unit = (name: string): JavaUnit => {
  const path = folders.add(`${name}/x-1.2.jar`, { ...manifest(), ...classes('x.Snk', 'x.Old') });
  return { location: join(folders.root, name), classPath: [path] };
};

test('one session for all units; the second time nothing is asked; a changed jar is', async () => {
  const units = [unit('a'), unit('b')];
  expect(await scan(units)).toEqual({ found: ['sink x.Snk 7', 'sink x.Snk 7'], problems: [] });
  expect([asked, opened, closed]).toEqual([units.map(({ classPath }) => ['scan', classPath]), 1, 1]);
  expect(await scan(units, { run: null })).toEqual({ found: ['sink x.Snk 7', 'sink x.Snk 7'], problems: [] });
  expect(opened).toBe(1);
  utimesSync(units[0]?.classPath[0] as string, 1, 1);
  await scan(units);
  expect(asked).toHaveLength(3);
  for (const file of readdirSync(cacheFolder())) expect(statSync(join(cacheFolder(), file)).mode & 0o077).toBe(0);
});

test('a class without a version has that of its jar; Kafka’s own classes are not plugins; others are apart', async () => {
  answer = () => [
    { class: 'x.Old', type: 'transformation', version: null },
    { class: 'x.Snk', type: 'sink', version: '${placeholder}' },
    { class: 'org.apache.kafka.connect.tools.MockSinkConnector', type: 'sink', version: '1' },
    { class: 'x.Provider', type: 'config_provider', version: '1' },
    { class: 'x.Elsewhere', type: 'predicate', version: null },
  ];
  expect((await scan([unit('a')])).found).toEqual([
    'transformation x.Old 1.2',
    'sink x.Snk 1.2',
    'predicate x.Elsewhere undefined',
    'config_provider x.Provider 1',
  ]);
});

test.each<[string, unknown]>([
  ['no list', { class: 'x' }],
  ['a type that does not exist', [{ class: 'x.A', type: 'task', version: null }]],
  ['a class that is no name', [{ class: '../x', type: 'sink', version: null }]],
  ['too many', Array.from({ length: 10_001 }, () => ({ class: 'x.A', type: 'sink', version: null }))],
  ['null', [null]],
])('an answer of a JVM that is %s, and such a file of the cache', async (_, value) => {
  const a = unit('a');
  answer = () => value;
  expect(await scan([a])).toEqual({ found: [], problems: ['the answer of the JVM is not a list of classes.'] });
  const cache = new ScanCache(cacheFolder());
  await cache.put(await cache.keyOf(a), value);
  expect((await scan([a], { run: null })).problems).toEqual(['no JVM is started here.']);
});

test('a JVM that fails is a problem of each unit; a jar that is gone, of its own', async () => {
  const gone = { location: '/gone', classPath: ['/gone/x.jar'] };
  const run = () => ({ open: () => Promise.reject(new Error('No Java is installed.')) });
  expect((await scan([unit('a'), gone, unit('b')], { run })).problems).toEqual([
    'No Java is installed.',
    expect.stringMatching(/^ENOENT/),
    'No Java is installed.',
  ]);
});

test('a folder that cannot be written, or is a file, or none: in memory', async () => {
  const a = unit('a');
  writeFileSync(join(folders.root, 'file'), '');
  mkdirSync(join(folders.root, 'read-only'));
  chmodSync(join(folders.root, 'read-only'), 0o500);
  for (const folder of [join(folders.root, 'file'), join(folders.root, 'file', 'x'), '/proc/none', null]) {
    const cache = new ScanCache(folder);
    for (const run of [jvms, null])
      expect((await scanJavaUnits([a], { jvms: run, cache, key })).plugins.map((one) => one.class)).toEqual(['x.Snk']);
  }
  expect(opened).toBe(4);
});

test('the folder: the user’s cache', () => {
  expect(defaultCacheFolder({ XDG_CACHE_HOME: '/c' })).toBe('/c/millrace/java-plugins');
  expect(defaultCacheFolder({})).toMatch(/\/\.cache\/millrace\/java-plugins$/);
});
