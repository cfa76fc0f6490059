/** `millrace top` */
import { ConnectError } from '@millrace/sdk';
import { readConnectors, type Connector } from '../connectors/connectors';
import { selectNamed } from '../connectors/name-pattern';
import { serverOf } from '../context/server';
import { writeAnswer } from '../output/answer';
import { paintOf } from '../output/colours';
import { watch } from '../output/watch';
import type { Invocation } from '../program/command-spec';
import { ConnectClient } from '../rest/connect-client';
import { sideBySide } from '../rest/side-by-side';
import { withClient } from '../rest/with-client';
import { connectorRows, workerRow, type WorkerReading } from './rows';
import { topText, type Shown } from './top-text';
import { workerFigures } from './worker-figures';

/** Metrics are text, errors are JSON. */
const TYPES = 'text/plain, application/json;q=0.5';
const LARGEST_METRICS = 64 * 1024 * 1024;

interface Options extends Shown {
  readonly once?: boolean;
  readonly interval: number;
  readonly output: string;
}

/** Only the given URLs are asked for metrics: credentials must not go to addresses that a worker names. */
export async function run(invocation: Invocation): Promise<number> {
  const { io, args } = invocation;
  const options = invocation.options as unknown as Options;
  const isOnce = options.once === true;
  if (!isOnce && (options.output !== 'table' || io.stdout.isTTY !== true))
    throw new ConnectError('top redraws a table on a terminal; with --once it prints once.', { code: 'CLI_USAGE' });
  const paint = paintOf(io);
  const { urls, ...access } = serverOf(invocation);
  const workers = urls.map((url) => new ConnectClient({ urls: [url], ...access }));
  try {
    return await withClient(invocation, async (client) => {
      const read = async (before: readonly WorkerReading[]): Promise<Screen> => {
        const [all, readings] = await Promise.all([readConnectors(client), sideBySide(workers, readWorker)]);
        const connectors = selectNamed(all, args, 'connector', ({ name }) => name);
        return screenOf(connectors, readings, before);
      };
      if (isOnce) {
        const { connectors, workers: rows, readings } = await read([]);
        const problems = new Map(readings.map(({ worker, problem }) => [worker, problem]));
        const answer = { workers: rows.map((row) => ({ ...row, problem: problems.get(row.worker) })), connectors };
        writeAnswer(invocation, answer, () => topText(connectors, rows, readings, options, paint));
        return 0;
      }
      let before: readonly WorkerReading[] = [];
      await watch(io, options.interval * 1000, async () => {
        const { connectors, workers: rows, readings } = await read(before);
        before = readings;
        return topText(connectors, rows, readings, options, paint);
      });
      return 0;
    });
  } finally {
    for (const worker of workers) worker.close();
  }
}

type Screen = ReturnType<typeof screenOf>;

function screenOf(
  connectors: readonly Connector[],
  readings: readonly WorkerReading[],
  before: readonly WorkerReading[],
) {
  return {
    connectors: connectorRows(connectors, readings, before),
    workers: readings.map((reading, i) => workerRow(reading, before[i], Date.now())),
    readings,
  };
}

async function readWorker(client: ConnectClient): Promise<WorkerReading> {
  const worker = new URL(client.address).host;
  try {
    const text = await client.requestText('/metrics', { accept: [404], mediaTypes: TYPES, largest: LARGEST_METRICS });
    const at = performance.now();
    return text === '' ? { worker, at } : { worker, at, figures: workerFigures(text) };
  } catch (error) {
    return { worker, at: performance.now(), problem: `GET /metrics: ${(error as Error).message}` };
  }
}
