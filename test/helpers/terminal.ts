/** A program on a real terminal, by util-linux's `script`. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { waitFor } from './wait-for';

/** False where `script` is missing or another program, as on macOS. */
export const hasTerminals = /util-linux/.test(String(spawnSync('script', ['--version']).stdout ?? ''));

export class Terminal {
  shown = '';
  private readonly child: ChildProcess;
  private readonly ended: Promise<number | null>;
  private hasEnded = false;

  /** @param command of sh, without shell operators */
  constructor(command: string, env: NodeJS.ProcessEnv = process.env) {
    // Not the user's shell: whether a shell stays around a command, and dies of its Ctrl-C, differs between them.
    this.child = spawn('script', ['-qfec', `exec ${command}`, '/dev/null'], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { ...env, SHELL: '/bin/sh' },
    });
    this.child.stdout?.on('data', (part) => (this.shown += String(part)));
    this.ended = new Promise((resolve) => this.child.once('close', resolve));
    void this.ended.then(() => (this.hasEnded = true));
  }

  async shows(text: string): Promise<void> {
    const what = `the terminal to show ${JSON.stringify(text)}`;
    const shows = (): boolean => {
      if (this.shown.includes(text)) return true;
      if (this.hasEnded) throw new Error(`the command ended while waiting for ${what}\n${this.shown}`);
      return false;
    };
    await waitFor(what, shows, { detail: () => this.shown });
  }

  type(keys: string): void {
    this.child.stdin?.write(keys);
  }

  /** The exit code of the command. */
  async exited(): Promise<number | null> {
    return await this.ended;
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }
}
