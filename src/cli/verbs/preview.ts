/** `millrace preview`: the records that a source connector would write. */
import { PLUGIN_OPTIONS, type VerbSpec, wholeNumber } from '@millrace/cli';

export const command: VerbSpec = {
  name: 'preview',
  description: `Show the records that a source connector would write.

The source runs here, without Kafka, through its transformations, predicates and converters. Nothing is written: no topic, no stored offset, no replication slot. It reads from the begin, or from the offsets of --offsets.

Converters and plugins are those of the worker settings: of --config, otherwise those of "millrace dev". Exit code 5: the config is invalid, or there was no record.`,
  arguments: [{ name: '<file>', description: 'the connector: JSON, YAML or properties', completes: 'files' }],
  options: [
    { flags: '-n, --count <number>', description: 'records to show', default: 10, parse: wholeNumber(1, 1000) },
    {
      flags: '--timeout <seconds>',
      description: 'how long to wait for the first record',
      default: 30,
      parse: wholeNumber(1, 3600),
    },
    {
      flags: '--idle <seconds>',
      description: 'how long to wait for each further record',
      default: 5,
      parse: wholeNumber(1, 3600),
    },
    {
      flags: '--task <number>',
      description: 'task to run, if there are several',
      default: 0,
      parse: wholeNumber(0, 4999),
    },
    {
      flags: '--offsets <file>',
      description: 'offsets to start from, as GET /connectors/NAME/offsets returns them (default: none)',
      completes: 'files',
    },
    ...PLUGIN_OPTIONS,
  ],
  shared: ['output'],
  examples: [
    { command: 'preview todos.json', explanation: 'The first 10 records, as a table' },
    { command: 'preview todos.yaml -n 100 -o json', explanation: 'One JSON document per line' },
  ],
  load: () => require('./preview/run') as typeof import('./preview/run'),
};
