import type { CommandSpec } from '../program/command-spec';
import { CONNECTORS, lifecycleOptions, SELECTION } from './lifecycle-options';

export const command: CommandSpec = {
  name: 'stop',
  summary: 'stop connectors and their tasks',
  description: `Stop connectors: their tasks end, their configs and offsets are kept.

${SELECTION}`,
  arguments: [CONNECTORS],
  options: [...lifecycleOptions('stop')],
  shared: ['confirm', 'output', 'server'],
  examples: [{ command: 'stop orders payments', explanation: 'Two connectors' }],
  load: () => require('../lifecycle/stop') as typeof import('../lifecycle/stop'),
};
