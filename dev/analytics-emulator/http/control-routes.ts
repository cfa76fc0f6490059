/**
 * Routes for tests, disabled by default: faults, pauses, lifetimes, the request log. Source: analytics-sink §7.3, §7.8.
 */
import express, { type Router } from 'express';
import type { Fault, Faults } from '../faults';
import type { Ingestor } from '../ingest/ingestor';
import type { Resources } from '../storage/resources';
import type { ExpiringTokens } from '../expiring-tokens';
import { jsonBody, route } from './requests';

export interface ControlContext {
  readonly faults: Faults;
  readonly ingestor: Ingestor;
  readonly resources: Resources;
  readonly tokens: ExpiringTokens;
  /** Method and path of all requests so far. Paths contain no secrets. */
  readonly requests: string[];
}

export function controlRoutes({ faults, ingestor, resources, tokens, requests }: ControlContext): Router {
  const router = express.Router();
  router.get('/log', (_request, response) => {
    response.json(requests);
  });
  router.post('/faults', jsonBody, (request, response) => {
    faults.add(request.body as Fault);
    response.sendStatus(204);
  });
  router.post('/settings', jsonBody, (request, response) => {
    const { sasLifetimeMs, tokenLifetimeMs, pauseIngestor } = request.body as Record<string, unknown>;
    if (typeof sasLifetimeMs === 'number') resources.sasLifetimeMs = sasLifetimeMs;
    if (typeof tokenLifetimeMs === 'number') tokens.lifetimeMs = tokenLifetimeMs;
    if (typeof pauseIngestor === 'boolean') ingestor.isPaused = pauseIngestor;
    response.sendStatus(204);
  });
  router.post(
    '/flush',
    route(async (_request, response) => {
      await ingestor.flush();
      response.sendStatus(204);
    }),
  );
  router.post('/reset', (_request, response) => {
    faults.clear();
    requests.length = 0;
    ingestor.isPaused = false;
    response.sendStatus(204);
  });
  return router;
}
