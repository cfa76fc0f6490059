/**
 * Connector keys of ours, which Java does not have. They are checked where a configuration has them, and not shown
 * otherwise: a form that a client draws looks as it does with Java.
 */
import { atLeast, oneOf } from '../connector-config-checks';
import { RESTART_BACKOFF, RESTART_BACKOFF_MAX, RESTART_MAX } from '../restart-settings';
import { THREAD_SILENCE, WATCHDOG_TASK } from '../watchdog-settings';
import { checkKey, valueOf, type Entry, type NullableConfig } from './entry';
import type { FrameworkKey } from '../framework-key';

const ERRORS = 'Error Handling';

const OWN_KEYS: readonly FrameworkKey[] = [
  {
    name: RESTART_MAX,
    type: 'INT',
    default: null,
    importance: 'MEDIUM',
    documentation:
      "How often in a row a failed connector or task is restarted automatically; 0 never, -1 without a limit. Default: the worker's.",
    group: ERRORS,
    displayName: 'Automatic Restarts',
    check: atLeast(-1),
  },
  {
    name: RESTART_BACKOFF,
    type: 'LONG',
    default: null,
    importance: 'LOW',
    documentation: "Milliseconds before the first automatic restart; they double with each one. Default: the worker's.",
    group: ERRORS,
    displayName: 'Wait Before an Automatic Restart',
    check: atLeast(1),
  },
  {
    name: RESTART_BACKOFF_MAX,
    type: 'LONG',
    default: null,
    importance: 'LOW',
    documentation:
      "The longest wait before an automatic restart, in milliseconds. What ran that long starts a new count. Default: the worker's.",
    group: ERRORS,
    displayName: 'Longest Wait Before an Automatic Restart',
    check: atLeast(1),
  },
  {
    name: WATCHDOG_TASK,
    type: 'LONG',
    default: null,
    importance: 'LOW',
    documentation:
      "Milliseconds that one call of a task may take before the log says that it is stuck; 0 any time. Default: the worker's.",
    displayName: 'Task Watchdog',
    check: atLeast(0),
  },
  {
    name: THREAD_SILENCE,
    type: 'LONG',
    default: null,
    importance: 'LOW',
    documentation:
      "Milliseconds that a task's own thread may not answer before it is ended; 0 any time. Default: the worker's.",
    displayName: 'Task Thread Silence',
    check: atLeast(0),
  },
  {
    name: 'task.isolation',
    type: 'STRING',
    default: 'shared',
    importance: 'LOW',
    documentation: 'dedicated: each task of this connector has a thread of its own. shared: tasks share threads.',
    displayName: 'Task Isolation',
    check: oneOf('shared', 'dedicated'),
  },
  {
    name: 'task.memory.mb',
    type: 'INT',
    default: null,
    importance: 'LOW',
    documentation: 'Heap limit of a task in MiB; gives each task a thread of its own.',
    displayName: 'Task Memory',
    check: atLeast(1),
  },
];

/** Entries for those of our keys that `config` has. */
export function ownEntries(config: NullableConfig): Entry[] {
  return OWN_KEYS.filter((key) => valueOf(config, key.name) !== undefined).map((key) => checkKey(key, config));
}
