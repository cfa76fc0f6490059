/** Threads for tasks and other plugin code. Millrace only; `task.isolation` and `task.memory.mb` are a connector's. */
import type { ConnectorConfig } from '@millrace/sdk';

export const TASK_HOST = 'task.host';
export const TASK_THREADS = 'task.threads';
export const PLUGIN_SILENCE = 'plugin.thread.silence.ms';
export const PLUGIN_WATCH = 'plugin.watch';
export const TASK_ISOLATION = 'task.isolation';
export const TASK_MEMORY = 'task.memory.mb';

/** Values of `task.isolation`. */
export const SHARED = 'shared';
export const DEDICATED = 'dedicated';

/** Heap limit of a task in MiB. Null: none, or not a positive number. */
export function taskMemoryMb(connector: ConnectorConfig): number | null {
  const memory = Number(connector[TASK_MEMORY]?.trim() || NaN);
  return Number.isFinite(memory) && memory > 0 ? memory : null;
}

/** Whether each task of the connector has its own thread. A heap limit implies one. */
export function hasDedicatedThreads(connector: ConnectorConfig): boolean {
  return taskMemoryMb(connector) !== null || connector[TASK_ISOLATION]?.trim() === DEDICATED;
}
