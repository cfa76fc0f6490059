/** Which connectors the list shows, and their texts. */
import type { ConnectorRow, Lag } from '../../worker-api';
import { formatNumberOf } from '../../parts/format';
import type { Query } from '../../parts/routes';
import type { Summary } from '../../parts/states';

export interface Filter {
  /** Null: of any state. */
  readonly summary: Summary | null;
  /** Lower case; each word occurs in the name, the class or a worker. */
  readonly words: readonly string[];
}

export function filterOf(query: Query, summaries: readonly Summary[]): Filter {
  return {
    summary: summaries.find((summary) => summary === query['state']) ?? null,
    words: (query['q'] ?? '').toLowerCase().split(/\s+/).filter(Boolean),
  };
}

export function matchesText({ name, className, type, worker, tasks }: ConnectorRow, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const text = [name, className, type, worker, ...tasks.map((task) => task.worker)].join('\n').toLowerCase();
  return words.every((word) => text.includes(word));
}

export function countBySummary(rows: readonly ConnectorRow[]): ReadonlyMap<Summary, number> {
  const counts = new Map<Summary, number>();
  for (const { summary } of rows) counts.set(summary, (counts.get(summary) ?? 0) + 1);
  return counts;
}

/** `org.apache.kafka.connect.file.FileStreamSource` is `FileStreamSource`. */
export function shortClass(className: string): string {
  return className.split('.').at(-1) || className;
}

export function tasksText({ tasks, summary }: ConnectorRow): { readonly main: string; readonly failed: string | null } {
  if (tasks.length === 0) return { main: 'none', failed: null };
  const counts = (state: string): number => tasks.filter((task) => task.state === state).length;
  const failed = counts('FAILED');
  const isPaused = summary === 'paused' && counts('PAUSED') > 0;
  const main = isPaused ? `${counts('PAUSED')}/${tasks.length} paused` : `${counts('RUNNING')}/${tasks.length} running`;
  return { main, failed: failed === 0 ? null : `${formatNumberOf(failed, 'task')} failed` };
}

const LATE_SECONDS = 60;
export function isLate({ seconds }: Lag): boolean {
  return seconds !== null && seconds >= LATE_SECONDS;
}

/** @returns the names between two rows of the list, both included, in its order */
export function namesBetween(rows: readonly ConnectorRow[], from: string, to: string): readonly string[] {
  const ends = [rows.findIndex(({ name }) => name === from), rows.findIndex(({ name }) => name === to)];
  if (ends.includes(-1)) return [to];
  return rows.slice(Math.min(...ends), Math.max(...ends) + 1).map(({ name }) => name);
}

/** Whether a row outside the window must be rendered again: its rates and lags alone can wait until it is seen. */
export function differsInState(a: ConnectorRow, b: ConnectorRow): boolean {
  if (a === b) return false;
  return (
    a.state !== b.state ||
    a.target !== b.target ||
    a.summary !== b.summary ||
    a.worker !== b.worker ||
    a.isWorkerGone !== b.isWorkerGone ||
    a.failure !== b.failure ||
    a.reasons.length !== b.reasons.length ||
    a.reasons.some(({ code }, index) => code !== b.reasons[index]?.code) ||
    a.className !== b.className ||
    a.tasks.length !== b.tasks.length ||
    a.tasks.some((task, index) => task.state !== b.tasks[index]?.state)
  );
}
