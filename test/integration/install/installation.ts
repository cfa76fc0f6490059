/** The packed packages, installed into a folder outside the repository. Requires npm's cache or its registry. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { removeSync } from 'fs-extra';
import { packPackages } from '../../../dev/packages/pack-packages';
import { KeptProcess } from '../../../dev/services/kept-process';
import { withoutNpmVariables } from '../../../dev/services/npm-environment';
import { waitFor } from '../../helpers/wait-for';

const TIMEOUT_MS = 120_000;
const run = promisify(execFile);

/** Like a user's shell: without the variables of the `npm run` that the tests run in, and without the tests' broker. */
const { BOOTSTRAP_SERVERS: _, ...env } = withoutNpmVariables(process.env);

/** Runs a program to its end, within two minutes. */
export async function execute(command: string, args: readonly string[], cwd: string, more: NodeJS.ProcessEnv = {}) {
  return await run(command, args, { cwd, env: { ...env, ...more }, timeout: TIMEOUT_MS, maxBuffer: 1 << 24 });
}

/** Waits for something that the process brings about; throws at once if it exits. */
export async function waitForProcess<T>(what: string, { process, probe }: { process: KeptProcess; probe: () => T }) {
  const detail = () => process.log().slice(-4000);
  return await waitFor(
    what,
    () => {
      if (process.exitCode !== undefined) throw new Error(`the process exited before ${what}:\n${detail()}`);
      return probe();
    },
    { timeoutMs: TIMEOUT_MS, detail },
  );
}

export class Installation {
  readonly place = mkdtempSync(join(tmpdir(), 'millrace-install-'));
  readonly env: NodeJS.ProcessEnv = env;
  /** Where the packages are installed. */
  readonly folder = join(this.place, 'app');
  /** One of each package that a worker needs. */
  tarballs: readonly string[] = [];
  private readonly processes: KeptProcess[] = [];

  /** @param javaHost only those who have jars install it */
  static async create({ javaHost = false } = {}): Promise<Installation> {
    const installation = new Installation();
    mkdirSync(installation.folder);
    const tarballs = await packPackages(join(installation.place, 'tarballs'));
    installation.tarballs = javaHost
      ? tarballs
      : tarballs.filter((tarball) => !basename(tarball).startsWith('millrace-java-host-'));
    await installation.install(installation.folder, installation.tarballs);
    return installation;
  }

  /** The arguments may be options of npm, too. */
  async install(folder: string, args: readonly string[]): Promise<string> {
    const options = ['--prefer-offline', '--no-audit', '--no-fund'];
    const { stderr } = await execute('npm', ['install', ...options, ...args], folder);
    return stderr;
  }

  /** A program in a folder, stopped by SIGTERM at the latest when this is removed. */
  start(command: string, args: readonly string[], folder = this.folder, more: NodeJS.ProcessEnv = {}): KeptProcess {
    const started = new KeptProcess({
      command: '/bin/sh',
      args: ['-c', 'cd "$1" && shift && exec "$@"', 'sh', folder, command, ...args],
      folder: mkdtempSync(join(this.place, 'log-')),
      signal: 'TERM',
      env: { ...env, ...more },
    });
    this.processes.push(started);
    return started;
  }

  async remove(): Promise<void> {
    for (const started of this.processes.splice(0)) await started.stop();
    removeSync(this.place);
  }
}

export function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
