import type { CommandSpec } from '../program/command-spec';
import { wholeNumber } from '../program/shared-options';

export const command: CommandSpec = {
  name: 'status',
  summary: 'show on one screen what runs and what failed',
  description: `Show on one screen what runs and what failed, with the first line of each trace. The exit code is 5 if a connector or task is FAILED.`,
  arguments: [
    { name: '[names...]', description: 'connectors, or patterns with * and ? (default: all)', completes: 'connectors' },
  ],
  options: [
    { flags: '-w, --watch', description: 'refresh it until Ctrl-C' },
    {
      flags: '--interval <seconds>',
      description: 'time between two refreshes',
      default: 2,
      parse: wholeNumber(1, 3600),
    },
  ],
  shared: ['output', 'server'],
  examples: [
    { command: 'status', explanation: 'All connectors, failed ones first' },
    { command: "status 'orders-*' --watch", explanation: 'Some of them, until Ctrl-C' },
  ],
  load: () => require('../status/status') as typeof import('../status/status'),
};
