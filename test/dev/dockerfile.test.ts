/** The container files, as far as text can be checked; `npm run check:image` runs their steps. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

test('the image runs as another user than root, from a build without development packages, and says how it is', () => {
  const lines = read('Dockerfile').split('\n');
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM')));
  expect(last.find((line) => line.startsWith('USER'))).toBe('USER node');
  expect(last.join('\n')).toMatch(/HEALTHCHECK[^]*\/health/);
  expect(last).toContain('CMD ["node", "dist/main.js", "start", "worker.properties"]');
  expect(lines).toContain('RUN npm prune --omit=dev');
});

test('what the build needs is in the build context', () => {
  const ignored = read('.dockerignore').split('\n');
  const needed = [
    'package.json',
    'package-lock.json',
    '.npmrc',
    'tsconfig.json',
    'src',
    'embedded',
    'connectors',
    'worker.properties',
  ];
  expect(needed.filter((name) => !existsSync(join(ROOT, name)) || ignored.includes(name))).toEqual([]);
});

test('compose.yaml has Kafka, PostgreSQL with a logical log and the worker, and the examples fit it', () => {
  const compose = read('compose.yaml');
  expect(compose).toMatch(/image: apache\/kafka:4\.3\.1/);
  expect(compose).toMatch(/wal_level=logical/);
  const source = JSON.parse(read('examples/todos-source.json')).config;
  expect(compose).toContain(`\n  ${source['database.hostname']}:\n`);
  expect(compose).toContain(`POSTGRES_PASSWORD: ${source['database.password']}`);
  const sink = JSON.parse(read('examples/todos-file-sink.json')).config;
  expect(sink.topics).toBe(`${source['database.server.name']}.${source['table.whitelist']}`);
});
