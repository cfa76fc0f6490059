/**
 * Connector keys that only Millrace has. They are checked if a config contains them and not shown otherwise, so that a
 * client's form looks as it does with Java.
 */
import { atLeast, limitedTo } from '../connector-config-checks';
import { BISECT } from '../bisect-setting';
import { RESTART_BACKOFF, RESTART_BACKOFF_MAX, RESTART_MAX } from '../restart-settings';
import { DEDICATED, SHARED, TASK_ISOLATION, TASK_MEMORY } from '../task-thread-settings';
import { TASK_ACTIONS, THREAD_SILENCE, WATCHDOG_ACTION, WATCHDOG_TASK } from '../watchdog-settings';
import { checkKey, valueOf, type Entry, type NullableConfig } from './entry';
import type { FrameworkKey } from '../framework-key';

const ERRORS = 'Error Handling';

export const MILLRACE_KEYS: readonly FrameworkKey[] = [
  {
    name: RESTART_MAX,
    type: 'INT',
    default: null,
    importance: 'MEDIUM',
    documentation:
      "Maximum number of consecutive automatic restarts of a failed connector or task. 0: none, -1: no limit. Default: the worker's.",
    group: ERRORS,
    displayName: 'Automatic Restarts',
    check: atLeast(-1),
  },
  {
    name: RESTART_BACKOFF,
    type: 'LONG',
    default: null,
    importance: 'LOW',
    documentation:
      "Delay before the first automatic restart, in milliseconds. It doubles with each restart. Default: the worker's.",
    group: ERRORS,
    displayName: 'Automatic Restart Backoff',
    check: atLeast(1),
  },
  {
    name: RESTART_BACKOFF_MAX,
    type: 'LONG',
    default: null,
    importance: 'LOW',
    documentation:
      "Maximum delay before an automatic restart, in milliseconds. After running that long, the count starts again at zero. Default: the worker's.",
    group: ERRORS,
    displayName: 'Maximum Automatic Restart Backoff',
    check: atLeast(1),
  },
  {
    name: BISECT,
    type: 'BOOLEAN',
    default: true,
    importance: 'LOW',
    documentation:
      'When put() rejects a batch, whether parts of it are put to find the records that fail. Requires errors.tolerance=all or a dead letter queue. Sinks only.',
    group: ERRORS,
    displayName: 'Bisect Failed Batches',
  },
  {
    name: WATCHDOG_TASK,
    type: 'LONG',
    default: null,
    importance: 'LOW',
    documentation:
      "How long one call into a task may take before it is logged as stuck, in milliseconds. 0: no limit. Default: the worker's.",
    displayName: 'Task Watchdog',
    check: atLeast(0),
  },
  {
    name: WATCHDOG_ACTION,
    type: 'STRING',
    default: null,
    importance: 'LOW',
    documentation:
      "What happens to a task whose call exceeds watchdog.task.ms. log: it is logged. restart: the task is ended, with its thread, and started again. Default: the worker's.",
    displayName: 'Task Watchdog Action',
    ...limitedTo(...TASK_ACTIONS),
  },
  {
    name: THREAD_SILENCE,
    type: 'LONG',
    default: null,
    importance: 'LOW',
    documentation:
      "How long a dedicated task thread may be unresponsive before it is terminated, in milliseconds. 0: no limit. Default: the worker's.",
    displayName: 'Task Thread Silence',
    check: atLeast(0),
  },
  {
    name: TASK_ISOLATION,
    type: 'STRING',
    default: SHARED,
    importance: 'LOW',
    documentation: 'dedicated: each task of this connector has its own thread. shared: tasks share threads.',
    displayName: 'Task Isolation',
    ...limitedTo(SHARED, DEDICATED),
  },
  {
    name: TASK_MEMORY,
    type: 'INT',
    default: null,
    importance: 'LOW',
    documentation: 'Heap limit of each task in MiB. Implies a dedicated thread per task.',
    displayName: 'Task Memory',
    check: atLeast(1),
  },
];

/** Entries for the keys that `config` contains. */
export function millraceEntries(config: NullableConfig): Entry[] {
  return MILLRACE_KEYS.filter((key) => valueOf(config, key.name) !== undefined).map((key) => checkKey(key, config));
}
