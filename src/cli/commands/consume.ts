import { READ_OPTIONS } from '../kafka/read-options';
import type { CommandSpec } from '../program/command-spec';

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
