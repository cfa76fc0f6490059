/** What the console in the browser gets from its worker, under `/ui/api`. */
import { quickHealth } from '../routers/health';
import type { Resource } from '../requests/route';
import { changesResources } from './changes-resources';
import { deadLettersResources } from './dead-letters-resources';
import { logsResources } from './logs-resources';
import type { ConsoleContext } from './console-context';
import { connectorResources } from './connector-resources';
import { Failures } from './failures';
import { GroupReports } from './group-reports';
import { overviewOf, type ConsoleParts } from './overview';
import { overviewResources } from './overview-resources';
import { RateHistory } from './rate-history';
import { sessionResource } from './session';
import { signIn } from './sign-in';
import { workerReport, type WorkerReport } from './worker-report';

/** How long a console waits for the herder, which is busy for a moment during a rebalance. */
const HEALTH_MS = 1_000;

/** `hasLoggers`: the listener also serves the admin routes. */
export type ConsoleResources = (hasLoggers: boolean) => readonly Resource[];

/** Its parts do nothing until they are asked. */
export function createConsole(context: ConsoleContext): ConsoleResources {
  const onError = signIn(context.accepts);
  const health = quickHealth(context, HEALTH_MS);
  const history = new RateHistory();
  const own = async (): Promise<WorkerReport> => {
    const found = await health();
    return workerReport(context.millraceVersion, context.herder().figures(), found, Date.now());
  };
  const reports = new GroupReports({ herder: context.herder, own, send: context.send });
  const parts: ConsoleParts = { context, reports, history, failures: new Failures(context.secrets), health };
  const shared = [
    ...overviewResources({ overview: async (authorization) => await overviewOf(parts, authorization), history, own }),
    ...connectorResources(parts),
    ...changesResources(context),
    ...logsResources(context),
    ...deadLettersResources(context),
  ];
  return (hasLoggers) =>
    [sessionResource(context, hasLoggers), ...shared].map((resource) => ({ ...resource, onError }));
}
