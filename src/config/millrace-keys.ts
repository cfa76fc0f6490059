/**
 * Connector keys that only Millrace has. They are checked if a config contains them and not shown otherwise, so that a
 * client's form looks as it does with Java. Most override a worker setting of the same name.
 */
import type { ConnectorConfig } from '@millrace/sdk';
import { atLeast, limitedTo, readKey, type KeyTable } from './framework-key';
import { TASK_ACTIONS, WORKER_SETTINGS, type RestartSettings } from './worker-settings';

const ERRORS = 'Error Handling';

export const MILLRACE_KEYS = {
  restartMax: {
    name: WORKER_SETTINGS.restart.max.name,
    type: 'INT',
    default: null,
    importance: 'MEDIUM',
    documentation:
      "Maximum number of consecutive automatic restarts of a failed connector or task. 0: none, -1: no limit. Default: the worker's.",
    group: ERRORS,
    displayName: 'Automatic Restarts',
    check: atLeast(-1),
  },
  restartBackoffMs: {
    name: WORKER_SETTINGS.restart.backoffMs.name,
    type: 'LONG',
    default: null,
    importance: 'LOW',
    documentation:
      "Delay before the first automatic restart, in milliseconds. It doubles with each restart. Default: the worker's.",
    group: ERRORS,
    displayName: 'Automatic Restart Backoff',
    check: atLeast(1),
  },
  restartBackoffMaxMs: {
    name: WORKER_SETTINGS.restart.maxBackoffMs.name,
    type: 'LONG',
    default: null,
    importance: 'LOW',
    documentation:
      "Maximum delay before an automatic restart, in milliseconds. After running that long, the count starts again at zero. Default: the worker's.",
    group: ERRORS,
    displayName: 'Maximum Automatic Restart Backoff',
    check: atLeast(1),
  },
  bisect: {
    name: 'errors.bisect',
    type: 'BOOLEAN',
    default: true,
    importance: 'LOW',
    documentation:
      'When put() rejects a batch, whether parts of it are put to find the records that fail. Requires errors.tolerance=all or a dead letter queue. Sinks only.',
    group: ERRORS,
    displayName: 'Bisect Failed Batches',
  },
  watchdogTaskMs: {
    name: WORKER_SETTINGS.watchdog.taskMs.name,
    type: 'LONG',
    default: null,
    importance: 'LOW',
    documentation:
      "How long one call into a task may take before it is logged as stuck, in milliseconds. 0: no limit. Default: the worker's.",
    displayName: 'Task Watchdog',
    check: atLeast(0),
  },
  watchdogTaskAction: {
    name: WORKER_SETTINGS.watchdog.taskAction.name,
    type: 'STRING',
    default: null,
    importance: 'LOW',
    documentation:
      "What happens to a task whose call exceeds watchdog.task.ms. log: it is logged. restart: the task is ended, with its thread, and started again. Default: the worker's.",
    displayName: 'Task Watchdog Action',
    ...limitedTo(...TASK_ACTIONS),
  },
  threadSilenceMs: {
    name: WORKER_SETTINGS.watchdog.threadMs.name,
    type: 'LONG',
    default: null,
    importance: 'LOW',
    documentation:
      "How long a dedicated task thread may be unresponsive before it is terminated, in milliseconds. 0: no limit. Default: the worker's.",
    displayName: 'Task Thread Silence',
    check: atLeast(0),
  },
  isolation: {
    name: 'task.isolation',
    type: 'STRING',
    default: 'shared',
    importance: 'LOW',
    documentation: 'dedicated: each task of this connector has its own thread. shared: tasks share threads.',
    displayName: 'Task Isolation',
    ...limitedTo('shared', 'dedicated'),
  },
  memoryMb: {
    name: 'task.memory.mb',
    type: 'INT',
    default: null,
    importance: 'LOW',
    documentation: 'Heap limit of each task in MiB. Implies a dedicated thread per task.',
    displayName: 'Task Memory',
    check: atLeast(1),
  },
  jvmHeapMb: {
    name: WORKER_SETTINGS.jvm.heapMb.name,
    type: 'INT',
    default: null,
    importance: 'LOW',
    documentation:
      "Heap limit in MiB of a JVM that this connector has for itself, at most jvm.heap.max.mb of the worker. Connectors of plugins in jars only. Default: it shares the JVM of the plugin's folder.",
    displayName: 'JVM Heap',
    check: atLeast(16),
  },
} as const satisfies KeyTable;

/** Of a connector, whose keys override the worker's. */
export function restartSettings(connector: ConnectorConfig, worker: RestartSettings): RestartSettings {
  return {
    max: readKey(MILLRACE_KEYS.restartMax, connector) ?? worker.max,
    backoffMs: readKey(MILLRACE_KEYS.restartBackoffMs, connector) ?? worker.backoffMs,
    maxBackoffMs: readKey(MILLRACE_KEYS.restartBackoffMaxMs, connector) ?? worker.maxBackoffMs,
  };
}

/** Whether each task of the connector has its own thread. A heap limit implies one. */
export function hasDedicatedThreads(connector: ConnectorConfig): boolean {
  const { memoryMb, isolation } = MILLRACE_KEYS;
  return readKey(memoryMb, connector) !== null || readKey(isolation, connector) === 'dedicated';
}
