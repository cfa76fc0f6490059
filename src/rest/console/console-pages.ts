/**
 * Serves the console's files at `/ui/`, and redirects browsers to it. The files contain no secrets and need no
 * credentials: the page asks for them.
 */
import type { Request, RequestHandler, Response } from 'express';
import { acceptsGzip, wantsPage } from '../http/content-negotiation';
import { routingError } from '../http/rest-error';
import { sendBody } from '../http/send-body';
import { INDEX, type ConsoleFile, type ConsoleFiles } from './console-files';

const HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': [
    "default-src 'none'",
    ...["script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'"],
    ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
    ...["require-trusted-types-for 'script'", "trusted-types 'none'"],
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};
const FOREVER = 'public, max-age=31536000, immutable';
const FOLDER = '/ui/';
const API = '/ui/api/';

const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

export function consolePages(read: () => Promise<ConsoleFiles>): RequestHandler {
  return async (request, response, next) => {
    const { path } = request;
    if (path === '/') {
      if (isRead(request) && wantsPage(request.headers.accept)) redirect(response);
      else next();
      return;
    }
    if (path !== '/ui' && !path.startsWith(FOLDER)) {
      next();
      return;
    }
    // Headers of `response.http.headers.config` are the operator's, who may want others.
    for (const [name, value] of Object.entries(HEADERS)) if (!response.hasHeader(name)) response.setHeader(name, value);
    if (path.startsWith(API)) {
      response.setHeader('Cache-Control', 'no-store');
      next();
      return;
    }
    const file = path === '/ui' ? 'redirect' : (await read()).get(path.slice(FOLDER.length) || INDEX);
    if (!file) next();
    else if (!isRead(request)) throw routingError(405);
    else if (file === 'redirect') redirect(response);
    else await send(request, response, file);
  };
}

/** Relative, so that it is right behind a proxy that adds a path. */
function redirect(response: Response): void {
  response.statusCode = 303;
  response.setHeader('Location', 'ui/');
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Content-Length', '0');
  response.end();
}

async function send(request: Request, response: Response, file: ConsoleFile): Promise<void> {
  response.setHeader('ETag', file.etag);
  response.setHeader('Cache-Control', file.isHashed ? FOREVER : 'no-cache');
  response.vary('Accept-Encoding');
  if (matches(request.headers['if-none-match'], file.etag)) {
    response.statusCode = 304;
    response.end();
    return;
  }
  const isGzip = acceptsGzip(request.headers['accept-encoding']);
  const bytes = isGzip ? file.gzipped : await file.plain();
  if (isGzip) response.setHeader('Content-Encoding', 'gzip');
  response.setHeader('Content-Type', file.type);
  response.setHeader('Content-Length', String(bytes.length));
  sendBody(response, bytes);
}

/** The weak comparison of `If-None-Match`. */
function matches(header: string | undefined, etag: string): boolean {
  return (header ?? '').split(',').some((tag) => tag.trim() === etag || tag.trim() === '*');
}
