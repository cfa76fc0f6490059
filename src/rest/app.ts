/** The express applications: normalize the path, find the route, respond. */
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import type { CallerCheck } from './http/caller-check';
import { limitUnreadBody } from './http/client-error';
import { routingError } from './http/rest-error';
import { dispatch, writeError, type DispatchOptions } from './requests/dispatch';
import { errorReply } from './requests/error-reply';
import { requestTarget } from './requests/request-checks';
import { normalizeUrl } from './requests/request-path';
import type { ConsoleRoute, Route } from './requests/route';
import { actionRoutes } from './routes/actions';
import { changeRoutes } from './routes/changes';
import { connectorRoutes } from './routes/connectors';
import type { RestContext } from './routes/context';
import { lifecycleRoutes } from './routes/lifecycle';
import { logRoutes } from './routes/logs';
import { metricsRoute } from './routes/metrics';
import { offsetRoutes } from './routes/offsets';
import { pluginRoutes } from './routes/plugins';
import { signalRoutes } from './routes/signals';
import { taskRoutes } from './routes/tasks';
import { topicRoutes } from './routes/topics';
import { workerRoutes } from './routes/worker';

/** All routes of the API, except those that `admin.listeners` can move to other listeners: `loggerRoutes`. */
export function connectRoutes(context: RestContext): readonly Route[] {
  return [
    ...workerRoutes(context),
    metricsRoute(context),
    ...connectorRoutes(context),
    ...lifecycleRoutes(context),
    ...actionRoutes(context),
    ...signalRoutes(context),
    ...taskRoutes(context),
    ...logRoutes(context),
    ...changeRoutes(context),
    ...topicRoutes(context),
    ...offsetRoutes(context),
    ...pluginRoutes(context),
  ];
}

export interface AppOptions extends DispatchOptions {
  /** Throws RestError for a request that must not be processed. (Default: no check) */
  readonly checkCaller?: CallerCheck;
  /** Serves the console's files, and passes on requests for other paths. (Default: no console) */
  readonly pages?: RequestHandler;
}

/** `first` are handlers that receive every request before all others. */
export function createApp(
  routes: readonly ConsoleRoute[],
  options: AppOptions,
  first: readonly RequestHandler[] = [],
): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  app.enable('case sensitive routing');

  const prepare: RequestHandler = (request, response, next) => {
    limitUnreadBody(request, response);
    request.url = normalizeUrl(requestTarget(request));
    options.checkCaller?.(request);
    next();
  };
  app.use(...first, prepare, ...(options.pages ? [options.pages] : []));
  const at = (path: string): readonly ConsoleRoute[] => routes.filter((route) => route.path === path);
  // `app.all` would add a layer for each of the 35 methods that Node.js knows.
  for (const path of new Set(routes.map((route) => route.path))) app.route(path).all(dispatch(path, at(path), options));
  app.use((_request, response) => writeError(response, errorReply(routingError(404), options.logger, null)));
  // Express recognizes an error handler by its four parameters.
  const failed: ErrorRequestHandler = (error, _request, response, _next) =>
    writeError(response, errorReply(error, options.logger, null));
  app.use(failed);
  return app;
}
