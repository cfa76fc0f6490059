import type { CommandSpec } from '../program/command-spec';
import { RECURSIVE } from '../program/file-options';

export const command: CommandSpec = {
  name: 'validate',
  summary: 'validate connector files on a worker; exit code 5 if one is invalid',
  arguments: [{ name: '<file...>', description: 'files, folders, or - for standard input', completes: 'files' }],
  options: [RECURSIVE],
  shared: ['server', 'output'],
  examples: [{ command: 'validate todos-source.json', explanation: 'The errors of each field' }],
  load: () => require('../apply/run-validate') as typeof import('../apply/run-validate'),
};
