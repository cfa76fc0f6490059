import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { maskEmail, type Log } from '../logging/log';

const HEALTH_PATHS = ['/healthz', '/readyz'];

/**
 * Logs one line per request when the response is closed. E-mail addresses are masked; the complete path, which contains
 * them, is logged only at debug. Health checks are not logged at info.
 */
export function requestLog(log: Log): RequestHandler {
  return (req: Request, res: Response, next: NextFunction): void => {
    const began = performance.now();
    const id = randomUUID();
    res.locals['requestId'] = id;
    res.once('close', () => {
      const entry = {
        requestId: id,
        method: req.method,
        path: maskedPath(req.path, res),
        status: res.statusCode,
        ms: Math.round(performance.now() - began),
        ...(res.writableFinished ? {} : { aborted: true }),
      };
      if (log.isLevelEnabled('debug')) log.debug({ ...entry, path: req.path }, 'request');
      else if (!HEALTH_PATHS.includes(req.path)) log.info(entry, 'request');
    });
    next();
  };
}

/** The path with the e-mail masked. `res.locals.email` is set if the route has one. */
function maskedPath(path: string, res: Response): string {
  if (path === '/' || HEALTH_PATHS.includes(path)) return path;
  const email: unknown = res.locals['email'];
  return typeof email === 'string' ? `/${maskEmail(email)}` : '/***';
}
