/** Text checks of the container files; `npm run check:image` runs their steps. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { imageConfig, stagesOf, type Stage } from '../../dev/images/dockerfile';
import { COMPOSE_FILES, CONTAINER_FILES, imagesIn } from '../../dev/images/pinned-images';

const ROOT = join(__dirname, '..', '..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

const stages = stagesOf(read('Dockerfile'));
const last = stages.at(-1) as Stage;
const linesOf = ({ instructions }: Stage) => instructions.map(({ name, rest }) => `${name} ${rest}`);
const stage = (name: string) => linesOf(stages.find((candidate) => candidate.name === name) as Stage);

test('the image runs millrace as a non-root user, with the arguments of docker run, and has a health check', () => {
  const { entrypoint, command, health, workdir } = imageConfig(last);
  expect(linesOf(last).filter((line) => line.startsWith('USER'))).toEqual(['USER node']);
  expect(entrypoint).toEqual(['node', '/app/dist/main.js']);
  expect(command).toEqual(['start', '/app/worker.properties']);
  expect(health.join(' ')).toContain('/health');
  expect(linesOf(last)).toContain(`VOLUME ${workdir}`);
});

test.each(['Dockerfile', 'apps/users/Dockerfile', 'apps/slash-image/Dockerfile'])(
  '%s installs dependencies from the manifests of all workspaces, before it copies sources',
  (file) => {
    const all = stagesOf(read(file));
    const named = (name: string) => linesOf(all.find((candidate) => candidate.name === name) as Stage);
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, unknown> };
    const folders = Object.keys(packages).filter((path) => path !== '' && !path.includes('node_modules'));
    const copied = named('manifests').filter((line) => line.startsWith('COPY'));
    expect(copied.sort()).toEqual(
      ['COPY package.json package-lock.json ./', ...folders.map((path) => `COPY ${path}/package.json ${path}/`)].sort(),
    );
    const build = named('build');
    expect(build.indexOf('RUN npm ci --ignore-scripts')).toBeLessThan(build.indexOf('COPY . .'));
    expect(build).toContain('COPY . .');
  },
);

test('the packages of the image are those of a stage without sources and development packages', () => {
  expect(stage('production').filter((line) => line.startsWith('COPY'))).toEqual([]);
  expect(stage('production')[0]).toContain(' --omit=dev ');
  expect(linesOf(last).filter((line) => line.includes('node_modules'))).toEqual([
    'COPY --from=production /app/node_modules /app/node_modules',
  ]);
});

test('the labels name the version of the package, and what the build arguments say', () => {
  const { version, license, description } = JSON.parse(read('package.json')) as Record<string, string>;
  const buildArgs = { REVISION: 'abc', CREATED: '2026-01-02T03:04:05Z', SOURCE: 'https://git.example/millrace' };
  expect(imageConfig(last, { buildArgs }).labels).toEqual({
    'org.opencontainers.image.title': 'Millrace',
    'org.opencontainers.image.description': description,
    'org.opencontainers.image.licenses': license,
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.source': buildArgs.SOURCE,
    'org.opencontainers.image.revision': 'abc',
    'org.opencontainers.image.created': buildArgs.CREATED,
  });
});

test('settings of an image: variables are replaced, comments and continued lines are understood', () => {
  const [stage] = stagesOf(
    '# a\nFROM node:1 AS x\nENV A=1 PATH=/b:$PATH\nARG V=2\nLABEL a="$A" \\\n  # no\n  v="${V}"\n',
  );
  expect(imageConfig(stage as Stage, { baseEnv: { PATH: '/bin' } })).toMatchObject({
    env: { A: '1', PATH: '/b:/bin' },
    labels: { a: '1', v: '2' },
  });
  expect(stage).toMatchObject({ name: 'x', base: 'node:1' });
});

test('the shell form of an entrypoint is refused', () => {
  expect(() => imageConfig(stagesOf('FROM a\nENTRYPOINT node main.js')[0] as Stage)).toThrow('exec form');
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
  const stages = [...read(file).matchAll(/^FROM .* AS (\S+)$/gm)].map(([, name]) => name);
  const named = [...read(file).matchAll(/^(?:FROM| *image:) +(\S+)/gm)].filter(([, name]) => !stages.includes(name));
  expect(named).toHaveLength(images.length);
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
  expect(sink.topics).toBe(`${source['topic.prefix']}.${source['table.include.list']}`);
});
