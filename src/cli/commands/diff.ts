import type { CommandSpec } from '../program/command-spec';
import { FILE_OPTIONS, PRUNE_OPTIONS } from '../program/shared-options';

export const command: CommandSpec = {
  name: 'diff',
  summary: 'compare connectors with files; exit code 5 if they differ',
  options: [...FILE_OPTIONS, ...PRUNE_OPTIONS],
  shared: ['server', 'output'],
  examples: [{ command: 'diff -f connectors/', explanation: 'What "apply" would change' }],
  load: () => require('../apply/run-diff') as typeof import('../apply/run-diff'),
};
