/** The last hour as the console's charts show it, and the parts of it that workers request from each other. */
import type { ConnectorHistory, RateHistory, WorkersHistory } from '@millrace/console';
import { encodeSegment } from '../../requests/request-path';
import { ok, param, type ConsoleRoute } from '../../requests/route';
import type { ConsoleContext } from '../console-context';
import {
  aligned,
  historyReport,
  joinedMeasures,
  readHistory,
  readValues,
  type HistoryReport,
  type Values,
} from './history-report';
import { PROCESS, type HistoryRecorder } from './history-recorder';
import { STEP_MS, STEPS } from './sample-history';
import { MEASURES, PROCESS_MEASURES } from './samples';

const PATH = '/ui/api/worker-history';
/** Not a query: the marks of requests between workers are of a path. */
const RATES_PATH = '/ui/api/worker-rates';
/** Of the small charts in lists: five minutes. */
export const RECENT_STEPS = 30;
const MOST_CONNECTORS = 10_000;
const UNKNOWN: Values = Array.from({ length: STEPS }, () => null);

export interface HistorySources {
  readonly context: ConsoleContext;
  readonly history: HistoryRecorder;
}

/** What the other workers answer; null: nothing. */
async function askOthers(
  { context }: HistorySources,
  path: string,
  authorization: string | null,
): Promise<readonly (readonly [worker: string, body: unknown])[]> {
  const { reports } = context.health;
  const { workers } = await reports.read(authorization);
  const others = workers.filter(({ id }) => id !== context.herder().workerId);
  return await Promise.all(
    others.map(async ({ id, state }) => [
      id,
      state === 'answering' ? await reports.ask(id, path, authorization) : null,
    ]),
  );
}

const missingOf = (answers: readonly (readonly [string, unknown])[]): string[] =>
  answers.flatMap(([worker, answer]) => (answer === null ? [worker] : [])).sort();

/** Rates of the last minutes, of all connectors. */
export async function recentRates(sources: HistorySources, authorization: string | null): Promise<RateHistory[]> {
  const own = ownRates(sources.history);
  const newest = sources.history.end(Date.now());
  const answers = await askOthers(sources, RATES_PATH, authorization);
  const all = [own, ...answers.flatMap(([, body]) => readRates(body) ?? [])];
  const reports = new Map<string, HistoryReport[]>();
  for (const { end, rates } of all)
    for (const [connector, rate] of Object.entries(rates))
      reports.set(connector, [...(reports.get(connector) ?? []), { end, stepMs: STEP_MS, measures: { rate } }]);
  return [...reports].map(([connector, found]) => {
    const rates = joinedMeasures(found, newest).get('rate') ?? UNKNOWN;
    return { connector, rates: rates.slice(-RECENT_STEPS) };
  });
}

interface RecentRates {
  readonly end: number;
  /** By connector. */
  readonly rates: Readonly<Record<string, Values>>;
}

function ownRates({ connectors }: HistoryRecorder): RecentRates {
  const rates = [...connectors.subjects].flatMap((connector) => {
    const { rate } = connectors.of(connector, RECENT_STEPS);
    return rate ? [[connector, rate] as const] : [];
  });
  return { end: connectors.end, rates: Object.fromEntries(rates) };
}

function readRates(body: unknown): RecentRates | null {
  const { end, rates } = (body ?? {}) as Partial<Record<keyof RecentRates, unknown>>;
  if (typeof end !== 'number' || typeof rates !== 'object' || rates === null) return null;
  const read = Object.entries(rates as Record<string, unknown>)
    .slice(0, MOST_CONNECTORS)
    .flatMap(([connector, values]) => (Array.isArray(values) ? [[connector, readValues(values as unknown[])]] : []));
  return { end, rates: Object.fromEntries(read) as RecentRates['rates'] };
}

async function ofConnector(
  sources: HistorySources,
  name: string,
  authorization: string | null,
): Promise<ConnectorHistory> {
  const { context, history } = sources;
  const herder = context.herder();
  // Rejects with 404 for an unknown connector.
  herder.reads.record(name);
  const answers = await askOthers(sources, `${PATH}/${encodeSegment(name)}`, authorization);
  const own = historyReport(history.connectors, name);
  const end = history.end(Date.now());
  const measures = joinedMeasures([own, ...answers.flatMap(([, body]) => readHistory(body) ?? [])], end);
  return {
    ...{ at: Date.now(), end, stepMs: STEP_MS },
    measures: Object.fromEntries(
      MEASURES.map((measure) => [measure, measures.get(measure) ?? UNKNOWN]),
    ) as unknown as ConnectorHistory['measures'],
    figures: history.figuresOf(herder, name).flatMap(({ measure, panel, title, unit }) => {
      const values = measures.get(measure);
      return values ? [{ panel, title, unit, values }] : [];
    }),
    missing: missingOf(answers),
  };
}

async function ofWorkers(sources: HistorySources, authorization: string | null): Promise<WorkersHistory> {
  const { context, history } = sources;
  const answers = await askOthers(sources, PATH, authorization);
  const own = historyReport(history.process, PROCESS);
  const end = history.end(Date.now());
  const reports = [
    [context.herder().workerId, own] as const,
    ...answers.flatMap(([worker, body]) => {
      const report = readHistory(body);
      return report ? [[worker, report] as const] : [];
    }),
  ];
  const workers = reports.map(([id, report]) => {
    const [memoryBytes, cpu] = PROCESS_MEASURES.map((measure) =>
      aligned(report.measures[measure] ?? [], report.end, end, STEPS),
    ) as [Values, Values];
    return { id, memoryBytes, cpu };
  });
  workers.sort((a, b) => (a.id < b.id ? -1 : 1));
  return { at: Date.now(), end, stepMs: STEP_MS, workers, missing: missingOf(answers) };
}

export function historyRoutes(sources: HistorySources): readonly ConsoleRoute[] {
  const { history, context } = sources;
  return [
    {
      ...{ method: 'GET', path: PATH, role: 'reader', forWorkers: true },
      run: () => {
        context.herder();
        return ok(historyReport(history.process, PROCESS));
      },
    },
    {
      ...{ method: 'GET', path: RATES_PATH, role: 'reader', forWorkers: true },
      run: () => {
        context.herder();
        return ok(ownRates(history));
      },
    },
    {
      ...{ method: 'GET', path: `${PATH}/:name`, role: 'reader', forWorkers: true },
      run: (call) => {
        context.herder();
        return ok(historyReport(history.connectors, param(call, 'name')));
      },
    },
    {
      ...{ method: 'GET', path: '/ui/api/connectors/:name/history', role: 'reader' },
      run: async (call) =>
        ok(await ofConnector(sources, param(call, 'name'), call.request.headers.authorization ?? null)),
    },
    {
      ...{ method: 'GET', path: '/ui/api/workers/history', role: 'reader' },
      run: async (call) => ok(await ofWorkers(sources, call.request.headers.authorization ?? null)),
    },
  ];
}
