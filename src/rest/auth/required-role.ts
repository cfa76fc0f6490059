/**
 * The role that each route requires, by method and express pattern. Readers read and validate; operators also change
 * what runs; admins also change configs, offsets and log levels.
 */
import type { Role } from '../../config/rest-auth-settings';

/** Between workers: no role, but a signature, which the herder verifies. */
export type Requirement = Role | 'signature';

export const REQUIRED_ROLE: Readonly<Record<string, Requirement>> = {
  'GET /': 'reader',
  'GET /health': 'reader',
  'GET /metrics': 'reader',
  'GET /openapi.json': 'reader',
  'GET /connectors': 'reader',
  'POST /connectors': 'admin',
  'GET /connectors/:name': 'reader',
  'DELETE /connectors/:name': 'admin',
  'GET /connectors/:name/config': 'reader',
  'PUT /connectors/:name/config': 'admin',
  'PATCH /connectors/:name/config': 'admin',
  'GET /connectors/:name/status': 'reader',
  'PUT /connectors/:name/pause': 'operator',
  'PUT /connectors/:name/resume': 'operator',
  'PUT /connectors/:name/stop': 'operator',
  'POST /connectors/:name/restart': 'operator',
  'GET /connectors/:name/tasks': 'reader',
  'POST /connectors/:name/tasks': 'signature',
  'PUT /connectors/:name/fence': 'signature',
  'GET /connectors/:name/tasks/:task/status': 'reader',
  'POST /connectors/:name/tasks/:task/restart': 'operator',
  'POST /connectors/:name/signals': 'operator',
  'POST /connectors/:name/tasks/:task/signals': 'operator',
  'GET /connectors/:name/topics': 'reader',
  'PUT /connectors/:name/topics/reset': 'operator',
  'GET /connectors/:name/offsets': 'reader',
  'PATCH /connectors/:name/offsets': 'admin',
  'DELETE /connectors/:name/offsets': 'admin',
  'GET /connector-plugins': 'reader',
  'GET /connector-plugins/:plugin/config': 'reader',
  'GET /connector-plugins/:plugin/schema': 'reader',
  'PUT /connector-plugins/:plugin/config/validate': 'reader',
  'GET /admin/loggers': 'reader',
  'GET /admin/loggers/:logger': 'reader',
  // Levels decide what is left of an incident.
  'PUT /admin/loggers/:logger': 'admin',
};

/** Of what the console in the browser gets from its worker, beside the routes above. */
export const CONSOLE_ROLE: Readonly<Record<string, Role>> = {
  'GET /ui/api/session': 'reader',
  'GET /ui/api/overview': 'reader',
  // Workers ask each other.
  'GET /ui/api/worker': 'reader',
  'GET /ui/api/worker/:name': 'reader',
  'GET /ui/api/connectors/:name': 'reader',
  'PUT /ui/api/connectors/:name/config/validate': 'reader',
  'GET /ui/api/changes': 'reader',
  'GET /ui/api/worker/logs/:name': 'reader',
  'GET /ui/api/connectors/:name/logs': 'reader',
  // They contain data of records.
  'GET /ui/api/connectors/:name/dead-letters': 'operator',
  'POST /ui/api/connectors/:name/dead-letters/replay': 'operator',
};

const WORKER_ROUTES = new Set(['/ui/api/worker', '/ui/api/worker/:name', '/ui/api/worker/logs/:name']);

/** Whether workers of the group request it from each other, for the console. */
export function isWorkerRoute(method: string | undefined, path: string): boolean {
  return method === 'GET' && WORKER_ROUTES.has(path);
}

/** A route without an entry requires the most powerful role. */
export function requirementOf(method: string, path: string): Requirement {
  if (method === 'OPTIONS') return 'reader';
  const route = `${method === 'HEAD' ? 'GET' : method} ${path}`;
  const table = Object.hasOwn(CONSOLE_ROLE, route) ? CONSOLE_ROLE : REQUIRED_ROLE;
  return Object.hasOwn(table, route) ? (table[route] as Requirement) : 'admin';
}
