/** What all pages know of the group: one poll of `api/overview`, shared, and the rates since the page was opened. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ConnectorRow, Overview, WorkerRow } from '../../rest/console/api';
import { request } from '../api/request';
import { setWorkerTime } from './clock';
import { shareByKey } from './share';
import { usePoll, type Polled } from './use-poll';

type Rates = readonly (number | null)[];

export interface Group extends Omit<Overview, 'history'> {
  /** By name of the connector, oldest first. */
  readonly rates: ReadonlyMap<string, Rates>;
  /** When the newest rates are from. */
  readonly ratesAt: number;
}

/** Rates that a chart shows at most. */
const MOST_RATES = 120;

/** Joins an answer with the one before: unchanged rows remain the same objects, and rates are appended. */
export function joined(previous: Group | null, { history, ...next }: Overview): Group {
  const connectors = shareByKey(previous?.connectors ?? [], next.connectors, ({ name }) => name);
  const workers = shareByKey(previous?.workers ?? [], next.workers, ({ id }) => id);
  return { ...next, connectors, workers, ...joinedRates(previous, next, history) };
}

function joinedRates(
  previous: Group | null,
  { at, historyStepMs, connectors }: Pick<Overview, 'at' | 'historyStepMs' | 'connectors'>,
  history: Overview['history'],
): Pick<Group, 'rates' | 'ratesAt'> {
  if (history.length > 0 || previous === null)
    return { rates: new Map(history.map(({ connector, rates }) => [connector, rates])), ratesAt: at };
  if (at - previous.ratesAt < historyStepMs) return { rates: previous.rates, ratesAt: previous.ratesAt };
  const rates = new Map(
    connectors.map(({ name, rate }) => [name, [...(previous.rates.get(name) ?? []), rate].slice(-MOST_RATES)]),
  );
  return { rates, ratesAt: at };
}

/** After a longer gap, such as a hidden page's, the worker may know the rates that are missing. */
export function needsHistory(previous: Group | null, now: number): boolean {
  return previous === null || now - previous.ratesAt > 3 * Math.max(previous.historyStepMs, 2000);
}

async function load(signal: AbortSignal, previous: Group | null): Promise<Group> {
  // By the worker's clock, but from this one's time: a second's difference does not matter.
  const withHistory = needsHistory(previous, previous === null ? 0 : Date.now() + clockDifferenceMs);
  const answer = await request<Overview>(`api/overview?history=${withHistory}`, { signal });
  clockDifferenceMs = answer.at - Date.now();
  setWorkerTime(answer.at);
  return joined(previous, answer);
}
let clockDifferenceMs = 0;

export function useGroupPoll(): Polled<Group> {
  return usePoll(load, 'overview');
}

export const GroupContext = createContext<Polled<Group>>({
  data: null,
  at: null,
  error: null,
  isStale: false,
  refresh: () => undefined,
});

export function useGroup(): Polled<Group> {
  return useContext(GroupContext);
}

/** Null: unknown, or not loaded yet. */
export function useConnectorRow(name: string): ConnectorRow | null {
  return useGroup().data?.connectors.find((row) => row.name === name) ?? null;
}

export function useWorkers(): readonly WorkerRow[] {
  return useGroup().data?.workers ?? [];
}
