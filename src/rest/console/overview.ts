/** All connectors and workers of the group, for the console. */
import { ConnectorPlugins } from '../../cluster/running/connector-plugins';
import type { Overview } from '@millrace/console';
import { SharedText } from '../http/shared-text';
import { encodeJson } from '../json/encode';
import { flag, type ConsoleRoute } from '../requests/route';
import type { ConsoleContext } from './console-context';
import { recentRates, type HistorySources } from './history/history-routes';
import { STEP_MS } from './history/sample-history';
import { workerRows } from '../health/rows';

async function overviewOf({ context }: HistorySources, authorization: string | null): Promise<Overview> {
  const { health } = context;
  const herder = context.herder();
  const [group, { status, message, absence = null }] = await Promise.all([
    health.group(authorization),
    health.worker(),
  ]);
  const at = Date.now();
  const connectors = await health.rows(group);
  return {
    at,
    worker: herder.workerId,
    kafkaClusterId: herder.kafkaClusterId(),
    health: { status, message, absence },
    connectors,
    effects: effectsOf(connectors, context.registry),
    workers: workerRows(connectors, group.report, herder.leaderUrl),
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
  private withHistory: Promise<SharedText> | null = null;

  constructor(
    private readonly overview: Overview,
    private readonly rates: () => Promise<Overview['history']>,
  ) {}

  async text(withHistory: boolean): Promise<SharedText> {
    if (!withHistory) return (this.plain ??= new SharedText(encodeJson(this.overview)));
    return await (this.withHistory ??= this.rates().then(
      (history) => new SharedText(encodeJson({ ...this.overview, history })),
    ));
  }
}

/** `GET /ui/api/overview` */
export function overviewRoutes(sources: HistorySources): readonly ConsoleRoute[] {
  // Requests that arrive while one is answered get the same text, so their number costs neither time nor memory.
  let current: Promise<SharedOverview> | null = null;
  const compute = async (authorization: string | null): Promise<SharedOverview> =>
    new SharedOverview(await overviewOf(sources, authorization), async () => await recentRates(sources, authorization));
  return [
    {
      method: 'GET',
      path: '/ui/api/overview',
      role: 'reader',
      run: async (call) => {
        const authorization = call.request.headers.authorization ?? null;
        const shared = await (current ??= compute(authorization).finally(() => (current = null)));
        return { status: 200, ...(await (await shared.text(flag(call, 'history') === true)).reply(call.request)) };
      },
    },
  ];
}
