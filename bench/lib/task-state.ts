import type { RunningWorker } from '../../dev/services/worker';

/** State of the connector's first task, from any worker that answers. */
export async function taskState(workers: readonly RunningWorker[], connector: string): Promise<string> {
  for (const worker of workers) {
    const status = await worker.status(connector).catch(() => null);
    if (status !== null) return status.tasks[0]?.state ?? 'without a task';
  }
  return 'unknown';
}
