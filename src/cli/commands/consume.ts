import { parseStart } from '../kafka/start-position';
import type { CommandSpec, OptionSpec } from '../program/command-spec';
import { wholeNumber } from '../program/shared-options';

/** Options of commands that read records. */
export const READ_OPTIONS: readonly OptionSpec[] = [
  {
    flags: '--from <position>',
    description: 'beginning, end, an offset, -N for the last N of each partition, or a time (2026-01-31T12:00:00Z)',
    default: { at: 'beginning' },
    defaultText: 'beginning',
    parse: parseStart,
  },
  { flags: '-n, --count <number>', description: 'stop after this many records', parse: wholeNumber(1, 1e12) },
  { flags: '--partition <number>', description: 'read only this partition', parse: wholeNumber(0, 2 ** 31 - 1) },
  {
    flags: '--key-converter <class>',
    description: 'json, string, bytes, or a class (default: of the worker, where it fits)',
  },
  {
    flags: '--value-converter <class>',
    description: 'json, string, bytes, or a class (default: of the worker, where it fits)',
  },
];

export const command: CommandSpec = {
  name: 'consume',
  summary: 'print the records of a topic, through a converter',
  description: `Print the records of a topic, through a converter.

It reads committed records without a consumer group, and waits for new ones until Ctrl-C, unless --exit or --count ends it. Each line has partition:offset, timestamp, key and value; -o json prints an object per line.`,
  arguments: [{ name: '<topic>', description: 'name of the topic' }],
  options: [
    ...READ_OPTIONS,
    { flags: '-e, --exit', description: 'end after the last record that exists now' },
    { flags: '--headers', description: 'print headers, too, each on a line of its own' },
  ],
  shared: ['output', 'cluster', 'context'],
  examples: [
    { command: 'consume demo.public.todos --headers', explanation: 'All records so far, and new ones as they arrive' },
    { command: 'consume orders --from -10 --exit -o json', explanation: 'The last 10 records of each partition' },
  ],
  load: () => require('../consume/consume') as typeof import('../consume/consume'),
};
