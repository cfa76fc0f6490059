/**
 * Sums up Jest's results in the files that the arguments name. Prints "PASSED FAILED", and what was skipped on stderr. A file
 * that is not there, a run in which nothing ran and a test file that could not be run at all count as one failure each.
 */
const { existsSync, readFileSync } = require('node:fs');
const { basename } = require('node:path');

let passed = 0;
let failed = 0;
for (const file of process.argv.slice(2)) {
  if (!existsSync(file)) {
    failed++;
    continue;
  }
  const run = JSON.parse(readFileSync(file, 'utf8'));
  const broken = run.numFailedTests + run.numRuntimeErrorTestSuites;
  const nothingRan = run.numPassedTests + broken === 0 || (!run.success && broken === 0);
  passed += run.numPassedTests;
  failed += broken + (nothingRan ? 1 : 0);

  const skipped = run.testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'pending').map(({ fullName }) => fullName),
  );
  if (skipped.length > 0) {
    const lines = skipped.map((name) => `   ${name}\n`).join('');
    process.stderr.write(`== WARNING: ${skipped.length} skipped in the run ${basename(file)}:\n${lines}`);
  }
}
console.log(`${passed} ${failed}`);
