/** CI runs tests on every supported line of Node.js, and reports which run used which. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestRun } from '../../dev/ci/run-tests';
import { LINES, SMOKE_TESTS, testRuns } from '../../dev/ci/runs';
import { testedLines, type NodeVersion } from '../../dev/services/node-versions';
import { ROOT } from '../../dev/services/paths';

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const manifest = JSON.parse(read('dev/node-versions/package.json')) as { optionalDependencies: Record<string, string> };
const version = (line: string): NodeVersion => ({ line, version: `v${line}.1.2`, env: { PATH: `/node-${line}/bin` } });

test('tests run on each fetched Node.js line, including the oldest one that package.json allows', async () => {
  const lines = await testedLines();
  expect([...LINES].sort()).toEqual(lines);
  expect(JSON.parse(read('package.json')).engines.node).toBe(`>=${lines[0]}`);
  for (const line of lines) expect(read('CONTRIBUTING.md')).toContain(line);
});

test('a run prints its Node.js version, and finds it first on the path', async () => {
  const runs = testRuns(new Map([...LINES].map((line) => [line, version(line)])));
  for (const { title, env } of runs) {
    const line = /, Node v(\d+)\.1\.2$/.exec(title)?.[1];
    expect(env?.PATH).toBe(`/node-${line}/bin`);
  }
  expect(runs.find(({ title }) => title.includes('Apache Kafka'))?.env).toMatchObject({ TEST_BROKER: 'kafka' });
});

test('where a line is not available, its run prints which one it used instead', () => {
  const [first] = testRuns(new Map());
  expect(first?.title).toMatch(new RegExp(`Node ${process.version} \\(in place of \\d+\\)$`));
  expect(first?.env).not.toHaveProperty('PATH');
});

test('every project of Jest has its run, and the smoke tests exist', () => {
  const commands = testRuns(new Map()).flatMap(({ command }) => command);
  const { projects } = jest.requireActual<{ projects: { displayName: string }[] }>('../../jest.config.js');
  for (const { displayName } of projects) expect(commands).toContain(displayName);
  expect(SMOKE_TESTS.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
});

test('on every line, the packages are installed and `npx millrace dev --seed` runs', () => {
  const runsStranger = ({ command, env }: TestRun) =>
    command.includes('test/integration/install/stranger.test.ts') ||
    // On Apache Kafka, test/integration/install does not run.
    (command.includes('services') && env?.TEST_BROKER !== 'kafka');
  const titles = testRuns(new Map([...LINES].map((line) => [line, version(line)])))
    .filter(runsStranger)
    .map(({ title }) => title);
  for (const line of LINES) expect(titles).toContainEqual(expect.stringContaining(`, Node v${line}.`));
});

test('each version of Node.js is pinned, for the same platforms, by a hash and without a registry', () => {
  const lock = JSON.parse(read('dev/node-versions/package-lock.json')) as {
    packages: Record<string, { integrity?: string; resolved?: string; version?: string }>;
  };
  const { '': root, ...entries } = lock.packages;
  expect(root).toMatchObject({ optionalDependencies: manifest.optionalDependencies });
  expect(Object.keys(entries)).toEqual(
    Object.keys(manifest.optionalDependencies).map((name) => `node_modules/${name}`),
  );
  for (const [place, { integrity, resolved, version: fixed }] of Object.entries(entries)) {
    expect(integrity).toMatch(/^sha512-[\w+/]{86}==$/);
    expect(resolved).toBeUndefined();
    const [, line, platform] = /node-(\d+)-(.*)$/.exec(place) as unknown as string[];
    expect(fixed).toMatch(new RegExp(`^${line}\\.`));
    expect(manifest.optionalDependencies[`node-${line}-${platform}`]).toBe(`npm:node-${platform}@${fixed}`);
  }
});
