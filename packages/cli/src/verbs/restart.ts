/** `millrace restart` */
import { isStopped } from '../connectors/connectors';
import {
  type Action,
  changeConnectors,
  CONNECTORS,
  isPaused,
  isRunning,
  lifecycleOptions,
  SELECTION,
} from '../connectors/lifecycle';
import type { VerbSpec } from '../program/command-spec';
import { wholeNumber } from '../program/shared-options';
import { path } from '../rest/reply';

const ACTION: Action = {
  verb: 'restart',
  done: 'restarted',
  method: 'POST',
  path: (name, { includeTasks = false, failed = false, task }) =>
    task === undefined
      ? path`/connectors/${name}/restart?includeTasks=${String(includeTasks || failed)}&onlyFailed=${String(failed)}`
      : path`/connectors/${name}/tasks/${String(task)}/restart`,
  // PAUSED and STOPPED connectors stay as they are.
  isReached: (status) => isRunning(status) || isPaused(status) || isStopped(status),
  mustRun: true,
  settleMs: 2_000,
};

export const command: VerbSpec = {
  name: 'restart',
  description: `Restart connectors. Without an option only the connector itself restarts, as in Connect; its tasks continue.

${SELECTION}`,
  arguments: [CONNECTORS],
  options: [
    { flags: '--include-tasks', description: 'restart the tasks, too' },
    {
      flags: '--task <number>',
      description: 'restart only this task of one connector',
      parse: wholeNumber(0, 2 ** 31 - 1),
    },
    ...lifecycleOptions('restart'),
  ],
  shared: ['confirm', 'output', 'server'],
  examples: [
    { command: 'restart --failed', explanation: 'The failed connectors and tasks of all connectors, and nothing else' },
    { command: 'restart orders --include-tasks', explanation: 'A connector with all of its tasks' },
    { command: 'restart orders --task 2', explanation: 'One task' },
  ],
  run: (invocation) => changeConnectors(invocation, ACTION),
};
