/**
 * `node -r ./dev/register.js dev/ci/main.ts FILE`: the tests of `.ci/run`, as the README runs them, on the embedded broker and
 * on Apache Kafka. Writes "PASSED FAILED" to the file.
 */
import { writeFileSync } from 'node:fs';
import { ROOT } from '../services/paths';
import { runTests } from './run-tests';

const alone = (...projects: string[]) => [
  ...['npm', 'run', 'jest', '--', '--ci', '--runInBand', '--selectProjects', ...projects],
  '--runTestsByPath',
];

const { passed, failed, lines } = runTests(
  [
    {
      title: 'tests on the embedded broker',
      command: ['npm', 'test', '--'],
      again: alone('unit', 'services', 'redis'),
    },
    {
      title: 'tests on Apache Kafka',
      command: ['npm', 'run', 'test:kafka', '--'],
      again: alone('services', 'java'),
      env: { TEST_BROKER: 'kafka' },
    },
  ],
  ROOT,
);
for (const line of lines) console.log(line);
writeFileSync(process.argv[2] as string, `${passed} ${failed}\n`);
process.exitCode = failed === 0 ? 0 : 1;
