/** Reads Jest's `--json` results, and combines those of files that ran twice. */

export interface Failure {
  /** The test's full name, or `(the file)` if the file itself could not be run. */
  readonly test: string;
  readonly output: string;
}

export interface FileResult {
  /** Absolute path, as in Jest's results. */
  readonly file: string;
  readonly seconds: number;
  readonly passed: number;
  readonly failures: readonly Failure[];
  readonly skipped: readonly string[];
}

export interface Outcome {
  readonly passed: number;
  readonly failed: number;
  /** Failures of the first run in files that passed when run again, alone. */
  readonly flakes: readonly (Failure & { readonly file: string })[];
  /** Files that failed twice. */
  readonly broken: readonly string[];
}

interface JestFile {
  name: string;
  status: string;
  message: string;
  startTime: number;
  endTime: number;
  assertionResults: { fullName: string; status: string; failureMessages: string[] | null }[];
}

/** @param json the text of Jest's `--outputFile` */
export function readResults(json: string): { readonly results: FileResult[]; readonly success: boolean } {
  const { testResults, success } = JSON.parse(json) as { testResults: JestFile[]; success: boolean };
  return { results: testResults.map(fileResult), success };
}

function fileResult(result: JestFile): FileResult {
  const named = (status: string) => result.assertionResults.filter((test) => test.status === status);
  const failures = named('failed').map(({ fullName, failureMessages }) => ({
    test: fullName,
    output: (failureMessages ?? []).join('\n'),
  }));
  // A file that does not load, or whose hooks fail, has no failed test.
  if (result.status === 'failed' && failures.length === 0)
    failures.push({ test: '(the file)', output: result.message });
  return {
    file: result.name,
    seconds: Math.max(0, (result.endTime - result.startTime) / 1000),
    passed: named('passed').length,
    failures,
    skipped: named('pending').map(({ fullName }) => fullName),
  };
}

export const failedFiles = (results: readonly FileResult[]): string[] =>
  results.filter(({ failures }) => failures.length > 0).map(({ file }) => file);

/** The second run of a failed file counts. A file without a second run keeps its failures. */
export function judge(first: readonly FileResult[], second: readonly FileResult[]): Outcome {
  const again = new Map(second.map((result) => [result.file, result]));
  const last = first.map((result) => (result.failures.length > 0 ? (again.get(result.file) ?? result) : result));
  return {
    passed: last.reduce((sum, { passed }) => sum + passed, 0),
    failed: last.reduce((sum, { failures }) => sum + failures.length, 0),
    flakes: first
      .filter((_, i) => last[i]?.failures.length === 0)
      .flatMap(({ file, failures }) => failures.map((failure) => ({ file, ...failure }))),
    broken: failedFiles(last),
  };
}

export const slowest = (results: readonly FileResult[], count: number): FileResult[] =>
  [...results].sort((a, b) => b.seconds - a.seconds).slice(0, count);
