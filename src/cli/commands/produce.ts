import type { CommandSpec } from '../program/command-spec';

export const command: CommandSpec = {
  name: 'produce',
  summary: 'send each line of a file as a message',
  description: `Send each line of a file as a message.

It prints FILE:LINE, partition and offset of each message. It stops reading at the first failure, prints the lines that were not delivered on stderr, and exits with code 1. Worker settings with the prefix "producer." override those without.`,
  arguments: [{ name: '<file>', description: 'the lines; - is standard input', completes: 'files' }],
  options: [
    { flags: '--topic <topic>', description: 'topic to write to', required: true },
    { flags: '--quiet', description: 'print only the summary, not a line for each message' },
  ],
  shared: ['cluster', 'context'],
  examples: [
    { command: 'produce storms.csv --topic storm-events', explanation: 'Load a file into a topic' },
    { command: 'produce - --topic ticks --quiet', explanation: 'Send what another program writes' },
  ],
  load: () => require('../produce/produce') as typeof import('../produce/produce'),
};
