/** What every route of the service's own does with requests and errors. */
import { randomUUID } from 'node:crypto';
import { gunzipSync, inflateSync } from 'node:zlib';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Faults, FaultTarget } from '../faults';
import { asKustoError, badRequest, KustoError } from '../kusto-error';
import type { ExpiringTokens } from '../expiring-tokens';

/** Echoes the client's request id and gives an activity id. */
export const requestIds: RequestHandler = (request, response, next) => {
  const id = request.get('x-ms-client-request-id');
  if (id !== undefined) response.set('x-ms-client-request-id', id);
  response.set('x-ms-activity-id', randomUUID());
  next();
};

/** 401 without a valid bearer token. @param tokens null: no login is required. */
export function authenticated(tokens: ExpiringTokens | null): RequestHandler {
  return (request, response, next) => {
    const token = /^Bearer (.+)$/i.exec(request.get('authorization') ?? '')?.[1];
    if (tokens === null || (token !== undefined && tokens.isValid(token))) {
      next();
      return;
    }
    response.set('WWW-Authenticate', 'Bearer');
    next(new KustoError('General_Unauthorized', 'The bearer token is missing, unknown or expired', { status: 401 }));
  };
}

export function withFaults(faults: Faults, target: FaultTarget): RequestHandler {
  return (request, response, next) => {
    const body = request.body as unknown;
    const text = `${request.originalUrl} ${Buffer.isBuffer(body) ? '' : JSON.stringify(body ?? '')}`;
    faults.apply(target, text, response).then((answered) => {
      if (!answered) next();
    }, next);
  };
}

/** The body as it is once unpacked. @param limit Bytes as sent. @throws KustoError 413 */
export async function readBody(request: Request, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > limit)
      throw new KustoError('BadRequest_RequestEntityTooLarge', `More than ${limit} bytes were sent`, { status: 413 });
    chunks.push(chunk as Buffer);
  }
  const body = Buffer.concat(chunks);
  const encoding = (request.get('content-encoding') ?? '').toLowerCase();
  try {
    if (encoding === 'gzip') return gunzipSync(body);
    return encoding === 'deflate' ? inflateSync(body) : body;
  } catch {
    throw badRequest(`The body is not ${encoding}`, 'BadRequest_InvalidBlob');
  }
}

/** Any text as JSON, whatever its content type says. */
export const jsonBody: RequestHandler = (request, _response, next) => {
  readBody(request, 16 * 1024 * 1024).then((body) => {
    try {
      request.body = JSON.parse(body.toString('utf8')) as unknown;
      next();
    } catch {
      next(badRequest('The body is not JSON'));
    }
  }, next);
};

/** Lets a route be an async function. */
export function route(handle: (request: Request, response: Response) => Promise<void>): RequestHandler {
  return (request, response, next) => {
    handle(request, response).catch(next);
  };
}

export function errors(error: unknown, _request: Request, response: Response, next: NextFunction): void {
  if (response.headersSent) {
    next(error);
    return;
  }
  const found = asKustoError(error);
  if (found.options.retryAfterSeconds !== undefined)
    response.set('Retry-After', String(found.options.retryAfterSeconds));
  response.status(found.status).json(found.body());
}
