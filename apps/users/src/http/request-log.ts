import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Log } from '../logging/log';
import { maskEmail } from '../logging/mask-email';

const QUIET = ['/healthz', '/readyz'];

/**
 * One line for each request, when its connection is done with it. E-mail addresses are masked; the whole path, which
 * has them, is logged at debug alone. Health checks are not worth a line at info.
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
      else if (!QUIET.includes(req.path)) log.info(entry, 'request');
    });
    next();
  };
}

/** What the log may tell of a path. `res.locals.email` is the record's key where there is one. */
function maskedPath(path: string, res: Response): string {
  if (path === '/' || QUIET.includes(path)) return path;
  const email: unknown = res.locals['email'];
  return typeof email === 'string' ? `/${maskEmail(email)}` : '/***';
}
