/** A worker with little memory whose main thread is watched: see `loop-monitor.js`. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker, type StartedWorker, type WorkerOptions } from '../../dev/services/worker';
import { waitFor } from './wait-for';

export interface Period {
  /** The longest turns of the main thread's event loop, the longest first. */
  readonly turns: readonly { readonly ms: number; readonly at: string }[];
  /** After a garbage collection. */
  readonly rssMib: number;
  readonly heapMib: number;
  readonly externalMib: number;
  /** Of all other threads together, after a garbage collection in each. */
  readonly threadHeapsMib: number;
}

export interface MonitoredWorker {
  readonly worker: StartedWorker;
  /** Ends a period and resolves to it; the first one starts with the process. */
  period(): Promise<Period>;
  /** CPU share: `wall` is meaningless on a busy machine. */
  source(): string;
  stop(): Promise<void>;
}

const HEAP_MB = 512;

export async function startMonitoredWorker(options: WorkerOptions): Promise<MonitoredWorker> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-monitor-'));
  const file = join(folder, 'periods.json');
  const monitor = join(__dirname, 'loop-monitor.js');
  const worker = await startWorker({
    ...options,
    nodeFlags: [`--max-old-space-size=${HEAP_MB}`, '--expose-gc', '--require', monitor, ...(options.nodeFlags ?? [])],
    env: { ...options.env, LOOP_MONITOR_FILE: file },
  });
  await worker.ready();
  let source = '';
  let count = 0;
  return {
    worker,
    async period() {
      process.kill(worker.pid, 'SIGUSR2');
      const wanted = ++count;
      return await waitFor('the monitor to answer', () => {
        if (worker.process.exitCode !== undefined) throw new Error(`the worker has ended:\n${worker.process.log()}`);
        if (!existsSync(file)) return null;
        const said = JSON.parse(readFileSync(file, 'utf8')) as { source: string; collects: boolean; periods: Period[] };
        if (!said.collects) throw new Error('the worker was started without --expose-gc');
        source = said.source;
        return said.periods[wanted - 1] ?? null;
      });
    },
    source: () => source,
    async stop() {
      await worker.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
