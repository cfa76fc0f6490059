/** Which tests `.ci/run` runs on which version of Node.js. */
import type { NodeVersion } from '../services/node-versions';
import type { TestRun } from './run-tests';

/** Installs the packages and runs `npx millrace dev --seed`. */
const STRANGER = 'test/integration/install/stranger.test.ts';
/** End-to-end tests of a worker, for release lines on which no other run starts one. */
const END_TO_END = [
  'test/integration/end-to-end/bad-input.test.ts',
  'test/integration/end-to-end/foreign-clients.test.ts',
  'test/integration/install/installed.test.ts',
  STRANGER,
];
/** Covers what a Node.js version can break besides the language: native packages, zstd, TLS and HTTP. */
export const SMOKE_TESTS = [
  ...['test/kafka/records/record-batch.test.ts', 'test/record-codecs/zstd.test.ts', 'test/rest/http/https.test.ts'],
  ...END_TO_END,
];

const JEST = ['npm', 'run', 'jest', '--', '--ci'];
const on = (...projects: string[]) => [...JEST, '--selectProjects', ...projects];
const alone = (...projects: string[]) => [...JEST, '--runInBand', '--selectProjects', ...projects, '--runTestsByPath'];

const smoke = (title: string, files: readonly string[]) => ({
  title,
  command: [...JEST, '--runTestsByPath', ...files],
  again: [...JEST, '--runInBand', '--runTestsByPath'],
});

interface Plan extends TestRun {
  /** Major version of Node.js. */
  readonly line: string;
}

/** The longest runs use LTS lines. The oldest and the newest line run the unit and smoke tests. */
const PLAN: readonly Plan[] = [
  { line: '20', title: 'unit tests', command: on('unit'), again: alone('unit') },
  {
    line: '24',
    title: 'tests with services, on the embedded broker',
    command: on('services', 'redis'),
    again: alone('services', 'redis'),
  },
  {
    line: '22',
    title: 'tests with services, on Apache Kafka',
    command: on('services', 'java'),
    again: alone('services', 'java'),
    env: { TEST_BROKER: 'kafka' },
  },
  { line: '20', ...smoke('end to end', END_TO_END) },
  // The tests on Apache Kafka do not include those of `millrace dev`.
  { line: '22', ...smoke('installation', [STRANGER]) },
  { line: '26', ...smoke('smoke tests', SMOKE_TESTS) },
];

/** The release lines that CI runs tests on. */
export const LINES: ReadonlySet<string> = new Set(PLAN.map(({ line }) => line));

/** @param versions tests of a missing line run on this process's Node.js, and the title names it */
export function testRuns(versions: ReadonlyMap<string, NodeVersion>): TestRun[] {
  return PLAN.map(({ line, title, env, ...run }) => {
    const node = versions.get(line);
    return {
      ...run,
      title: `${title}, Node ${node ? node.version : `${process.version} (in place of ${line})`}`,
      env: { ...node?.env, ...env },
    };
  });
}
