/** What the console in the browser gets from its worker, under `/ui/api`. */
import { quickHealth } from '../routes/worker';
import type { ConsoleRoute } from '../requests/route';
import { changeRoutes } from './changes-routes';
import { deadLetterRoutes } from './dead-letters-routes';
import { logRoutes } from './logs-routes';
import type { ConsoleContext } from './console-context';
import { connectorRoutes } from './connector-routes';
import { Failures } from './failures';
import { GroupReports } from './group-reports';
import { overviewRoutes, type ConsoleSources } from './overview';
import { RateHistory } from './rate-history';
import { sessionRoute, signIn } from './session';
import { workerReport, type WorkerReport } from './worker-report';

/** How long a console waits for the herder, which is busy for a moment during a rebalance. */
const HEALTH_MS = 1_000;

/** `hasLoggers`: the listener also serves the admin routes. */
type ConsoleRoutes = (hasLoggers: boolean) => readonly ConsoleRoute[];

/** Its parts do nothing until they are asked. */
export function createConsole(context: ConsoleContext): ConsoleRoutes {
  const onError = signIn(context.accepts);
  const health = quickHealth(context, HEALTH_MS);
  const history = new RateHistory();
  const own = async (): Promise<WorkerReport> => {
    const found = await health();
    return workerReport(context.millraceVersion, context.herder().figures(), found, Date.now());
  };
  const reports = new GroupReports({ herder: context.herder, own, send: context.send });
  const parts: ConsoleSources = { context, reports, history, failures: new Failures(context.secrets), health };
  const shared = [
    ...overviewRoutes(parts, own),
    ...connectorRoutes(parts),
    ...changeRoutes(context),
    ...logRoutes(context),
    ...deadLetterRoutes(context),
  ];
  return (hasLoggers) => [sessionRoute(context, hasLoggers), ...shared].map((route) => ({ ...route, onError }));
}
