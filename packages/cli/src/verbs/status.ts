/** `millrace status`: what runs and what failed. */
import {
  type Connector,
  type Failure,
  failuresOf,
  isFailed,
  readConnectors,
  runningTasks,
} from '../connectors/connectors';
import { selectNamed } from '../connectors/name-pattern';
import { EXIT } from '../exit-codes';
import { writeAnswer } from '../output/answer';
import { type Paint, paintOf, paintState } from '../output/colours';
import { tableText, wrapText } from '../output/layout';
import { printable } from '../output/printable';
import { watch } from '../output/watch';
import type { Invocation, VerbSpec } from '../program/command-spec';
import { CONNECTOR_NAMES, INTERVAL } from '../program/shared-options';
import { withClient } from '../rest/clients';

export const command: VerbSpec = {
  name: 'status',
  description: `Show on one screen what runs and what failed, with the reason of each failure. The exit code is 5 if a connector or task is FAILED.`,
  arguments: [CONNECTOR_NAMES],
  options: [{ flags: '-w, --watch', description: 'refresh it until Ctrl-C' }, INTERVAL],
  shared: ['output', 'server'],
  examples: [
    { command: 'status', explanation: 'All connectors, failed ones first' },
    { command: "status 'orders-*' --watch", explanation: 'Some of them, until Ctrl-C' },
  ],
  run,
};

async function run(invocation: Invocation): Promise<number> {
  const { io, args } = invocation;
  const options = invocation.options as { watch?: boolean; interval: number };
  const paint = paintOf(io);
  return await withClient(invocation, async (client) => {
    const read = async (): Promise<readonly Connector[]> =>
      selectNamed(await readConnectors(client), args, 'connector', ({ name }) => name);
    if (options.watch === true) {
      await watch(io, options.interval * 1000, async () => statusText(await read(), paint, io.stdout.columns));
      return EXIT.success;
    }
    const connectors = await read();
    writeAnswer(invocation, answerOf(connectors), () => statusText(connectors, paint, io.stdout.columns));
    return connectors.some(({ status }) => isFailed(status)) ? EXIT.no : EXIT.success;
  });
}

function answerOf(connectors: readonly Connector[]): unknown {
  return {
    connectors: Object.fromEntries(stateCounts(connectors.map(({ status }) => status))),
    tasks: Object.fromEntries(stateCounts(connectors.flatMap(({ status }) => status.tasks))),
    failures: connectors.flatMap(({ name, status }) => failuresOf(status).map((failure) => ({ name, ...failure }))),
  };
}

const COLUMNS = 100;
const HEADINGS = ['NAME', 'TYPE', 'STATE', 'TASKS', 'WORKER'];
const OPTIONAL = ['WORKER', 'TYPE'];

/**
 * Counts, failures with their reasons, and a table, failed connectors first.
 * @param connectors sorted by name @param columns width of the terminal; 0 or undefined if unknown
 */
function statusText(connectors: readonly Connector[], paint: Paint, columns?: number): string {
  const failed = connectors.filter(({ status }) => isFailed(status));
  const rows = [...failed, ...connectors.filter(({ status }) => !isFailed(status))].map(({ name, type, status }) => [
    name,
    type,
    paintState(paint, status.state),
    status.tasks.some(({ state }) => state === 'FAILED') ? paint('red', runningTasks(status)) : runningTasks(status),
    status.worker,
  ]);
  const summary = [
    countsText(
      'connector',
      connectors.map(({ status }) => status),
      paint,
    ),
    countsText(
      'task',
      connectors.flatMap(({ status }) => status.tasks),
      paint,
    ),
  ];
  return [
    `${summary.join('\n')}\n`,
    ...(failed.length > 0 ? [failuresText(failed, paint, columns || COLUMNS)] : []),
    ...(rows.length > 0 ? [tableText(HEADINGS, rows, { columns, optional: OPTIONAL })] : []),
  ].join('\n');
}

/** Sorted by state. */
function stateCounts(parts: readonly { readonly state: string }[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const { state } of parts) counts.set(state, (counts.get(state) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}

function countsText(what: string, parts: readonly { readonly state: string }[], paint: Paint): string {
  const counts = stateCounts(parts).map(([state, count]) => `${count} ${paintState(paint, printable(state))}`);
  const total = `${parts.length} ${what}${parts.length === 1 ? '' : 's'}`;
  return counts.length === 0 ? total : `${total}: ${counts.join(', ')}`;
}

const NARROWEST = 40;

/** Parts that failed for the same reason are listed together, above it. */
function failuresText(failed: readonly Connector[], paint: Paint, columns: number): string {
  const byReason = new Map<string, Map<string, Failure[]>>();
  for (const { name, status } of failed)
    for (const failure of failuresOf(status)) {
      const parts = byReason.get(failure.reason) ?? new Map<string, Failure[]>();
      byReason.set(failure.reason, parts.set(name, [...(parts.get(name) ?? []), failure]));
    }
  const wrapped = (text: string, room: number): readonly string[] => wrapText(text, Math.max(room, NARROWEST) - 2);
  const lines = [...byReason].flatMap(([reason, connectors]) => [
    ...[...connectors].flatMap(([name, failures]) =>
      wrapped(`${paint('red', 'FAILED')} ${printable(name)}, ${partsText(failures)}`, columns).map((line, i) =>
        i === 0 ? line : `    ${line}`,
      ),
    ),
    ...wrapped(printable(reason), columns).map((line) => `  ${line}`),
  ]);
  return `${lines.join('\n')}\n`;
}

/** `connector, tasks 0, 2 on w:8083`. */
function partsText(failures: readonly Failure[]): string {
  const tasks = failures.flatMap(({ part }) => (part.startsWith('task ') ? [part.slice('task '.length)] : []));
  const parts = failures.length > tasks.length ? ['connector'] : [];
  if (tasks.length > 0) parts.push(`task${tasks.length === 1 ? '' : 's'} ${tasks.join(', ')}`);
  const workers = [...new Set(failures.map(({ worker }) => worker).filter((worker) => worker !== ''))];
  return `${parts.join(', ')}${workers.length > 0 ? ` on ${printable(workers.join(', '))}` : ''}`;
}
