/** A program on a real terminal, by util-linux's `script`. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { waitFor } from './wait-for';

/** False where `script` is missing or another program, as on macOS. */
export const hasTerminals = /util-linux/.test(String(spawnSync('script', ['--version']).stdout ?? ''));

export class Terminal {
  shown = '';
  private readonly child: ChildProcess;
  private readonly ended: Promise<number | null>;

  /** @param command a line for sh */
  constructor(command: string, env: NodeJS.ProcessEnv = process.env) {
    this.child = spawn('script', ['-qfec', command, '/dev/null'], { stdio: ['pipe', 'pipe', 'ignore'], env });
    this.child.stdout?.on('data', (part) => (this.shown += String(part)));
    this.ended = new Promise((resolve) => this.child.once('close', resolve));
  }

  async shows(text: string): Promise<void> {
    await waitFor(`the terminal to show ${JSON.stringify(text)}`, () => this.shown.includes(text), {
      detail: () => this.shown,
    });
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
