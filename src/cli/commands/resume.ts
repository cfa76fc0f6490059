import type { CommandSpec } from '../program/command-spec';
import { CONNECTORS, lifecycleOptions, SELECTION } from './lifecycle-options';

export const command: CommandSpec = {
  name: 'resume',
  summary: 'resume paused or stopped connectors',
  description: `Resume paused or stopped connectors.

${SELECTION}`,
  arguments: [CONNECTORS],
  options: [...lifecycleOptions('resume')],
  shared: ['confirm', 'output', 'server'],
  examples: [
    { command: 'resume orders', explanation: 'One connector; waits until it and its tasks are RUNNING' },
    { command: 'resume --all --no-wait', explanation: 'All connectors, without waiting' },
  ],
  load: () => require('../lifecycle/resume') as typeof import('../lifecycle/resume'),
};
