/** What the console in the browser gets from its worker, under `/ui/api`. */
import type { ConsoleRoute } from '../requests/route';
import { consoleChangeRoutes } from './changes-routes';
import { deadLetterRoutes } from './dead-letters-routes';
import { consoleLogRoutes } from './logs-routes';
import type { ConsoleContext } from './console-context';
import { connectorRoutes } from './connector-routes';
import { overviewRoutes, type ConsoleSources } from './overview';
import { RateHistory } from './rate-history';
import { recordRoutes } from './records-routes';
import { sessionRoute, signIn } from './session';

/** `hasLoggers`: the listener also serves the admin routes. */
type ConsoleRoutes = (hasLoggers: boolean) => readonly ConsoleRoute[];

/** Its parts do nothing until they are asked. */
export function createConsole(context: ConsoleContext): ConsoleRoutes {
  const onError = signIn(context.accepts);
  const history = new RateHistory();
  const parts: ConsoleSources = { context, history };
  const shared = [
    ...overviewRoutes(parts),
    ...connectorRoutes(parts),
    ...consoleChangeRoutes(context),
    ...consoleLogRoutes(context),
    ...deadLetterRoutes(context),
    ...recordRoutes(context),
  ];
  return (hasLoggers) => [sessionRoute(context, hasLoggers), ...shared].map((route) => ({ ...route, onError }));
}
