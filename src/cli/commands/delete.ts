import type { CommandSpec } from '../program/command-spec';
import { CONNECTORS, lifecycleOptions, SELECTION } from './lifecycle-options';

export const command: CommandSpec = {
  name: 'delete',
  summary: 'delete connectors',
  description: `Delete connectors. Their topics are kept. It asks before it deletes.

${SELECTION}`,
  arguments: [CONNECTORS],
  options: [...lifecycleOptions('delete')],
  shared: ['confirm', 'output', 'server'],
  examples: [
    { command: 'delete orders', explanation: 'One connector' },
    { command: "delete 'test-*' --yes", explanation: 'All whose names match, without a question' },
  ],
  load: () => require('../lifecycle/delete') as typeof import('../lifecycle/delete'),
};
