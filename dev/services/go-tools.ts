/** Programs and files from Go modules. */
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Null if Go runs, otherwise a sentence that says how to install it. */
export function whyNoGo(): string | null {
  return spawnSync('go', ['version']).status === 0
    ? null
    : 'Go does not run on this machine: install it (Debian: apt-get install golang-go).';
}

/** Builds a program into a folder. `path` is of its package, in the module of that version. */
export async function goInstall(path: string, version: string, folder: string): Promise<void> {
  await run('go', ['install', `${path}@${version}`], { env: { ...process.env, GOBIN: folder } });
}

/** Builds the program of a folder with `go.mod` and `go.sum`. */
export async function goBuild(folder: string, program: string): Promise<void> {
  await run('go', ['build', '-trimpath', '-o', program, '.'], { cwd: folder });
}

/** Downloads a module, verified by Go, and resolves with its folder in Go's cache. */
export async function goModule(path: string, version: string): Promise<string> {
  const { stdout } = await run('go', ['mod', 'download', '-json', `${path}@${version}`]);
  return (JSON.parse(stdout) as { Dir: string }).Dir;
}
