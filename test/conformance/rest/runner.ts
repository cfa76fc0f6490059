/** Runs the black-box cases of this folder against a worker, in a separate process. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../../dev/services/paths';

export interface CaseResult {
  /** From the repository's root. */
  readonly file: string;
  readonly title: string;
  readonly state: 'passed' | 'failed' | 'left out';
  /** Why it failed. */
  readonly message: string;
}

export interface CasesOptions {
  /** Base URL of the worker. */
  readonly url: string;
  /** Another worker of its group; without one the cases between workers are skipped. */
  readonly url2?: string;
  /** (Default: `millrace`) */
  readonly target?: 'millrace' | 'java';
  /** The worker was started with `HEADER_SETTINGS`. */
  readonly headers: boolean;
}

interface JestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly title: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** In sequence, since all use the same worker. */
export async function runCases({ url, url2, target = 'millrace', headers }: CasesOptions): Promise<CaseResult[]> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-cases-'));
  const report = join(folder, 'report.json');
  try {
    const env: NodeJS.ProcessEnv = { ...process.env, CONFORMANCE_URL: url, CONFORMANCE_TARGET: target };
    if (url2 !== undefined) env.CONFORMANCE_URL_2 = url2;
    if (headers) env.CONFORMANCE_HEADERS = '1';
    const jest = join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js');
    const args = ['--experimental-vm-modules', jest, 'test/conformance/rest/', '--selectProjects', 'unit'];
    const output = await new Promise<string>((resolve, reject) => {
      const child = spawn(process.execPath, [...args, '--runInBand', '--ci', '--json', `--outputFile=${report}`], {
        cwd: ROOT,
        env,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let text = '';
      child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
      child.on('error', reject);
      // The report shows the failures.
      child.on('close', () => resolve(text));
    });
    const json = await readFile(report, 'utf8').catch((cause: unknown) => {
      throw new Error(`The cases did not run: ${output.slice(-3000)}`, { cause });
    });
    return (JSON.parse(json) as JestReport).testResults.flatMap(results);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const STATES: Readonly<Record<string, CaseResult['state']>> = { passed: 'passed', failed: 'failed' };

function results({ name, message, assertionResults }: JestReport['testResults'][number]): CaseResult[] {
  const file = name.slice(ROOT.length + 1);
  if (assertionResults.length === 0) return [{ file, title: file, state: 'failed', message }];
  return assertionResults.map(({ title, status, failureMessages }) => ({
    file,
    title,
    state: STATES[status] ?? 'left out',
    message: failureMessages.join('\n'),
  }));
}
