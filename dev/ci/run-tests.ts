/** Runs the tests, then each failed file once more, alone, and reports which failures are flaky. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { removeSync } from 'fs-extra';
import { failedFiles, judge, readResults, slowest, type FileResult } from './test-results';

export interface TestRun {
  readonly title: string;
  /** Commands. Both accept further Jest arguments at the end. */
  readonly command: readonly string[];
  /** Runs one test file alone; its path is appended. */
  readonly again: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

export interface TestReport {
  readonly passed: number;
  readonly failed: number;
  readonly lines: readonly string[];
}

const SLOWEST = 10;
/** More failed files than this are not considered flaky and not run again. */
const MOST_AGAIN = 10;

interface Finished {
  readonly results: readonly FileResult[];
  /** Jest may report a failed run although no test failed. */
  readonly success: boolean;
}

/** Null if Jest exited before it ran tests. Its output goes to this process's streams. */
function jest(run: TestRun, command: readonly string[], cwd: string): Finished | null {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-ci-'));
  try {
    const outputFile = join(folder, 'results.json');
    const [program, ...args] = command as [string, ...string[]];
    console.log(`== ${run.title}: ${command.join(' ')}`);
    spawnSync(program, [...args, '--json', `--outputFile=${outputFile}`], {
      cwd,
      env: { ...process.env, ...run.env },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const finished = existsSync(outputFile) ? readResults(readFileSync(outputFile, 'utf8')) : null;
    return finished && finished.results.length > 0 ? finished : null;
  } finally {
    removeSync(folder);
  }
}

const indented = (text: string) => text.replace(/^/gm, '     ');

/** One run, then its failed files again. A run that exits before its tests (e.g. no broker) is repeated once. */
function report(run: TestRun, cwd: string): TestReport {
  const begun = Date.now();
  const lines: string[] = [];
  let first = jest(run, run.command, cwd);
  if (first === null) {
    first = jest(run, run.command, cwd);
    if (first === null) return { passed: 0, failed: 1, lines: [`FAILED: ${run.title}: exited twice before its tests`] };
    lines.push(`FLAKY: ${run.title}: the first attempt exited before its tests`);
  }
  const { results, success } = first;
  const failed = failedFiles(results);
  const again = failed.length > MOST_AGAIN ? [] : failed;
  const second = again.flatMap((file) => jest(run, [...run.again, file], cwd)?.results ?? []);
  const outcome = judge(results, second);

  for (const { file, test, output } of outcome.flakes)
    lines.push(`FLAKY: ${relative(cwd, file)}: ${test}`, indented(output));
  for (const file of outcome.broken) lines.push(`FAILED: ${relative(cwd, file)}`);
  const unexplained = !success && failed.length === 0;
  if (unexplained) lines.push(`FAILED: ${run.title}: Jest reports a failed run but no failed test`);
  const skipped = results.flatMap((result) => result.skipped);
  if (skipped.length > 0) lines.push(`WARNING: ${skipped.length} skipped:`, ...skipped.map(indented));
  lines.push(`TIME: ${run.title}: ${Math.round((Date.now() - begun) / 1000)} s; its slowest files:`);
  for (const { file, seconds } of slowest(results, SLOWEST))
    lines.push(`     ${seconds.toFixed(1).padStart(6)} s  ${relative(cwd, file)}`);
  return { passed: outcome.passed, failed: outcome.failed + (unexplained ? 1 : 0), lines };
}

/** @param cwd working directory of the commands; reported paths are relative to it */
export function runTests(runs: readonly TestRun[], cwd: string): TestReport {
  const reports = runs.map((run) => report(run, cwd));
  return {
    passed: reports.reduce((sum, { passed }) => sum + passed, 0),
    failed: reports.reduce((sum, { failed }) => sum + failed, 0),
    lines: reports.flatMap(({ lines }) => lines),
  };
}
