import type { IncomingMessage } from 'node:http';
import { silentLogger } from '../../../src/logging/logger';
import { AuditLog, type AuditedChange } from '../../../src/rest/auth/audit-log';
import type { Requirement } from '../../../src/rest/auth/roles';

const roleOf = (route: string): Requirement =>
  route.endsWith('/tasks') ? 'signature' : route.endsWith('/validate') ? 'reader' : 'operator';
const change = (method: string, route: string, more: Partial<AuditedChange> = {}): AuditedChange => ({
  request: { method, headers: {} } as IncomingMessage,
  remote: '10.0.0.1',
  path: route.replace(':name', 'a'),
  route: { path: route, role: roleOf(route) },
  user: 'alice',
  connector: 'a',
  status: 202,
  ...more,
});
function lines(
  changes: readonly AuditedChange[],
  { forwarded = false, verified = true } = {},
): [message: string, fields: unknown][] {
  const found: [string, unknown][] = [];
  const info = (message: string, fields?: unknown): void => void found.push([message, fields]);
  const log = new AuditLog(
    { ...silentLogger, info },
    () => forwarded,
    () => verified,
  );
  changes.forEach((each) => log.record(each));
  return found;
}

test('who, from where, what, and the result', () => {
  expect(lines([change('PUT', '/connectors/:name/pause')])).toEqual([
    [
      'PUT /connectors/a/pause by alice from 10.0.0.1: 202',
      {
        user: 'alice',
        remote: '10.0.0.1',
        method: 'PUT',
        path: '/connectors/a/pause',
        connector: 'a',
        status: 202,
      },
    ],
  ]);
  const [[message] = []] = lines([change('DELETE', '/connectors/:name', { user: null, status: 401 })]);
  expect(message).toBe('DELETE /connectors/a by an unauthenticated caller from 10.0.0.1: 401');
});

test('reads, validation, and what another worker has logged have no line', () => {
  const reads = [
    change('GET', '/connectors'),
    change('HEAD', '/connectors'),
    change('OPTIONS', '/connectors/:name/pause'),
    change('PUT', '/connector-plugins/:plugin/config/validate'),
  ];
  expect(lines(reads)).toEqual([]);
  expect(lines([change('PUT', '/connectors/:name/pause')], { forwarded: true })).toEqual([]);
});

test('an unsigned request to an internal route has a line, a signed one of a worker has none, a forged one has', () => {
  const internal = change('POST', '/connectors/:name/tasks', { status: 400 });
  expect(lines([internal])).toHaveLength(1);
  const headers = { 'x-connect-authorization': 'c2ln' };
  expect(lines([{ ...internal, status: 204, request: { ...internal.request, headers } }])).toEqual([]);
  expect(lines([{ ...internal, request: { ...internal.request, headers } }])).toHaveLength(1);
  // No worker has verified it, so anyone may have sent it.
  const unverified = { ...internal, status: 204, request: { ...internal.request, headers } };
  expect(lines([unverified], { verified: false })).toHaveLength(1);
  // An invalid signature, and one that cannot be checked.
  expect(lines([{ ...internal, status: 409, request: { ...internal.request, headers } }])).toEqual([]);
  expect(lines([{ ...internal, status: 403, request: { ...internal.request, headers } }])).toHaveLength(1);
});

test('a user name that could be read as another part of the line is quoted', () => {
  const shown = (user: string): string =>
    (lines([change('PUT', '/connectors/:name/pause', { user })])[0]?.[0] ?? '').replace(/^.* by /, '');
  expect(shown('an unauthenticated caller')).toBe('"an unauthenticated caller" from 10.0.0.1: 202');
  expect(shown('eve from 10.9.9.9: 202 {"user":"bob"}')).toBe(
    '"eve from 10.9.9.9: 202 {\\u0022user\\u0022:\\u0022bob\\u0022}" from 10.0.0.1: 202',
  );
  expect(shown('auth0|5f7c')).toBe('auth0|5f7c from 10.0.0.1: 202');
  expect(shown('jörg.o@example.org')).toBe('jörg.o@example.org from 10.0.0.1: 202');
});

test('no text of a caller can start a line of its own or fill the log', () => {
  const user = 'eve\n2026-01-01T00:00:00Z INFO [millrace.audit] DELETE\u2028\u202e\u0000';
  const [[message = '', fields] = []] = lines([
    change('PUT', '/connectors/:name/pause', { user, connector: 'x\r\n'.repeat(10_000), path: '/y'.repeat(10_000) }),
  ]);
  expect(message).toContain('eve\\u000a2026-01-01');
  expect(message).toContain('\\u2028\\u202e\\u0000');
  // eslint-disable-next-line no-control-regex -- searches control characters on purpose
  expect(message + JSON.stringify(fields)).not.toMatch(/[\u0000-\u001f\u2028\u202e]/);
  expect(message.length).toBeLessThan(1_000);
  expect(JSON.stringify(fields).length).toBeLessThan(4_000);
});
