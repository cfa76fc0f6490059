/** All threads of this process. `process.exit` waits for each of them, also for one that never ends. */
import { Worker, type WorkerOptions } from 'node:worker_threads';

const running = new Map<Worker, string>();

/** @param module path of the thread's program */
export function startThread(module: string, options: WorkerOptions & { readonly name: string }): Worker {
  const thread = new Worker(module, options);
  running.set(thread, options.name);
  thread.once('exit', () => running.delete(thread));
  return thread;
}

/** Names of the threads that have not exited. */
export function runningThreads(): string[] {
  return [...running.values()];
}

/** Resolves when all threads have exited, which native code and blocking calls delay without limit. */
export async function terminateThreads(): Promise<void> {
  await Promise.all([...running.keys()].map(async (thread) => await thread.terminate()));
}
