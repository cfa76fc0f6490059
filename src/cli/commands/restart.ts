import type { CommandSpec } from '../program/command-spec';
import { wholeNumber } from '../program/shared-options';
import { CONNECTORS, lifecycleOptions, SELECTION } from './lifecycle-options';

export const command: CommandSpec = {
  name: 'restart',
  summary: 'restart connectors, or what failed of them',
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
  load: () => require('../lifecycle/restart') as typeof import('../lifecycle/restart'),
};
