/** Actions that were requested in this tab, and what became of them. They continue while other pages are shown. */
import type { ConnectorRow } from '../worker-api';
import { retried } from '../api/connect';
import type { RestartPlan } from '../api/restart-plan';
import type { Action } from './actions';
import { Store } from './store';

export type ItemState = 'waiting' | 'pending' | 'accepted' | 'done' | 'failed' | 'refused';

export interface RunItem {
  readonly name: string;
  readonly state: ItemState;
  /** The worker's reason, or the attempt that runs. */
  readonly detail: string | null;
}

export interface Run {
  readonly id: number;
  readonly action: Pick<Action, 'key' | 'title'>;
  readonly items: readonly RunItem[];
}

/** Requests at a time: a bulk action must not keep the worker from other callers. */
const CONCURRENCY = 4;
const MOST_RUNS = 5;

/** Newest first. */
export const runs = new Store<readonly Run[]>([]);
let lastId = 0;

interface Watched {
  readonly run: number;
  readonly action: Action;
  readonly before: ConnectorRow;
  readonly plan: RestartPlan | null;
}
let watched: readonly Watched[] = [];

export function isSettled({ items }: Run): boolean {
  return items.every(({ state }) => state === 'done' || state === 'failed' || state === 'refused');
}

/** @param refresh requests the overview again, which shows what became of the action */
export async function startRun(action: Action, rows: readonly ConnectorRow[], refresh: () => void): Promise<void> {
  const id = ++lastId;
  const items = rows.map(({ name }) => ({ name, state: 'waiting' as const, detail: null }));
  // Those without a problem have been seen.
  const others = runs.value.filter((run) => !isSettled(run) || run.items.some(({ state }) => state !== 'done'));
  runs.set([{ id, action, items }, ...others].slice(0, MOST_RUNS));
  const queue = [...rows];
  const work = async (): Promise<void> => {
    for (let row = queue.shift(); row; row = queue.shift()) await perform(id, action, row, refresh);
  };
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, queue.length) }, work));
}

export function dismissRun(id: number): void {
  runs.set(runs.value.filter((run) => run.id !== id));
  watched = watched.filter(({ run }) => run !== id);
}

/** Compares what was accepted with what the group shows now. */
export function observe(connectors: readonly ConnectorRow[]): void {
  if (watched.length === 0) return;
  const byName = new Map(connectors.map((row) => [row.name, row]));
  watched = watched.filter(({ run, action, before, plan }) => {
    const now = byName.get(before.name) ?? null;
    const outcome = now ? action.outcome(now, before, plan) : action.key === 'delete' ? 'done' : null;
    if (outcome === null) return true;
    report(run, {
      name: before.name,
      state: outcome,
      detail: outcome === 'failed' ? (now?.failure?.sentence ?? null) : null,
    });
    return false;
  });
}

async function perform(run: number, action: Action, before: ConnectorRow, refresh: () => void): Promise<void> {
  const { name } = before;
  report(run, { name, state: 'pending', detail: null });
  try {
    const plan = await retried(
      () => action.send(name),
      (attempt, attempts, reason) =>
        report(run, { name, state: 'pending', detail: `Attempt ${attempt} of ${attempts}: ${reason}` }),
    );
    report(run, { name, state: 'accepted', detail: null });
    watched = [...watched, { run, action, before, plan }];
    refresh();
  } catch (error) {
    report(run, { name, state: 'refused', detail: (error as Error).message });
  }
}

function report(id: number, item: RunItem): void {
  runs.set(
    runs.value.map((run) =>
      run.id === id ? { ...run, items: run.items.map((old) => (old.name === item.name ? item : old)) } : run,
    ),
  );
}
