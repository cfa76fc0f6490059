import type { CommandSpec } from '../program/command-spec';
import { FILE_OPTIONS, PRUNE_OPTIONS, wholeNumber } from '../program/shared-options';

export const command: CommandSpec = {
  name: 'apply',
  summary: 'create and change connectors as files describe them',
  description: `Create and change connectors as files describe them.

It shows the differences, validates all configs before it changes one, leaves unchanged connectors alone, and waits until the others run. If some fail, it continues with the rest and exits with code 1. Files are JSON, YAML or properties; \${NAME} is replaced by a variable of the environment.`,
  options: [
    ...FILE_OPTIONS,
    ...PRUNE_OPTIONS,
    { flags: '--dry-run', description: 'show the differences and validate, change nothing' },
    { flags: '--no-wait', description: 'do not wait until connectors and tasks run' },
    { flags: '--timeout <seconds>', description: 'time to wait', default: 120, parse: wholeNumber(1, 86_400) },
  ],
  shared: ['confirm', 'server', 'output'],
  examples: [
    { command: 'apply -f connectors/ --dry-run', explanation: 'What would change' },
    {
      command: 'apply -f connectors/ --prune --selector team=a',
      explanation: 'Also delete other connectors of team a',
    },
  ],
  load: () => require('../apply/run-apply') as typeof import('../apply/run-apply'),
};
