/** `millrace dlq`: dead letters of sink connectors. */
import { type VerbSpec, wholeNumber } from '@millrace/cli';
import { READ_OPTIONS } from '../kafka/read-options';
import { FILTER_OPTIONS } from './dlq/letter-filter';

const TOPIC = { name: '<topic>', description: 'the dead letter topic; "millrace dlq list" shows them' };

/** Options without those of the converters. */
const POSITION_OPTIONS = READ_OPTIONS.filter(({ flags }) => !/convert|count|registry/.test(flags));

export const command: VerbSpec = {
  name: 'dlq',
  examples: [
    { command: 'dlq show orders-dlq', explanation: 'Why records failed' },
    { command: 'dlq replay orders-dlq --dry-run', explanation: 'How many would be sent back, and where' },
  ],
  subcommands: [
    {
      name: 'list',
      summary: 'list the dead letter topics of all connectors',
      shared: ['output', 'server', 'cluster'],
      examples: [{ command: 'dlq list', explanation: 'Dead letter topics and their number of records' }],
      load: () => require('./dlq/list') as typeof import('./dlq/list'),
    },
    {
      name: 'show',
      summary: 'show dead letters, and why they failed',
      description:
        'Show dead letters, and why they failed, the newest first. Their times are those of the records that failed.',
      arguments: [TOPIC],
      options: [
        ...READ_OPTIONS.map((option) =>
          option.flags.includes('count') ? { ...option, description: 'show this many records (default: 20)' } : option,
        ),
        ...FILTER_OPTIONS,
        {
          flags: '--scan <number>',
          description: 'search this many records, the newest',
          default: 100_000,
          parse: wholeNumber(1, 1e12),
        },
        { flags: '--stacktrace', description: 'show the stack trace of the exception' },
      ],
      shared: ['output', 'server', 'cluster'],
      examples: [
        { command: 'dlq show orders-dlq', explanation: 'Origin, connector, exception, key and value of each' },
        { command: 'dlq show orders-dlq -n 5 --stacktrace', explanation: 'The newest five, with stack traces' },
        {
          command: 'dlq show orders-dlq --error DataException --since 2h',
          explanation: 'Those with this error, of the last two hours',
        },
      ],
      load: () => require('./dlq/show') as typeof import('./dlq/show'),
    },
    {
      name: 'replay',
      summary: 'send dead letters back to where they came from',
      description: `Send dead letters back to where they came from: to their original topic and partition, with key, value, timestamp and headers as they were.

All consumers of that topic receive them again. The dead letters stay in their topic; a second replay sends them again, unless --from is given. Records that become dead letters meanwhile are not replayed.

Afterwards it waits whether records fail again, which is exit code 5: that a connector has delivered the others is not known.`,
      arguments: [TOPIC],
      options: [
        ...POSITION_OPTIONS,
        { flags: '-n, --count <number>', description: 'read at most this many', parse: wholeNumber(1, 1e12) },
        { flags: '--connector <name>', description: 'only those of this connector', completes: 'connectors' },
        { flags: '--to <topic>', description: 'send them to this topic instead; their key chooses the partition' },
        { flags: '--dry-run', description: 'only count them' },
        { flags: '--no-wait', description: 'do not wait for records that fail again' },
        {
          flags: '--wait-timeout <seconds>',
          description: 'time to wait for them',
          default: 5,
          parse: wholeNumber(1, 3600),
        },
      ],
      shared: ['confirm', 'cluster', 'context'],
      examples: [
        { command: 'dlq replay orders-dlq --dry-run', explanation: 'How many would be sent, and where' },
        { command: 'dlq replay orders-dlq --connector orders-sink --yes', explanation: 'After the cause is fixed' },
      ],
      load: () => require('./dlq/replay') as typeof import('./dlq/replay'),
    },
  ],
};
