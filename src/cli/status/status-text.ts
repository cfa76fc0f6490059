/** The screen of `millrace status`: counts, failures with their reasons, and a table, failed connectors first. */
import { type Connector, failuresOf, isFailed, runningTasks } from '../connectors/connectors';
import { paintState, type Paint } from '../output/colours';
import { printable } from '../output/printable';
import { tableText, wrapText } from '../output/layout';

const COLUMNS = 100;
/** Of a failure's reason, so that many failures still fit on a screen. */
const REASON_LINES = 4;
const HEADINGS = ['NAME', 'TYPE', 'STATE', 'TASKS', 'WORKER'];

/** @param connectors sorted by name @param columns width of the terminal; 0 or undefined if unknown */
export function statusText(connectors: readonly Connector[], paint: Paint, columns?: number): string {
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
    ...(rows.length > 0 ? [tableText(HEADINGS, rows)] : []),
  ].join('\n');
}

/** Sorted by state. */
export function stateCounts(parts: readonly { readonly state: string }[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const { state } of parts) counts.set(state, (counts.get(state) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}

function countsText(what: string, parts: readonly { readonly state: string }[], paint: Paint): string {
  const counts = stateCounts(parts).map(([state, count]) => `${count} ${paintState(paint, printable(state))}`);
  const total = `${parts.length} ${what}${parts.length === 1 ? '' : 's'}`;
  return counts.length === 0 ? total : `${total}: ${counts.join(', ')}`;
}

function failuresText(failed: readonly Connector[], paint: Paint, columns: number): string {
  const lines = failed.flatMap(({ name, status }) =>
    failuresOf(status).flatMap(({ part, worker, reason, code }) => [
      `${paint('red', 'FAILED')} ${printable(name)}, ${part}${worker && ` on ${printable(worker)}`}`,
      ...reasonLines(reason, code, Math.max(columns - 2, 40)).map((line) => `  ${line}`),
    ]),
  );
  return `${lines.join('\n')}\n`;
}

/** The code is the key to what to do, so it is shown even if the lines of the reason end before it. */
function reasonLines(reason: string, code: string | undefined, columns: number): readonly string[] {
  const lines = wrapText(printable(reason), columns).map((line) => line.slice(0, columns));
  if (lines.length <= REASON_LINES) return lines;
  const shown = lines.slice(0, REASON_LINES);
  return code === undefined || shown.some((line) => line.includes(code)) ? shown : [...shown, code];
}
