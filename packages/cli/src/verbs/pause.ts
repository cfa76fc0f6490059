/** `millrace pause` */
import {
  type Action,
  changeConnectors,
  CONNECTORS,
  isPaused,
  lifecycleOptions,
  SELECTION,
} from '../connectors/lifecycle';
import type { VerbSpec } from '../program/command-spec';
import { path } from '../rest/reply';

const ACTION: Action = {
  verb: 'pause',
  done: 'paused',
  method: 'PUT',
  path: (name) => path`/connectors/${name}/pause`,
  isReached: isPaused,
  mustRun: false,
};

export const command: VerbSpec = {
  name: 'pause',
  description: `Pause connectors: their tasks keep running, but process no records.

${SELECTION}`,
  arguments: [CONNECTORS],
  options: lifecycleOptions('pause'),
  shared: ['confirm', 'output', 'server'],
  examples: [
    { command: 'pause orders', explanation: 'One connector' },
    { command: "pause 'orders-*' --yes", explanation: 'All whose names match, without a question' },
  ],
  run: (invocation) => changeConnectors(invocation, ACTION),
};
