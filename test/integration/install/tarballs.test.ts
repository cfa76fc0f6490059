/** What each tarball contains, and what its package.json promises. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { readJsonSync, removeSync } from 'fs-extra';
import { ROOT } from '../../../dev/services/paths';
import { execute } from './installation';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly keywords?: readonly string[];
  readonly license?: string;
  readonly engines?: { readonly node: string };
  readonly main?: string;
  readonly types?: string;
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly publishConfig?: { readonly access: string };
  readonly millrace?: { readonly plugins: readonly { readonly module?: string; readonly export: string }[] };
}

interface Tarball {
  readonly folder: string;
  readonly files: readonly string[];
  readonly manifest: Manifest;
}

/** Besides `dist`, a manifest, a license and a README. */
const FURTHER_FILES: Readonly<Record<string, RegExp>> = {
  millrace: /^(worker\.properties|docs\/errors\.md|examples\/.*)$/,
  '@millrace/console': /^dist\/ui\/(index\.html|style-\w{8}\.css|LICENSE\.(?:preact|uplot))$/,
  '@millrace/connector-postgres': /^TYPES\.md$/,
  '@millrace/java-host': /^jars\/(api|kafka|scan)\/[\w.-]+\.jar$/,
};
/** Those that other code compiles against. */
const TYPED = ['console', 'embedded', 'kafka-protocol', 'record-codecs', 'sdk'].map((name) => `@millrace/${name}`);

const place = mkdtempSync(join(tmpdir(), 'millrace-tarballs-'));
afterAll(() => removeSync(place));

let tarballs: readonly Tarball[];
/** The last line of `npm run pack`. */
let command: string;
beforeAll(async () => {
  const program = ['-r', './dev/register.js', 'dev/packages/pack.ts', join(place, 'a folder')];
  const lines = (await execute('node', program, ROOT)).stdout.trim().split('\n');
  command = lines.at(-1)!;
  const paths = lines.filter((line) => line.startsWith(place));
  tarballs = await Promise.all(
    paths.map(async (path) => {
      const folder = join(place, basename(path, '.tgz'));
      mkdirSync(folder);
      await execute('tar', ['xzf', path, '--strip-components=1'], folder);
      const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      const files = entries.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
      return { folder, files, manifest: readJsonSync(join(folder, 'package.json')) as Manifest };
    }),
  );
});

const text = ({ folder }: Tarball, file: string) => readFileSync(join(folder, file), 'utf8');
/** All file names in a value of `exports`. */
const targets = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : Object.values(value as object).flatMap(targets);

test('npm run pack prints a command that installs all of them, also from a folder whose name has spaces', async () => {
  const [, patterns] = /^npm install -g (.*)$/.exec(command)!;
  const { stdout } = await execute(
    '/bin/sh',
    ['-c', `for file in ${patterns}; do test -f "$file" && echo; done`],
    place,
  );
  expect(stdout).toBe('\n'.repeat(tarballs.length));
});

test('each package describes itself, in one version, for the supported Node.js', () => {
  // Its jars are built where a JDK and Maven are.
  const javaHost = tarballs.filter(({ manifest }) => manifest.name === '@millrace/java-host');
  expect(tarballs).toHaveLength(15 + javaHost.length);
  const { version, engines } = readJsonSync(join(ROOT, 'package.json')) as Manifest;
  for (const { manifest } of tarballs) {
    expect(manifest).toMatchObject({ version, engines, license: 'Apache-2.0' });
    expect(manifest.description).toMatch(/^\w.{20,}[^.]$/);
    expect(manifest.keywords).toContain('kafka');
    // npm publishes scoped packages privately by default.
    expect(manifest.name.startsWith('@') ? manifest.publishConfig?.access : 'public').toBe('public');
    const own = Object.entries(manifest.dependencies ?? {}).filter(([name]) => name.startsWith('@millrace/'));
    for (const [, wanted] of own) expect(wanted).toBe(version);
  }
});

test('each has the license, and a README with its name', () => {
  const license = readFileSync(join(ROOT, 'LICENSE'), 'utf8');
  for (const tarball of tarballs) {
    expect(text(tarball, 'LICENSE')).toBe(license);
    const introduction = text(tarball, 'README.md').split('\n').slice(0, 12).join('\n');
    expect(introduction.toLowerCase()).toContain(tarball.manifest.name);
  }
});

test('nothing else is packed: no source, test, source map or build information, types only where code uses them', () => {
  for (const { files, manifest } of tarballs) {
    const types = TYPED.includes(manifest.name);
    const expected = types ? /^dist\/.*\.(js|d\.ts)$/ : /^dist\/.*(?<!\.test)\.js$/;
    const further = files.filter(
      (file) =>
        !expected.test(file) &&
        !['LICENSE', 'README.md', 'package.json'].includes(file) &&
        !FURTHER_FILES[manifest.name]?.test(file),
    );
    expect(further).toEqual([]);
    expect(files.filter((file) => file.includes('.test.'))).toEqual([]);
  }
});

test('the Java host is packed with its jars, or not at all', () => {
  const found = tarballs.filter(({ manifest }) => manifest.name === '@millrace/java-host').map(({ files }) => files);
  const jars = [
    'api/millrace-java-host',
    'api/connect-api-4.3.1',
    'kafka/connect-json-4.3.1',
    'scan/classgraph-4.8.184',
  ];
  const named = jars.map((name) => `jars/${name}.jar`);
  expect(found).toEqual(found.map(() => expect.arrayContaining(named)));
});

test('the console has its page, and the script and the stylesheet that it names', () => {
  const ui = tarballs.find(({ manifest }) => manifest.name === '@millrace/console')!;
  const named = [...text(ui, 'dist/ui/index.html').matchAll(/(?:src|href)="([\w-]+\.(?:js|css))"/g)];
  expect(named).toHaveLength(2);
  for (const [, name] of named) expect(ui.files).toContain(`dist/ui/${name}`);
  const script = text(ui, `dist/ui/${named.find(([, name]) => name?.endsWith('.js'))?.[1]}`);
  for (const [, name] of script.matchAll(/"\.\/([\w-]+\.js)"/g)) expect(ui.files).toContain(`dist/ui/${name}`);
});

/** `path` may have one `*`, as in patterns of `exports`. */
const isPacked = (files: readonly string[], path: string): boolean => {
  const [start = '', end] = path.split('*');
  return files.some((file) => (end === undefined ? file === path : file.startsWith(start) && file.endsWith(end)));
};

test('all files that a manifest names are packed, and the exports of plugins exist', () => {
  for (const { folder, files, manifest } of tarballs) {
    const { main, types, bin, exports = {}, millrace } = manifest;
    const plugins = millrace?.plugins ?? [];
    const named = [main, types, ...targets(bin ?? {}), ...targets(exports), ...plugins.map(({ module }) => module)];
    const missing = named.filter((file) => file !== undefined && !isPacked(files, file.replace(/^\.\//, '')));
    expect(missing).toEqual([]);
    expect(types !== undefined).toBe(TYPED.includes(manifest.name));
    // Types first: TypeScript takes the first condition that matches.
    for (const conditions of Object.values(exports))
      if (typeof conditions === 'object') expect(Object.keys(conditions!)).toEqual(['types', 'default']);
    for (const { module = main, export: name } of plugins)
      expect(readFileSync(join(folder, module!), 'utf8')).toMatch(new RegExp(`exports\\.${name}\\b|"${name}"`));
  }
});
