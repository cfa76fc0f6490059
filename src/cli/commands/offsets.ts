import type { CommandSpec } from '../program/command-spec';

const load = {
  export: () => require('../offsets/export-offsets') as typeof import('../offsets/export-offsets'),
  import: () => require('../offsets/import-offsets') as typeof import('../offsets/import-offsets'),
  reset: () => require('../offsets/reset-offsets') as typeof import('../offsets/reset-offsets'),
};

const NAME = { name: '<connector>', description: 'name of the connector', completes: 'connectors' } as const;
const RESUME = { flags: '--resume', description: 'resume the connector afterwards' };

export const command: CommandSpec = {
  name: 'offsets',
  summary: 'export, import and reset the offsets of a connector',
  examples: [
    { command: 'offsets export orders > orders-offsets.json', explanation: 'Keep the offsets' },
    { command: 'offsets import orders orders-offsets.json --resume', explanation: 'Go back to them' },
  ],
  subcommands: [
    {
      name: 'export',
      summary: 'print the offsets of a connector as JSON',
      arguments: [NAME],
      shared: ['server'],
      examples: [{ command: 'offsets export orders > orders-offsets.json', explanation: 'Keep the offsets' }],
      load: load.export,
    },
    {
      name: 'import',
      summary: 'set the offsets of a connector',
      description: `Set the offsets of a connector to those of a file, as "millrace offsets export" and GET /connectors/NAME/offsets return them.

A connector that runs is stopped first. Partitions that the file does not have keep their offsets; one whose offset is null is removed.`,
      arguments: [
        NAME,
        { name: '<file>', description: 'the offsets in JSON; - is standard input', completes: 'files' },
      ],
      options: [RESUME],
      shared: ['confirm', 'server'],
      examples: [
        { command: 'offsets import orders orders-offsets.json', explanation: 'Stop the connector and set its offsets' },
        { command: 'offsets import orders orders-offsets.json --yes --resume', explanation: 'In a script' },
      ],
      load: load.import,
    },
    {
      name: 'reset',
      summary: 'delete all offsets of a connector, so that it starts from the beginning',
      arguments: [NAME],
      options: [RESUME],
      shared: ['confirm', 'server'],
      examples: [{ command: 'offsets reset orders --resume', explanation: 'Read everything again' }],
      load: load.reset,
    },
  ],
};
