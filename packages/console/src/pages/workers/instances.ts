/** What runs on one worker. */
import type { ConnectorRow, Lag, State, WorkerRow } from '../../worker-api';
import { compareNames } from '../../parts/format';

export interface Instance {
  readonly connector: string;
  /** Null: the connector's own instance. */
  readonly task: number | null;
  readonly state: State;
  readonly since: number | null;
  readonly rate: number | null;
  readonly lag: Lag;
  readonly errors: number | null;
  readonly thread: number | null;
}

const NO_LAG: Lag = { records: null, bytes: null, seconds: null };

export function instancesOf(worker: string, connectors: readonly ConnectorRow[]): readonly Instance[] {
  return connectors.flatMap((row) => {
    const { name, state, since, tasks } = row;
    const own = { connector: name, task: null, state, since, rate: null, lag: NO_LAG, errors: null, thread: null };
    return [
      ...(row.worker === worker ? [own] : []),
      ...tasks
        .filter((task) => task.worker === worker)
        .map(({ id, ...task }): Instance => ({ ...task, connector: name, task: id })),
    ];
  });
}

/** Versions that are known, with the number of workers that run each. */
export function versionsOf(workers: readonly WorkerRow[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const { version } of workers) if (version !== null) counts.set(version, (counts.get(version) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => compareNames(a, b));
}
