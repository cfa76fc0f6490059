/** Text checks of the container files; `npm run check:image` runs their steps. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMPOSE_FILES, CONTAINER_FILES, imagesIn } from '../../dev/images/pinned-images';

const ROOT = join(__dirname, '..', '..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

test('the image runs as a non-root user, from a build without development packages, and has a health check', () => {
  const lines = read('Dockerfile').split('\n');
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM')));
  expect(last.find((line) => line.startsWith('USER'))).toBe('USER node');
  expect(last.join('\n')).toMatch(/HEALTHCHECK[^]*\/health/);
  expect(last).toContain('CMD ["node", "dist/main.js", "start", "worker.properties"]');
  expect(lines).toContain('RUN npm prune --ignore-scripts --omit=dev');
});

test.each(CONTAINER_FILES)('%s installs packages without running their scripts', (file) => {
  const installs = read(file)
    .split('\n')
    .filter((line) => /^RUN npm (ci|install|prune)\b/.test(line));
  expect(installs.length).toBeGreaterThan(0);
  expect(installs.filter((line) => !line.includes(' --ignore-scripts'))).toEqual([]);
});

test.each([...CONTAINER_FILES, ...COMPOSE_FILES])('the base images of %s are pinned by digest', (file) => {
  const images = imagesIn(read(file));
  expect(images.length).toBeGreaterThan(0);
  expect(images.filter(({ image, digest }) => digest === undefined || !image.includes(':'))).toEqual([]);
  expect(read(file).match(/^(FROM| *image:)/gm)).toHaveLength(images.length);
});

test.each(COMPOSE_FILES)('%s listens on loopback only', (file) => {
  const ports = [...read(file).matchAll(/^ *ports: \[(.*)\]$/gm)].flatMap(([, list = '']) => list.split(/,\s*/));
  expect(ports.length).toBeGreaterThan(0);
  expect(ports.filter((port) => !/^'127\.0\.0\.1:\d+:\d+'$/.test(port))).toEqual([]);
  expect(read(file).match(/ports:/g)).toHaveLength(ports.length);
});

test('compose.yaml has Kafka, PostgreSQL with logical decoding and the worker, and matches the examples', () => {
  const compose = read('compose.yaml');
  expect(compose).toMatch(/image: apache\/kafka:4\.3\.1@/);
  expect(compose).toMatch(/wal_level=logical/);
  const source = JSON.parse(read('examples/todos-source.json')).config;
  expect(compose).toContain(`\n  ${source['database.hostname']}:\n`);
  expect(compose).toContain(`POSTGRES_PASSWORD: ${source['database.password']}`);
  const sink = JSON.parse(read('examples/todos-file-sink.json')).config;
  expect(sink.topics).toBe(`${source['database.server.name']}.${source['table.whitelist']}`);
});
