import type { CommandSpec } from '../program/command-spec';
import { PLUGIN_OPTIONS, RECURSIVE } from '../program/shared-options';

export const command: CommandSpec = {
  name: 'validate',
  summary: 'validate connector files on a worker, or without one; exit code 5 if one is invalid',
  description: `Validate connector files on a worker; exit code 5 if one is invalid.

With --offline no worker is needed: the plugins of this installation validate here, with the worker settings of --config. A connector that connects to its database to validate connects from here.`,
  arguments: [{ name: '<file...>', description: 'files, folders, or - for standard input', completes: 'files' }],
  options: [
    RECURSIVE,
    { flags: '--offline', description: 'validate here, without a worker, with the plugins of this installation' },
    ...PLUGIN_OPTIONS,
  ],
  shared: ['server', 'output'],
  examples: [
    { command: 'validate todos-source.json', explanation: 'The errors of each field' },
    { command: 'validate --offline -R connectors/', explanation: 'Without a worker, in a CI job for example' },
  ],
  load: () => require('../apply/run-validate') as typeof import('../apply/run-validate'),
};
