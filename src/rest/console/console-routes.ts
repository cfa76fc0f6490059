/** What the console in the browser gets from its worker, under `/ui/api`. */
import type { ConsoleRoute } from '../requests/route';
import { consoleChangeRoutes } from './changes-routes';
import { deadLetterRoutes } from './dead-letters-routes';
import { lagRoutes } from './lag-routes';
import { consoleLogRoutes } from './logs-routes';
import type { ConsoleContext } from './console-context';
import { connectorRoutes } from './connector-routes';
import { overviewRoutes } from './overview';
import { HistoryRecorder } from './history/history-recorder';
import { historyRoutes, type HistorySources } from './history/history-routes';
import { recordRoutes } from './records-routes';
import { sessionRoute, signIn } from './session';
import { topologyRoutes } from './topology';

export interface Console {
  /** `hasLoggers`: the listener also serves the admin routes. */
  readonly routes: (hasLoggers: boolean) => readonly ConsoleRoute[];
  /** Samples the counters of this worker until it is stopped; the other parts do nothing until they are asked. */
  readonly history: Pick<HistoryRecorder, 'start' | 'stop' | 'sample'>;
}

export function createConsole(context: ConsoleContext): Console {
  const onError = signIn(context.accepts);
  const history = new HistoryRecorder(context);
  const parts: HistorySources = { context, history };
  const shared = [
    ...overviewRoutes(parts),
    ...connectorRoutes(context),
    ...consoleChangeRoutes(context),
    ...consoleLogRoutes(context),
    ...deadLetterRoutes(context),
    ...recordRoutes(context),
    ...historyRoutes(parts),
    ...topologyRoutes(context),
    ...lagRoutes(context),
  ];
  return {
    routes: (hasLoggers) => [sessionRoute(context, hasLoggers), ...shared].map((route) => ({ ...route, onError })),
    history,
  };
}
