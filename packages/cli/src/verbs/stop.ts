/** `millrace stop` */
import { isStopped } from '../connectors/connectors';
import { type Action, changeConnectors, CONNECTORS, lifecycleOptions, SELECTION } from '../connectors/lifecycle';
import type { VerbSpec } from '../program/command-spec';
import { path } from '../rest/reply';

const ACTION: Action = {
  verb: 'stop',
  done: 'stopped',
  method: 'PUT',
  path: (name) => path`/connectors/${name}/stop`,
  isReached: isStopped,
  mustRun: false,
};

export const command: VerbSpec = {
  name: 'stop',
  description: `Stop connectors: their tasks end, their configs and offsets are kept.

${SELECTION}`,
  arguments: [CONNECTORS],
  options: lifecycleOptions('stop'),
  shared: ['confirm', 'output', 'server'],
  examples: [{ command: 'stop orders payments', explanation: 'Two connectors' }],
  run: (invocation) => changeConnectors(invocation, ACTION),
};
