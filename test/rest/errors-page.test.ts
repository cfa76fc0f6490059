/** docs/errors.md names every existing code, and no other. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

function sources(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return ['node_modules', 'dist'].includes(entry.name) ? [] : sources(path);
    return entry.name.endsWith('.ts') ? [path] : [];
  });
}
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const matches = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map((match) => match[1] ?? '');

const files = ['src', 'packages/cli', 'packages/sdk', 'packages/texts', 'packages/java-host/src', 'connectors'].flatMap(
  sources,
);
// Codes of the SDK's errors, and those that the PostgreSQL source derives from the server's own. Brokers' codes are
// Kafka's.
const used = files.flatMap((path) => matches(read(path), /(?:\bcode: '|'(?=PG_))([A-Z]+(?:_[A-Z0-9]+)+)'/g));
const client = matches(read(join('packages', 'kafka-client', 'src', 'errors.ts')), /^ {2}\| '([A-Z_]+)'/gm);
const documented = matches(
  read(join('docs', 'errors.md'))
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|')[1])
    .join(),
  /`([A-Z_]+)`/g,
);

test('every code has a row in docs/errors.md', () => {
  const known = new Set(documented);
  expect([...new Set([...used, ...client])].filter((code) => !known.has(code)).sort()).toEqual([]);
});

test('every row describes an existing code, once', () => {
  const known = new Set([...used, ...client]);
  expect(documented.filter((code) => !known.has(code))).toEqual([]);
  expect(documented).toEqual([...new Set(documented)]);
});
