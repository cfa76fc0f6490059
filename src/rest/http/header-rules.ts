/**
 * Headers of every response of the main listeners: CORS and `response.http.headers.config`. Source: connect-rest §0.5.
 */
import type { RequestHandler } from 'express';
import type { CorsSettings } from '../../config/cors';
import type { HeaderRule } from '../../config/response-headers';

const PREFLIGHT_MAX_AGE_SECONDS = 60;

/**
 * A request from a page without permission is processed like any other. The browser hides the response from the page.
 */
export function corsHeaders({ allows, methods }: CorsSettings): RequestHandler {
  return (request, response, next) => {
    response.setHeader('Vary', 'Origin');
    const { origin } = request.headers;
    if (origin !== undefined && allows(origin)) {
      response.setHeader('Access-Control-Allow-Origin', origin);
      if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined) {
        response.setHeader('Access-Control-Allow-Methods', methods.join(','));
        response.setHeader('Access-Control-Allow-Headers', 'Content-Type');
        response.setHeader('Access-Control-Max-Age', String(PREFLIGHT_MAX_AGE_SECONDS));
      }
    }
    next();
  };
}

export function responseHeaders(rules: readonly HeaderRule[]): RequestHandler {
  return (_request, response, next) => {
    for (const { action, name, value } of rules) {
      const text = typeof value === 'string' ? value : new Date(Date.now() + value).toUTCString();
      if (action === 'set') response.setHeader(name, text);
      else response.appendHeader(name, text);
    }
    next();
  };
}
