/**
 * `npm run build` for the demos: names what it compiles, because a first build takes a while. With arguments it
 * compiles these projects only: `dev/demos/build.ts apps/users`.
 */
import { spawn } from 'node:child_process';
import { join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT } from '../services/paths';
import { say } from './run-demo';

/** Lines of `tsc -b --verbose` about the state of projects; others are errors. */
const STATE = /^\d{1,2}:\d{2}:\d{2}\b.* - |^ {4}\* |^\s*$/;
const BUILDING = /Building project '(.+)tsconfig\.json'/;

/** Resolves with the exit code. */
async function run(script: string, args: readonly string[], onLine: (line: string) => void): Promise<number> {
  const command = [join(ROOT, script), ...args];
  const child = spawn(process.execPath, command, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  createInterface({ input: child.stdout }).on('line', onLine);
  return await new Promise((done) => child.once('close', (code) => done(code ?? 1)));
}

async function build(projects: readonly string[]): Promise<number> {
  say('Building what has changed since the last build:');
  if (projects.length === 0) {
    say('  packages/console: the bundle for browsers');
    const code = await run('packages/console/src/bundle.js', [], say);
    if (code !== 0) return code;
  }
  let count = 0;
  const code = await run('node_modules/typescript-7/bin/tsc', ['-b', '--verbose', ...projects], (line) => {
    const project = BUILDING.exec(line)?.[1];
    if (project !== undefined) {
      count++;
      say(`  ${relative(ROOT, resolve(ROOT, project)) || 'the worker'}`);
    } else if (!STATE.test(line)) say(line);
  });
  if (code === 0 && projects.length === 0) {
    say('  dev/bundle: the bundles of a worker, and the bytecode of a start');
    const bundled = await run('dev/bundle/build.js', [], say);
    if (bundled !== 0) return bundled;
  }
  if (code === 0) say(count === 0 ? '  TypeScript: nothing' : 'Built.');
  return code;
}

void build(process.argv.slice(2)).then((code) => (process.exitCode = code));
