import type { CommandSpec } from '../program/command-spec';
import { wholeNumber } from '../program/shared-options';

export const command: CommandSpec = {
  name: 'patch',
  summary: "change some keys of a connector's config",
  description: `Change some keys of a connector's config. It shows the difference, and waits until connector and tasks run again.

key=value sets a key, key- removes one. Values of secrets are better kept in files: see config providers.`,
  arguments: [
    { name: '<connector>', description: 'name of the connector', completes: 'connectors' },
    { name: '[changes...]', description: 'key=value or key-' },
  ],
  options: [
    { flags: '-p, --patch <mapping>', description: 'the changes in JSON or YAML; null removes a key' },
    { flags: '--dry-run', description: 'show the difference, change nothing' },
    { flags: '--no-wait', description: 'do not wait until connector and tasks run' },
    { flags: '--timeout <seconds>', description: 'time to wait', default: 120, parse: wholeNumber(1, 86_400) },
  ],
  shared: ['server', 'output'],
  examples: [
    { command: 'patch orders-sink tasks.max=4', explanation: 'More tasks' },
    { command: 'patch orders-sink errors.tolerance=all topics.regex-', explanation: 'Set a key and remove another' },
    { command: `patch orders-sink -p '{"tasks.max": "4"}' --dry-run`, explanation: 'Only show what would change' },
  ],
  load: () => require('../patch/run-patch') as typeof import('../patch/run-patch'),
};
