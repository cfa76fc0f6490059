/** A command in the foreground of a terminal: it leads a process group, and Ctrl-C reaches all of the group. */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readdirSync, readlinkSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '../../helpers/wait-for';
import { textOf, type Installation } from './installation';

export class ForegroundCommand {
  private readonly file: string;
  private readonly child: ChildProcess;
  private ended: { readonly status: number } | undefined;

  /** @param command a program and its arguments, run in the folder */
  constructor(
    { place, env }: Pick<Installation, 'place' | 'env'>,
    folder: string,
    [program, ...args]: readonly [string, ...string[]],
  ) {
    this.file = join(mkdtempSync(join(place, 'log-')), 'log');
    const output = openSync(this.file, 'w');
    this.child = spawn(program, args, { cwd: folder, env, stdio: ['ignore', output, output], detached: true });
    closeSync(output);
    this.child.once('exit', (code, signal) => (this.ended = { status: code ?? 128 + constants.signals[signal!] }));
  }

  /** The leader's. */
  get pid(): number {
    return this.child.pid!;
  }

  /** Output and errors so far. */
  log(): string {
    return textOf(this.file);
  }

  /** Waits until the output matches. Throws at once if the command exits. */
  async prints(pattern: RegExp): Promise<RegExpExecArray> {
    const probe = () => {
      const found = pattern.exec(this.log());
      if (!found && this.ended) throw new Error(`the command exited before it printed ${pattern}:\n${this.log()}`);
      return found;
    };
    return await waitFor(`the command to print ${pattern}`, probe, { detail: () => this.log().slice(-4000) });
  }

  /** Sends SIGINT to the group. */
  pressCtrlC(): void {
    process.kill(-this.pid, 'SIGINT');
  }

  /** The leader's exit code; after a signal 128 and its number, as a shell shows it. */
  async exitStatus(): Promise<number> {
    const detail = () => this.log().slice(-4000);
    return (await waitFor('the command to exit', () => this.ended, { timeoutMs: 60_000, detail })).status;
  }

  /** Ends what is left of the group, after a test that failed. */
  kill(): void {
    try {
      process.kill(-this.pid, 'SIGKILL');
    } catch {
      // All of it has ended.
    }
  }
}

/** Command lines of the processes that work in a folder or name it. */
export function processesOf(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({ place: placeOf(pid), command: textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim() }))
    .filter(({ place, command }) => `${place}/`.startsWith(`${folder}/`) || command.includes(folder))
    .map(({ command }) => command);
}

function placeOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    // It has just ended.
    return '';
  }
}
