/** Sets of connectors and tasks, the units of assignment. Immutable. */
import type { ConnectorTaskId } from '../../connector-task-id';
import { taskName } from '../../tasks/task-id';

export interface Work {
  readonly connectors: readonly string[];
  readonly tasks: readonly ConnectorTaskId[];
}

export const NO_WORK: Work = { connectors: [], tasks: [] };

export function isEmpty(work: Work): boolean {
  return work.connectors.length === 0 && work.tasks.length === 0;
}

export function hasTask(work: Work, id: ConnectorTaskId): boolean {
  return work.tasks.some(({ connector, task }) => connector === id.connector && task === id.task);
}

/** Ordered as the first set, then the others; without duplicates. */
export function union(...works: readonly Work[]): Work {
  const connectors = new Set<string>();
  const tasks = new Map<string, ConnectorTaskId>();
  for (const work of works) {
    for (const connector of work.connectors) connectors.add(connector);
    for (const task of work.tasks) if (!tasks.has(taskName(task))) tasks.set(taskName(task), task);
  }
  return { connectors: [...connectors], tasks: [...tasks.values()] };
}

function filter(work: Work, by: Work, keep: boolean): Work {
  const connectors = new Set(by.connectors);
  const tasks = new Set(by.tasks.map(taskName));
  return {
    connectors: work.connectors.filter((connector) => connectors.has(connector) === keep),
    tasks: work.tasks.filter((task) => tasks.has(taskName(task)) === keep),
  };
}

export function minus(work: Work, other: Work): Work {
  return filter(work, other, false);
}

export function intersection(work: Work, other: Work): Work {
  return filter(work, other, true);
}

/** By UTF-16 code units, as Java compares strings. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function compareTasks(a: ConnectorTaskId, b: ConnectorTaskId): number {
  return compareText(a.connector, b.connector) || a.task - b.task;
}
