/** `millrace top`: throughput, lag and errors. */
import { ConnectError } from '@millrace/sdk';
import { type Connector, readConnectorHealth } from '../connectors/connectors';
import { selectNamed } from '../connectors/name-pattern';
import { readWorkerHealth, workerProblem } from '../connectors/worker-health';
import { writeAnswer } from '../output/answer';
import { paintOf } from '../output/colours';
import { watch } from '../output/watch';
import type { Invocation, VerbSpec } from '../program/command-spec';
import { CONNECTOR_NAMES, INTERVAL, wholeNumber } from '../program/shared-options';
import { withClient, WORKER_ANSWER_MS, workerClients } from '../rest/clients';
import { connectorRows, workerRow } from './top/rows';
import { type Shown, topText } from './top/top-text';
import { type Readings, WorkerPoll } from './top/worker-poll';

export const command: VerbSpec = {
  name: 'top',
  description:
    'Show health, throughput, lag and errors of connectors, CPU and memory of workers, until Ctrl-C. The figures are those of GET /metrics of the workers of the URL; of workers without it, such as Java’s, only states are shown.',
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
  run,
};

interface Options extends Omit<Shown, 'worker'> {
  readonly once?: boolean;
  readonly interval: number;
  readonly output: string;
}

/** For the figures of a refresh, ms; of a short interval, half of it. */
const PATIENCE_MS = 1_000;
/** Longer than a request, so that its error is the reason. */
const ONCE_MS = 2 * WORKER_ANSWER_MS;

async function run(invocation: Invocation): Promise<number> {
  const { io, args } = invocation;
  const options = invocation.options as unknown as Options;
  const isOnce = options.once === true;
  if (!isOnce && (options.output !== 'table' || io.stdout.isTTY !== true))
    throw new ConnectError('top redraws a table on a terminal; with --once it prints once.', { code: 'CLI_USAGE' });
  const paint = paintOf(io);
  const intervalMs = options.interval * 1000;
  const waitMs = isOnce ? ONCE_MS : Math.min(PATIENCE_MS, intervalMs / 2);
  const workers = workerClients(invocation);
  const polls = workers.map((worker) => new WorkerPoll(worker));
  try {
    return await withClient(invocation, async (client) => {
      const read = async (): Promise<Screen> => {
        const reading = Promise.all(polls.map((poll) => poll.read(waitMs)));
        const [all, health, readings] = await Promise.all([
          readConnectorHealth(client),
          readWorkerHealth(client),
          reading,
        ]);
        const connectors = selectNamed(all, args, 'connector', ({ name }) => name);
        return { ...screenOf(connectors, readings), worker: workerProblem(health, client) };
      };
      const textOf = ({ connectors, workers: rows, readings, worker }: Screen): string =>
        topText(connectors, rows, readings, { ...options, columns: io.stdout.columns, worker }, paint);
      if (isOnce) {
        const screen = await read();
        const { connectors, workers: rows, readings } = screen;
        const problems = new Map(readings.map(({ worker, problem }) => [worker, problem]));
        const answer = {
          ...(screen.worker !== '' && { problem: screen.worker }),
          workers: rows.map((row) => ({ ...row, problem: problems.get(row.worker) })),
          connectors,
        };
        writeAnswer(invocation, answer, () => textOf(screen));
      } else await watch(io, intervalMs, async () => textOf(await read()));
      return 0;
    });
  } finally {
    for (const worker of workers) worker.close();
  }
}

type Screen = ReturnType<typeof screenOf> & { readonly worker: string };

function screenOf(connectors: readonly Connector[], readings: readonly Readings[]) {
  const now = readings.map((reading) => reading.now);
  const before = readings.map((reading) => reading.before);
  return {
    connectors: connectorRows(connectors, now, before),
    workers: readings.map((reading) => workerRow(reading.now, reading.before, Date.now())),
    readings: now,
  };
}
