import type { CommandSpec } from '../program/command-spec';
import { CONNECTOR_NAMES, INTERVAL } from '../program/shared-options';

export const command: CommandSpec = {
  name: 'status',
  summary: 'show on one screen what runs and what failed',
  description: `Show on one screen what runs and what failed, with the first line of each trace. The exit code is 5 if a connector or task is FAILED.`,
  arguments: [CONNECTOR_NAMES],
  options: [{ flags: '-w, --watch', description: 'refresh it until Ctrl-C' }, INTERVAL],
  shared: ['output', 'server'],
  examples: [
    { command: 'status', explanation: 'All connectors, failed ones first' },
    { command: "status 'orders-*' --watch", explanation: 'Some of them, until Ctrl-C' },
  ],
  load: () => require('../status/status') as typeof import('../status/status'),
};
