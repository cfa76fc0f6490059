/**
 * A server that can be killed and started again over what it left behind, as after a power cut. It cannot outlive us
 * either.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { KeptProcess, type KeptProcessOptions } from './kept-process';
import { waitFor } from './wait-for';

export class Restartable {
  /** The last one is the server; the others have ended, and only their keepers are left. */
  private readonly runs: KeptProcess[] = [];

  constructor(
    private readonly options: KeptProcessOptions,
    /** Resolves when the process serves, rejects when it cannot start. */
    private readonly untilReady: (run: KeptProcess) => Promise<void>,
  ) {}

  /** The server's process id, undefined while there is none. */
  get pid(): number | undefined {
    const run = this.runs.at(-1);
    return run?.exitCode === undefined ? run?.pid : undefined;
  }

  /** Resolves when it serves. When it cannot, nothing of it is left. */
  async start(): Promise<void> {
    // What the run before wrote about itself; its keeper reads none of it again.
    for (const file of ['pid', 'exit-code', 'log']) rmSync(join(this.options.folder, file), { force: true });
    const run = new KeptProcess(this.options);
    this.runs.push(run);
    try {
      await this.untilReady(run);
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Kills it: no goodbye to anyone, and what it has written stays. */
  async crash(): Promise<void> {
    const { pid } = this;
    if (pid === undefined) throw new Error('there is no process to kill');
    process.kill(pid, 'SIGKILL');
    await waitFor('the server to be gone', () => this.runs.at(-1)?.exitCode !== undefined, { everyMs: 5 });
  }

  /** Ends it and removes its folder. May be called twice. */
  async stop(): Promise<void> {
    for (const run of [...this.runs].reverse()) await run.stop();
  }
}
