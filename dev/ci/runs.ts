/** Which tests `.ci/run` runs on which version of Node.js. */
import type { NodeVersion } from '../services/node-versions';
import type { TestRun } from './run-tests';

/**
 * What a version of Node.js can break beside the language: native packages, TLS, HTTP and threads, and a worker from
 * end to end. For lines on which not everything runs.
 */
export const SMOKE_TESTS = [
  'test/kafka/record-batch.test.ts',
  'test/rest/https.test.ts',
  'test/integration/end-to-end/bad-input.test.ts',
  'test/integration/end-to-end/foreign-clients.test.ts',
  'test/integration/rest/https.test.ts',
];

const JEST = ['npm', 'run', 'jest', '--', '--ci'];
const on = (...projects: string[]) => [...JEST, '--selectProjects', ...projects];
const alone = (...projects: string[]) => [...JEST, '--runInBand', '--selectProjects', ...projects, '--runTestsByPath'];

interface Plan extends TestRun {
  /** Of Node.js. */
  readonly line: string;
}

/** What takes longest runs on the lines with long-term support; the oldest and the newest show that they work. */
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
  ...['20', '26'].map((line) => ({
    line,
    title: 'smoke tests',
    command: [...JEST, '--runTestsByPath', ...SMOKE_TESTS],
    again: [...JEST, '--runInBand', '--runTestsByPath'],
  })),
];

/** The lines that CI runs tests on. */
export const LINES: ReadonlySet<string> = new Set(PLAN.map(({ line }) => line));

/** @param versions where a line is missing, its tests run on the Node.js of this process, and the title says so */
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
