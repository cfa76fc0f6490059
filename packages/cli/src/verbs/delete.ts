/** `millrace delete` */
import { type Action, changeConnectors, CONNECTORS, lifecycleOptions, SELECTION } from '../connectors/lifecycle';
import type { VerbSpec } from '../program/command-spec';
import { path } from '../rest/reply';

const ACTION: Action = {
  verb: 'delete',
  done: 'deleted',
  method: 'DELETE',
  path: (name) => path`/connectors/${name}`,
  isReached: (status) => status === undefined,
  mustRun: false,
};

export const command: VerbSpec = {
  name: 'delete',
  description: `Delete connectors. Their topics are kept. It asks before it deletes, and says what remains in other systems, with the statement that removes it where that is known.

${SELECTION}`,
  arguments: [CONNECTORS],
  options: lifecycleOptions('delete'),
  shared: ['confirm', 'output', 'server'],
  examples: [
    { command: 'delete orders', explanation: 'One connector' },
    { command: "delete 'test-*' --yes", explanation: 'All whose names match, without a question' },
  ],
  run: (invocation) => changeConnectors(invocation, ACTION),
};
