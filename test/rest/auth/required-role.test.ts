/** The table of required roles has every route, and no other. */
import { CONSOLE_ROLE, REQUIRED_ROLE, requirementOf } from '../../../src/rest/auth/required-role';
import { OPERATIONS } from '../../../src/rest/openapi/operations';
import type { Resource } from '../../../src/rest/requests/route';
import { fakeWorker } from '../fake-worker';

const namesOf = (resources: readonly Resource[]): string[] =>
  resources.flatMap(({ path, methods }) => Object.keys(methods).map((method) => `${method} ${path}`)).sort();
const { routes, consoleRoutes } = fakeWorker();
const table = Object.keys(REQUIRED_ROLE).sort();

test('every served route has a required role, and every role a route', () => {
  expect(table).toEqual(namesOf(routes));
  expect(Object.keys(CONSOLE_ROLE).sort()).toEqual(namesOf(consoleRoutes));
});

test('and so has every operation of the OpenAPI document', () => {
  expect(table).toEqual(Object.keys(OPERATIONS).sort());
});

test('only requests between workers need no role', () => {
  const internal = Object.entries(OPERATIONS).flatMap(([route, operation]) => (operation.internal ? [route] : []));
  expect(Object.entries(REQUIRED_ROLE).flatMap(([route, role]) => (role === 'signature' ? [route] : []))).toEqual(
    internal,
  );
});

test('readers can only read and validate', () => {
  const changes = Object.entries(REQUIRED_ROLE).flatMap(([route, role]) =>
    role === 'reader' && !route.startsWith('GET ') ? [route] : [],
  );
  expect(changes).toEqual(['PUT /connector-plugins/:plugin/config/validate']);
});

test('operators change what runs; configs, offsets and log levels are for admins', () => {
  const routes = Object.entries(REQUIRED_ROLE).flatMap(([route, role]) => (role === 'operator' ? [route] : []));
  expect(routes.sort()).toEqual([
    'POST /connectors/:name/restart',
    'POST /connectors/:name/signals',
    'POST /connectors/:name/tasks/:task/restart',
    'POST /connectors/:name/tasks/:task/signals',
    'PUT /connectors/:name/pause',
    'PUT /connectors/:name/resume',
    'PUT /connectors/:name/stop',
    'PUT /connectors/:name/topics/reset',
  ]);
});

test('HEAD is GET, OPTIONS reads, and an unknown route requires the most powerful role', () => {
  expect([
    requirementOf('HEAD', '/connectors'),
    requirementOf('OPTIONS', '/connectors'),
    requirementOf('GET', '/new'),
    requirementOf('TRACE', '/connectors'),
    requirementOf('GET', 'toString'),
  ]).toEqual(['reader', 'reader', 'admin', 'admin', 'admin']);
});
