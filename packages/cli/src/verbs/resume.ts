/** `millrace resume` */
import { changeConnectors, CONNECTORS, lifecycleOptions, RESUME, SELECTION } from '../connectors/lifecycle';
import type { VerbSpec } from '../program/command-spec';

export const command: VerbSpec = {
  name: 'resume',
  description: `Resume paused or stopped connectors.

${SELECTION}`,
  arguments: [CONNECTORS],
  options: lifecycleOptions('resume'),
  shared: ['confirm', 'output', 'server'],
  examples: [
    { command: 'resume orders', explanation: 'One connector; waits until it and its tasks are RUNNING' },
    { command: 'resume --all --no-wait', explanation: 'All connectors, without waiting' },
  ],
  run: (invocation) => changeConnectors(invocation, RESUME),
};
