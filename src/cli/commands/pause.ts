import type { CommandSpec } from '../program/command-spec';
import { CONNECTORS, lifecycleOptions, SELECTION } from './lifecycle-options';

export const command: CommandSpec = {
  name: 'pause',
  summary: 'pause connectors and their tasks',
  description: `Pause connectors: their tasks keep running, but process no records.

${SELECTION}`,
  arguments: [CONNECTORS],
  options: [...lifecycleOptions('pause')],
  shared: ['confirm', 'output', 'server'],
  examples: [
    { command: 'pause orders', explanation: 'One connector' },
    { command: "pause 'orders-*' --yes", explanation: 'All whose names match, without a question' },
  ],
  load: () => require('../lifecycle/pause') as typeof import('../lifecycle/pause'),
};
