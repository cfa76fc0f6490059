/**
 * The express applications: normalize the path, find the route, respond. `resources` and `adminResources` list the
 * routes.
 */
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { connectorResources } from './routers/connector-router';
import { connectorsResources } from './routers/connectors-router';
import type { RestContext } from './routers/context';
import type { CallerCheck } from './http/caller-check';
import { dispatch, writeError, type DispatchOptions } from './requests/dispatch';
import { errorReply } from './requests/error-reply';
import { limitUnreadBody } from './http/client-error';
import { lifecycleResources } from './routers/lifecycle-router';
import { signalsResources } from './routers/signals-router';
import { loggersResources } from './routers/loggers-router';
import { metricsResources } from './routers/metrics-router';
import { offsetsResources } from './routers/offsets-router';
import { pluginsResources } from './routers/plugins-router';
import { requestTarget } from './requests/request-checks';
import { normalizeUrl } from './requests/request-path';
import { routingError } from './http/rest-error';
import type { Resource } from './requests/route';
import { serverInfoResources } from './routers/server-info-router';
import { tasksResources } from './routers/tasks-router';
import { topicsResources } from './routers/topics-router';

/** All routes except the admin routes. */
export function resources(context: RestContext): readonly Resource[] {
  return [
    ...serverInfoResources(context),
    ...metricsResources(context),
    ...connectorsResources(context),
    ...connectorResources(context),
    ...lifecycleResources(context),
    ...signalsResources(context),
    ...tasksResources(context),
    ...topicsResources(context),
    ...offsetsResources(context),
    ...pluginsResources(context),
  ];
}

/** Routes that `admin.listeners` can move to other listeners. */
export function adminResources(context: RestContext): readonly Resource[] {
  return loggersResources(context);
}

export interface AppOptions extends DispatchOptions {
  /** Throws RestError for a request that must not be processed. (Default: no check) */
  readonly checkCaller?: CallerCheck;
  /** Serves the console's files, and passes on requests for other paths. (Default: no console) */
  readonly pages?: RequestHandler;
}

/** `first` are handlers that receive every request before all others. */
export function createApp(
  routes: readonly Resource[],
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
  for (const resource of routes) app.all(resource.path, dispatch(resource, options));
  app.use((_request, response) => writeError(response, errorReply(routingError(404), options.logger, null)));
  // Express recognizes an error handler by its four parameters.
  const failed: ErrorRequestHandler = (error, _request, response, _next) =>
    writeError(response, errorReply(error, options.logger, null));
  app.use(failed);
  return app;
}
