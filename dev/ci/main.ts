/**
 * `node -r ./dev/register.js dev/ci/main.ts FILE`: the tests of `.ci/run`, on both brokers and on each supported
 * release line of Node.js. Writes the counts as "PASSED FAILED" to the file.
 */
import { writeFileSync } from 'node:fs';
import { nodeVersions } from '../services/node-versions';
import { ROOT } from '../services/paths';
import { runTests } from './run-tests';
import { testRuns } from './runs';

async function main(file: string): Promise<void> {
  const { passed, failed, lines } = runTests(testRuns(await nodeVersions()), ROOT);
  for (const line of lines) console.log(line);
  writeFileSync(file, `${passed} ${failed}\n`);
  process.exitCode = failed === 0 ? 0 : 1;
}

main(process.argv[2] as string).catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
