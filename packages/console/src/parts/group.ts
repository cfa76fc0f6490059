/** What the group is known to be: one answer of `api/overview`, joined with those before. */
import type { Overview } from '../worker-api';
import { shareByKey } from './share';

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
