/**
 * The stop-watch of a new user: from `git clone` to the first event that the console shows, with the commands of the
 * README. `npm run bench -- first-run [URL]` (Default: the last commit of this repository). Needs git, a registry or
 * npm's cache, and Chromium.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { CHROMIUM_FLAGS, chromiumProgram, installChromium } from '../dev/services/chromium';
import { withoutNpmVariables } from '../dev/services/npm-environment';
import { ROOT } from '../dev/services/paths';
import { benchmark, figure, heading } from './lib/report';

const source = process.argv[2] ?? ROOT;
const { BOOTSTRAP_SERVERS: _, ...env } = withoutNpmVariables(process.env);

benchmark(async (atEnd) => {
  const missing = installChromium();
  if (missing !== null) throw new Error(missing);
  const folder = mkdtempSync(join(tmpdir(), 'millrace-first-run-'));
  atEnd(async () => rmSync(folder, { recursive: true, force: true }));
  const clone = join(folder, 'millrace');
  const began = performance.now();
  const reached = (what: string, aim = ''): void =>
    figure(what, `${((performance.now() - began) / 1000).toFixed(1)} s`, aim);

  heading('From git clone to the first event in the console; seconds since the start');
  // Without hard links to the objects of this repository, as from a server.
  runToEnd('git', ['clone', '--quiet', '--no-local', source, clone], folder);
  reached('cloned');
  runToEnd('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], clone);
  reached('npm ci');

  const demo = spawn('npm', ['run', 'demo', '--', '--keep'], { cwd: clone, env, detached: true, stdio: 'pipe' });
  const ended = new Promise<void>((resolve) => demo.once('exit', () => resolve()));
  atEnd(async () => {
    // Ctrl-C reaches npm, its shell and the demo.
    if (demo.exitCode === null) process.kill(-demo.pid!, 'SIGINT');
    await ended;
  });
  demo.stderr.pipe(process.stderr);
  const page = await consolePage(demo.stdout, (line) => {
    if (line === 'Built.') reached('built');
    if (line.includes('in full: ')) reached('first event in the terminal');
  });
  // The reader has paused it.
  demo.stdout.resume();
  reached('address of the console');

  const browser = await chromium.launch({ executablePath: chromiumProgram(), args: [...CHROMIUM_FLAGS] });
  atEnd(() => browser.close());
  const tab = await browser.newPage();
  await tab.goto(`${page}/#/connectors/todos-source?tab=topics`);
  await tab
    .getByText(/\.public\.todos$/)
    .first()
    .waitFor();
  reached('topic of the first event in the console', '≤ 180 s');
});

/** Resolves with the console's address once the demo has printed it; rejects if it ends before. */
async function consolePage(stdout: NodeJS.ReadableStream, onLine: (line: string) => void): Promise<string> {
  const lines: string[] = [];
  for await (const line of createInterface({ input: stdout })) {
    lines.push(line);
    onLine(line);
    const page = /^ {2}Console: +(\S+)/.exec(line)?.[1];
    if (page !== undefined) return page;
  }
  throw new Error(`The demo ended before it printed the address of the console:\n${lines.slice(-30).join('\n')}`);
}

function runToEnd(program: string, args: readonly string[], cwd: string): void {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}${stderr}`);
}
