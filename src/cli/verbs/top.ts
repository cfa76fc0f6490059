/** `millrace top`: throughput, lag and errors. */
import type { CommandSpec } from '../program/command-spec';
import { CONNECTOR_NAMES, INTERVAL, wholeNumber } from '../program/shared-options';

export const command: CommandSpec = {
  name: 'top',
  summary: 'show throughput, lag and errors of connectors, CPU and memory of workers',
  description:
    'Show throughput, lag and errors of connectors, CPU and memory of workers, until Ctrl-C. The figures are those of GET /metrics of the workers of the URL; of workers without it, such as Java’s, only states are shown.',
  arguments: [CONNECTOR_NAMES],
  options: [
    { flags: '--tasks', description: 'a line for each task instead of each connector' },
    {
      flags: '--sort <key>',
      description: 'what is first: the largest of it, or names in order',
      choices: ['rate', 'lag', 'errors', 'name'],
      default: 'rate',
    },
    {
      flags: '-n, --limit <number>',
      description: 'lines of connectors or tasks',
      default: 50,
      parse: wholeNumber(1, 10_000),
    },
    { flags: '--once', description: 'print once, without a terminal too' },
    INTERVAL,
  ],
  shared: ['output', 'server'],
  examples: [
    { command: 'top', explanation: 'All connectors, the busiest first' },
    { command: "top 'orders-*' --tasks --sort lag -n 10", explanation: 'The ten tasks that are most behind' },
    { command: 'top --once -o json', explanation: 'For a program' },
  ],
  load: () => require('./top/run') as typeof import('./top/run'),
};
