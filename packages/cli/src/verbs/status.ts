/** `millrace status`: what runs and what does not, and why. */
import { serverOptions } from '../connectors/action-commands';
import {
  type Connector,
  errorsPerSecond,
  failuresOf,
  isFailed,
  readConnectorHealth,
  runningTasks,
} from '../connectors/connectors';
import { isBad } from '../connectors/health';
import { selectNamed } from '../connectors/name-pattern';
import { problemsText } from '../connectors/problem-text';
import { problemsOf } from '../connectors/problems';
import { readWorkerHealth, workerProblem } from '../connectors/worker-health';
import { EXIT } from '../exit-codes';
import { writeAnswer } from '../output/answer';
import { type Paint, paintHealth, paintOf, paintState } from '../output/colours';
import { noteText, rateText, tableText } from '../output/layout';
import { printable } from '../output/printable';
import { watch } from '../output/watch';
import type { Invocation, VerbSpec } from '../program/command-spec';
import { CONNECTOR_NAMES, INTERVAL } from '../program/shared-options';
import { withClient } from '../rest/clients';

export const command: VerbSpec = {
  name: 'status',
  description: `Show on one screen what runs and what does not, with reasons, cures and the commands that carry them out.

The exit code is 5 if a connector or task is FAILED, if the health of a connector is failed, degraded or unknown, or if the worker that answers is not healthy or not in its group. Workers other than Millrace's, such as Java's, report no health of connectors.`,
  arguments: [CONNECTOR_NAMES],
  options: [{ flags: '-w, --watch', description: 'refresh it until Ctrl-C' }, INTERVAL],
  shared: ['output', 'server'],
  examples: [
    { command: 'status', explanation: 'All connectors, those with problems first' },
    { command: "status 'orders-*' --watch", explanation: 'Some of them, until Ctrl-C' },
  ],
  run,
};

interface Shown {
  readonly connectors: readonly Connector[];
  /** Of the worker that answers; empty while nothing is wrong. */
  readonly worker: string;
}

async function run(invocation: Invocation): Promise<number> {
  const { io, args } = invocation;
  const options = invocation.options as { watch?: boolean; interval: number };
  const paint = paintOf(io);
  return await withClient(invocation, async (client) => {
    const read = async (): Promise<Shown> => {
      const [all, worker] = await Promise.all([readConnectorHealth(client), readWorkerHealth(client)]);
      const connectors = selectNamed(all, args, 'connector', ({ name }) => name);
      return { connectors, worker: workerProblem(worker, client) };
    };
    const textOf = (shown: Shown): string => statusText(shown, paint, serverOptions(invocation), io.stdout.columns);
    if (options.watch === true) {
      await watch(io, options.interval * 1000, async () => textOf(await read()));
      return EXIT.success;
    }
    const shown = await read();
    writeAnswer(invocation, answerOf(shown), () => textOf(shown));
    return shown.worker !== '' || shown.connectors.some(isWrong) ? EXIT.no : EXIT.success;
  });
}

function isWrong({ status, health }: Connector): boolean {
  return isFailed(status) || isBad(health);
}

function answerOf({ connectors, worker }: Shown): unknown {
  return {
    ...(worker !== '' && { worker }),
    connectors: Object.fromEntries(counted(connectors.map(({ status }) => status.state))),
    tasks: Object.fromEntries(counted(connectors.flatMap(({ status }) => status.tasks.map(({ state }) => state)))),
    health: Object.fromEntries(counted(connectors.flatMap(({ health }) => health?.summary ?? []))),
    failures: connectors.flatMap(({ name, status }) => failuresOf(status).map((failure) => ({ name, ...failure }))),
    problems: connectors.flatMap((connector) =>
      problemsOf(connector).map((problem) => ({ name: connector.name, ...problem })),
    ),
  };
}

const HEADINGS = ['NAME', 'TYPE', 'STATE', 'HEALTH', 'TASKS', 'ERRORS/S', 'WORKER'];
const OPTIONAL = ['WORKER', 'TYPE', 'ERRORS/S', 'TASKS'];

/**
 * What is wrong with the worker, counts, problems with their reasons, and a table, connectors with problems first.
 * @param server options that choose the cluster, for commands
 * @param columns width of the terminal; 0 or undefined if unknown
 */
function statusText({ connectors, worker }: Shown, paint: Paint, server: string, columns?: number): string {
  const wrong = connectors.filter(isWrong);
  const rows = [...wrong, ...connectors.filter((one) => !isWrong(one))].map((connector) => [
    connector.name,
    connector.type,
    paintState(paint, connector.status.state),
    paintHealth(paint, connector.health),
    connector.status.tasks.some(({ state }) => state === 'FAILED')
      ? paint('red', runningTasks(connector.status))
      : runningTasks(connector.status),
    rateText(errorsPerSecond(connector)),
    connector.status.worker,
  ]);
  const problems = connectors.map((connector) => ({ name: connector.name, problems: problemsOf(connector) }));
  const summary = [
    countsText('connector', counted(connectors.map(({ status }) => status.state)), paint),
    countsText('task', counted(connectors.flatMap(({ status }) => status.tasks.map(({ state }) => state))), paint),
    ...healthCounts(connectors, paint),
  ];
  const parts = [
    ...(worker === '' ? [] : [paint('red', noteText(worker, columns))]),
    `${summary.join('\n')}\n`,
    problemsText(problems, { paint, columns, server }),
    ...(rows.length > 0 ? [tableText(HEADINGS, rows, { columns, optional: OPTIONAL })] : []),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function healthCounts(connectors: readonly Connector[], paint: Paint): readonly string[] {
  const counts = counted(connectors.flatMap(({ health }) => health?.summary ?? []));
  return counts.length === 0 ? [] : [`health: ${listed(counts, paint)}`];
}

/** Sorted. */
function counted(texts: readonly string[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}

function countsText(what: string, counts: readonly (readonly [string, number])[], paint: Paint): string {
  const count = counts.reduce((sum, [, one]) => sum + one, 0);
  const total = `${count} ${what}${count === 1 ? '' : 's'}`;
  return counts.length === 0 ? total : `${total}: ${listed(counts, paint)}`;
}

function listed(counts: readonly (readonly [string, number])[], paint: Paint): string {
  return counts.map(([state, count]) => `${count} ${paintState(paint, printable(state))}`).join(', ');
}
