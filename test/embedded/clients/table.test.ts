/** The table of packages/embedded/README.md lists what its tests show, cell by cell. */
import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..', '..');
const readme = readFileSync(join(ROOT, 'packages', 'embedded', 'README.md'), 'utf8');
const CELL = /\bcell\(\s*'([^']+)',\s*'([^']+)',\s*async\b/g;

/** `client: operation` of each cell that is declared. */
function declared(): string[] {
  const folders = [__dirname, join(ROOT, 'test', 'conformance', 'embedded', 'java')];
  const files = folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  const sources = files.filter((file) => file.endsWith('.test.ts')).map((file) => readFileSync(file, 'utf8'));
  return sources.flatMap((text) => [...text.matchAll(CELL)].map(([, client, operation]) => `${client}: ${operation}`));
}

/** The cells with this mark, in the same form. */
function marked(mark: string): string[] {
  const lines = readme.split('\n').map((line) =>
    line
      .split('|')
      .map((cell) => cell.trim())
      .slice(1, -1),
  );
  const head = lines.findIndex(([first]) => first === 'operation');
  const clients = lines[head]!.slice(1);
  const rows = lines.slice(head + 2).slice(
    0,
    lines.slice(head + 2).findIndex((row) => row.length === 0),
  );
  return rows.flatMap(([operation, ...cells]) =>
    cells.flatMap((cell, i) => (cell === mark ? [`${clients[i]}: ${operation}`] : [])),
  );
}

test('each ✓ is a test, and each such test a ✓', () => {
  const cells = declared();
  expect(cells.length).toBeGreaterThan(90);
  expect(new Set(cells).size).toBe(cells.length);
  expect(marked('✓').sort()).toEqual(cells.sort());
  expect(marked('✗')).toEqual(['@platformatic/kafka: consume committed records only']);
});

test('every version in the table is the installed one', () => {
  const { devDependencies, dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const installed = { ...dependencies, ...devDependencies } as Record<string, string>;
  for (const name of ['kafkajs', '@platformatic/kafka', '@kafkats/client']) {
    expect(readme).toContain(`${name} ${installed[name]}`);
  }
});

test('every option of the broker is in its table, and no other', () => {
  const source = readFileSync(join(ROOT, 'packages', 'embedded', 'src', 'broker.ts'), 'utf8');
  const options = /interface EmbeddedBrokerOptions \{(.*?)^\}/ms.exec(source)![1]!;
  const names = [...options.matchAll(/^ {2}readonly (\w+)\?:/gm)].map(([, name]) => name!);
  const table = /^\| option .*?\n\n/ms.exec(readme)![0];
  const rows = [...table.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell]) => cell!.match(/\w+/g)!);
  // `memory` only takes `dataDir` back.
  expect(rows.sort()).toEqual(names.filter((name) => name !== 'memory').sort());
});

test('the package depends on what its sources import', () => {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'packages', 'embedded', 'package.json'), 'utf8'));
  const dependencies = { ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.peerDependencies };
  const folder = join(ROOT, 'packages', 'embedded', 'src');
  const files = (readdirSync(folder, { recursive: true }) as string[]).filter((name) => name.endsWith('.ts'));
  const imported = files.flatMap((name) => {
    const text = readFileSync(join(folder, name), 'utf8');
    const found = text.matchAll(
      /(?:from|import\(|load\(|nativePackage<[^']*>\(|createRequire\(__filename\)\()\s*'([^'.][^']*)'/g,
    );
    return [...found].map(([, module]) => module!);
  });
  const packages = imported.filter((name) => !name.startsWith('node:') && !builtinModules.includes(name));
  expect([...new Set(packages)].sort()).toEqual(Object.keys(dependencies).sort());
});
