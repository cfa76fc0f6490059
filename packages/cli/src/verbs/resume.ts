/** `millrace resume` */
import {
  type Action,
  changeConnectors,
  CONNECTORS,
  isRunning,
  lifecycleOptions,
  SELECTION,
} from '../connectors/lifecycle';
import type { VerbSpec } from '../program/command-spec';
import { path } from '../rest/reply';

const ACTION: Action = {
  verb: 'resume',
  done: 'running',
  method: 'PUT',
  path: (name) => path`/connectors/${name}/resume`,
  isReached: isRunning,
  mustRun: true,
};

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
  run: (invocation) => changeConnectors(invocation, ACTION),
};
