/** All connectors and workers of the group, for the console. */
import type { WorkerHealth } from '../../cluster/entities';
import { ConnectorPlugins } from '../../cluster/running/connector-plugins';
import type { Overview } from '@millrace/console';
import { SharedText } from '../http/shared-text';
import { encodeJson } from '../json/encode';
import { flag, ok, type ConsoleRoute } from '../requests/route';
import type { ConsoleContext } from './console-context';
import type { Failures } from './failures';
import { REPORT_PATH, type GroupReports } from './group-reports';
import { STEP_MS, type RateHistory } from './rate-history';
import { connectorRow, groupOf, workerRows } from './rows';
import type { WorkerReport } from './worker-report';

/** What the console's answers are computed from. */
export interface ConsoleSources {
  readonly context: ConsoleContext;
  readonly reports: GroupReports;
  readonly history: RateHistory;
  readonly failures: Failures;
  readonly health: () => Promise<WorkerHealth>;
}

async function overviewOf(parts: ConsoleSources, authorization: string | null): Promise<Overview> {
  const { context, reports, history, failures, health } = parts;
  const herder = context.herder();
  const [report, { status, message }] = await Promise.all([reports.read(authorization), health()]);
  const at = Date.now();
  const group = groupOf(report);
  const connectors = await Promise.all(
    herder.reads.records().map(async (record) => connectorRow(record, group, await failures.newest(record))),
  );
  history.record(at, new Map(connectors.map(({ name, rate }) => [name, rate])));
  return {
    at,
    worker: herder.workerId,
    kafkaClusterId: herder.kafkaClusterId(),
    health: { status, message },
    connectors,
    effects: effectsOf(connectors, context.registry),
    workers: workerRows(connectors, report, herder.leaderUrl),
    historyStepMs: STEP_MS,
    history: [],
  };
}

function effectsOf(connectors: Overview['connectors'], registry: ConsoleContext['registry']): Overview['effects'] {
  const classes = new Set(connectors.map(({ className }) => className));
  const plugins = new ConnectorPlugins(registry);
  return Object.fromEntries(
    [...classes].flatMap((name) => {
      const effects = plugins.describe({ 'connector.class': name })?.console?.effects;
      return effects ? [[name, effects]] : [];
    }),
  );
}

/** One overview as text, with and without the history. */
class SharedOverview {
  private plain: SharedText | null = null;
  private withHistory: SharedText | null = null;

  constructor(
    private readonly overview: Overview,
    private readonly history: Pick<RateHistory, 'all'>,
  ) {}

  text(withHistory: boolean): SharedText {
    if (!withHistory) return (this.plain ??= new SharedText(encodeJson(this.overview)));
    return (this.withHistory ??= new SharedText(encodeJson({ ...this.overview, history: this.history.all() })));
  }
}

/** `GET /ui/api/overview`, and `GET /ui/api/worker`, which workers answer each other. `own`: this worker's report. */
export function overviewRoutes(sources: ConsoleSources, own: () => Promise<WorkerReport>): readonly ConsoleRoute[] {
  // Requests that arrive while one is answered get the same text, so their number costs neither time nor memory.
  let current: Promise<SharedOverview> | null = null;
  const compute = async (authorization: string | null): Promise<SharedOverview> =>
    new SharedOverview(await overviewOf(sources, authorization), sources.history);
  return [
    {
      method: 'GET',
      path: '/ui/api/overview',
      role: 'reader',
      run: async (call) => {
        const authorization = call.request.headers.authorization ?? null;
        const shared = await (current ??= compute(authorization).finally(() => (current = null)));
        return { status: 200, ...(await shared.text(flag(call, 'history') === true).reply(call.request)) };
      },
    },
    { method: 'GET', path: REPORT_PATH, role: 'reader', forWorkers: true, run: async () => ok(await own()) },
  ];
}
