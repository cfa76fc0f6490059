/**
 * Runs a process of an image as an engine would with a read-only root file system: its files cannot be changed, its
 * user is not root, its working directory is the volume, and it is process 1 where this machine allows PID namespaces.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeptProcess } from '../services/kept-process';
import { waitFor } from '../services/wait-for';
import { inFolder } from './build-steps';
import type { ImageConfig } from './dockerfile';

const NOBODY = '65534';
const AS_NOBODY = ['setpriv', '--reuid', NOBODY, '--regid', NOBODY, '--clear-groups'];
const AS_PROCESS_1 = ['unshare', '--fork', '--pid', '--mount-proc', '--kill-child'];

const isRoot = process.getuid?.() === 0;
/** Whether the process is process 1, for which the kernel ignores signals without a handler. */
export const isProcess1 = isRoot && spawnSync('unshare', [...AS_PROCESS_1.slice(1), 'true']).status === 0;

export class ImageProcess {
  private readonly kept: KeptProcess;

  /**
   * @param root folder of the image
   * @param args arguments of the entrypoint
   */
  constructor(root: string, config: ImageConfig, args: readonly string[], env: Readonly<Record<string, string>>) {
    const paths = (texts: readonly string[]) => texts.map((text) => inFolder(text, root));
    const command = [
      ...(isProcess1 ? AS_PROCESS_1 : []),
      ...(isRoot ? AS_NOBODY : []),
      ...['/bin/sh', '-c', 'cd "$0" && exec "$@"', ...paths([config.workdir])],
      ...paths([...config.entrypoint, ...args]),
    ];
    this.kept = new KeptProcess({
      command: command[0] as string,
      args: command.slice(1),
      folder: mkdtempSync(join(tmpdir(), 'millrace-image-')),
      signal: 'TERM',
      env: { PATH: process.env.PATH, NODE_ENV: config.env.NODE_ENV, HOME: '/nonexistent', ...env },
    });
  }

  log(): string {
    return this.kept.log();
  }

  get exitCode(): number | undefined {
    return this.kept.exitCode;
  }

  /** Resolves with the exit code. */
  async exit(): Promise<number> {
    await waitFor('the process to exit', () => this.exitCode !== undefined, {
      timeoutMs: 60_000,
      detail: () => this.log().slice(-4000),
    });
    return this.exitCode as number;
  }

  /** Sends SIGTERM as `docker stop` does, and resolves with the exit code. */
  async terminate(): Promise<number> {
    const pid = this.kept.pid as number;
    process.kill(isProcess1 ? onlyChild(pid) : pid, 'SIGTERM');
    return await this.exit();
  }

  async remove(): Promise<void> {
    await this.kept.stop();
  }
}

function onlyChild(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());
}
