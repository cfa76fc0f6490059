import type { CommandSpec } from '../program/command-spec';

export const command: CommandSpec = {
  name: 'loggers',
  summary: 'change log levels of running workers',
  description: 'Change log levels of running workers, until they are restarted. "millrace get loggers" lists them.',
  examples: [{ command: 'loggers set root WARN', explanation: 'Only warnings and errors of the worker that answers' }],
  subcommands: [
    {
      name: 'set',
      summary: 'set the level of a logger and of those below it',
      arguments: [
        { name: '<name>', description: 'logger, e.g. root or org.apache.kafka.connect', completes: 'loggers' },
        { name: '<level>', description: 'OFF, FATAL, ERROR, WARN, INFO, DEBUG, TRACE or ALL' },
      ],
      options: [{ flags: '--cluster', description: 'on all workers (default: on the one that answers)' }],
      shared: ['output', 'server'],
      examples: [
        { command: 'loggers set org.apache.kafka.connect DEBUG', explanation: 'On the worker that answers' },
        { command: 'loggers set root INFO --cluster', explanation: 'On all workers' },
      ],
      load: () => require('../loggers/set-level') as typeof import('../loggers/set-level'),
    },
  ],
};
