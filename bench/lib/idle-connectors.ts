import type { StartedWorker } from '../../dev/services/worker';

/** Registers sources of `dev/plugins` with one idle task each, and waits until they run. */
export async function addIdleConnectors(worker: StartedWorker, count: number): Promise<void> {
  const config = { 'connector.class': 'dev.IdleSourceConnector', tasks: '1', 'tasks.max': '1' };
  for (let i = 0; i < count; i++) await worker.register({ name: `c${i}`, config });
  for (let i = 0; i < count; i++) await worker.running(`c${i}`);
}
