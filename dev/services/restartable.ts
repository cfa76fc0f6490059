/**
 * A server that can be killed and restarted with its data, as after a power failure. It cannot outlive this process.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { KeptProcess, type KeptProcessOptions } from './kept-process';
import { waitFor } from './wait-for';

export class Restartable {
  /** The last one is the running server; of the others only the keepers are left. */
  private readonly runs: KeptProcess[] = [];

  constructor(
    private readonly options: KeptProcessOptions,
    /** Resolves when the process accepts connections, rejects if it cannot start. */
    private readonly untilReady: (run: KeptProcess) => Promise<void>,
  ) {}

  /** The server's process id; undefined while it is stopped. */
  get pid(): number | undefined {
    const run = this.runs.at(-1);
    return run?.exitCode === undefined ? run?.pid : undefined;
  }

  /** Resolves when the server accepts connections. If it cannot start, everything is removed. */
  async start(): Promise<void> {
    // Files of the previous run, which its keeper no longer reads.
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

  /** Kills the server with SIGKILL and keeps its data. */
  async crash(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Restarts the server with its data after it has ended itself because of the signal. */
  async restart(signal: NodeJS.Signals): Promise<void> {
    await this.end(signal);
    await this.start();
  }

  /** Waits until the server has ended itself because of the signal. Its data is kept. */
  async end(signal: NodeJS.Signals): Promise<void> {
    const { pid } = this;
    if (pid === undefined) throw new Error('there is no process to end');
    process.kill(pid, signal);
    await waitFor('the server to be gone', () => this.runs.at(-1)?.exitCode !== undefined, { everyMs: 5 });
  }

  /** Stops the server and removes its folder. May be called twice. */
  async stop(): Promise<void> {
    for (const run of [...this.runs].reverse()) await run.stop();
  }
}
