/** Problems of connectors on a terminal: causes, places and cures are wrapped, never cut. */
import type { Paint } from '../output/colours';
import { timeText, wrapText } from '../output/layout';
import { printable } from '../output/printable';
import { actionCommands } from './action-commands';
import type { Problem } from './problems';

/** Of one connector. */
export interface ConnectorProblems {
  readonly name: string;
  readonly problems: readonly Problem[];
}

export interface ProblemLayout {
  readonly paint: Paint;
  /** Width of the terminal; 0 or undefined: unknown. */
  readonly columns?: number | undefined;
  /** Options that choose the cluster, for commands. */
  readonly server: string;
}

const COLUMNS = 100;
const NARROWEST = 40;
const COLOURS = { FAILED: 'red', DEGRADED: 'yellow', UNKNOWN: 'yellow' } as const;

/** Parts with the same reason are listed together, above it. Lines with line endings; empty without a problem. */
export function problemsText(connectors: readonly ConnectorProblems[], layout: ProblemLayout): string {
  const { paint, server } = layout;
  const groups = new Map<string, Map<string, Problem[]>>();
  for (const { name, problems } of connectors)
    for (const problem of problems) {
      const key = JSON.stringify([problem.label, problem.reason]);
      const group = groups.get(key) ?? new Map<string, Problem[]>();
      groups.set(key, group.set(name, [...(group.get(name) ?? []), problem]));
    }
  const wrapped = (text: string, indent: string, next = indent): readonly string[] => {
    const room = Math.max(layout.columns || COLUMNS, NARROWEST) - next.length;
    return wrapText(printable(text), room).map((line, i) => `${i === 0 ? indent : next}${line}`);
  };
  const lines = [...groups.values()].flatMap((group) => {
    const [[{ label, reason }]] = [...group.values()] as unknown as readonly [readonly [Problem]];
    const cures = new Set([...group.values()].flat().flatMap(({ cure }) => cure ?? []));
    const commands = new Map(
      [...group].flatMap(([name, problems]) =>
        actionCommands(
          name,
          problems.flatMap(({ actions }) => actions),
          server,
        ).map(({ command, label: what }) => [command, what] as const),
      ),
    );
    return [
      ...[...group].flatMap(([name, problems]) =>
        wrapped(`${paint(COLOURS[label], label)} ${name}${partsText(problems)}`, '', '    '),
      ),
      ...wrapped(reason, '  '),
      ...[...cures].flatMap((cure) => wrapped(cure, '  ')),
      // A command is one line, so that it can be copied.
      ...[...commands].flatMap(([command, what]) => [`  ${what}:`, `    ${paint('cyan', command)}`]),
    ];
  });
  return lines.map((line) => `${line}\n`).join('');
}

/** `, connector, tasks 0, 2 on w:8083, since 2026-01-31T12:00:00Z`. */
function partsText(problems: readonly Problem[]): string {
  const parts = [...new Set(problems.map(({ part }) => part))];
  const tasks = parts.flatMap((part) => (part.startsWith('task ') ? [part.slice('task '.length)] : []));
  const workers = [...new Set(problems.map(({ worker }) => worker))].filter((worker) => worker !== '');
  const since = problems.flatMap((problem) => problem.since ?? []);
  const next = problems.flatMap((problem) => problem.nextTryAt ?? []);
  return [
    ...(parts.includes('connector') ? [', connector'] : []),
    ...(tasks.length > 0 ? [`, task${tasks.length === 1 ? '' : 's'} ${tasks.join(', ')}`] : []),
    ...(workers.length > 0 ? [` on ${workers.join(', ')}`] : []),
    ...(since.length > 0 ? [`, since ${timeText(Math.min(...since))}`] : []),
    ...(next.length > 0 ? [`, next try at ${timeText(Math.min(...next))}`] : []),
  ].join('');
}
