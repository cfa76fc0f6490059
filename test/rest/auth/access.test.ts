/** Requests of callers with and without roles, through the whole HTTP layer. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request from 'supertest';
import type { BearerSettings, RoleRules } from '../../../src/config/rest-auth-settings';
import { parseJaasFile } from '../../../packages/kafka-client/src/security/jaas';
import { silentLogger } from '../../../src/logging/logger';
import { createAccess, OPEN_ACCESS } from '../../../src/rest/auth/access';
import { AuditLog } from '../../../src/rest/auth/audit-log';
import { accessOf } from '../../../src/rest/auth/create-access';
import { PropertyFileLogin } from '../../../src/rest/auth/property-file-login';
import { basic, writeLogins } from '../../helpers/basic-auth';
import { failedLogins } from '../../helpers/failed-logins';
import { waitFor } from '../../helpers/wait-for';
import { SRC } from '../../helpers/fake-plugins';
import { fakeWorker, type FakeWorker } from '../fake-worker';

const ROLES: RoleRules = { reader: ['user:rita'], operator: ['user:olga'], admin: ['user:alice'] };
const JAVA_401 = 'User cannot access the resource.';
let folder: string;
let login: PropertyFileLogin;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-access-'));
  const users = ['rita', 'olga', 'alice', 'nina'].map((user) => `${user}=pw\n`).join('');
  login = PropertyFileLogin.read(await writeLogins(folder, users), parseJaasFile, silentLogger);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let audited: string[];
function worker(roles: RoleRules | null = ROLES, openPaths: readonly string[] = []): FakeWorker {
  audited = [];
  const info = (message: string): void => void audited.push(message);
  return fakeWorker({
    access: createAccess({ settings: { roles, openPaths }, login, bearer: null, failures: failedLogins() }),
    audit: new AuditLog(
      { ...silentLogger, info },
      () => false,
      () => true,
    ),
  });
}
type Method = 'get' | 'put' | 'post' | 'patch' | 'delete';
/** Parses JSON, and returns any other body as a text. */
function tolerant(response: IncomingMessage, done: (error: null, body: unknown) => void): void {
  const chunks: Buffer[] = [];
  response.on('data', (chunk: Buffer) => chunks.push(chunk));
  response.on('end', () => {
    const text = Buffer.concat(chunks).toString('utf8');
    done(null, /^[[{]/.test(text) ? JSON.parse(text) : text);
  });
}

async function send(
  { app }: FakeWorker,
  user: string | null,
  method: Method,
  path: string,
  body?: object,
): Promise<request.Response> {
  const sent = request(app)[method](path);
  // Java's text is sent as JSON.
  void sent.buffer(true).parse(tolerant as never);
  if (user !== null) void sent.set('Authorization', basic(user, 'pw'));
  return await (body === undefined ? sent : sent.send(body));
}
const forbidden = (has: string, what: string, role: string): object => ({
  error_code: 403,
  message: `${has}: ${what} needs the role ${role} (REST_FORBIDDEN)`,
});

test('each role may do what its routes allow', async () => {
  const found = worker();
  expect((await send(found, 'alice', 'post', '/connectors', { name: 'a', config: SRC })).status).toBe(201);
  expect((await send(found, 'rita', 'get', '/connectors')).body).toEqual(['a']);
  const refused = await send(found, 'rita', 'put', '/connectors/a/pause');
  expect([refused.status, refused.body]).toEqual([
    403,
    forbidden('The role reader is not enough', 'PUT /connectors/:name/pause', 'operator'),
  ]);
  expect(refused.headers['content-type']).toBe('application/json');
  expect((await send(found, 'olga', 'put', '/connectors/a/pause')).status).toBe(202);
  const deleted = await send(found, 'olga', 'delete', '/connectors/a');
  expect(deleted.body).toEqual(forbidden('The role operator is not enough', 'DELETE /connectors/:name', 'admin'));
  const none = await send(found, 'nina', 'get', '/connectors');
  expect(none.body).toEqual(forbidden('The caller has no role', 'GET /connectors', 'reader'));
  const anonymous = await send(found, null, 'get', '/connectors');
  expect([anonymous.status, anonymous.body]).toEqual([401, JAVA_401]);
  expect((await send(found, 'alice', 'delete', '/connectors/a')).status).toBe(204);
});

test('every change has one audit line, refused ones included, and reads have none', async () => {
  const found = worker();
  await send(found, 'alice', 'post', '/connectors', { name: 'a', config: SRC });
  await send(found, 'rita', 'get', '/connectors/a');
  await send(found, 'rita', 'put', '/connectors/a/pause');
  await send(found, null, 'delete', '/connectors/a');
  await send(found, 'alice', 'put', '/connectors/a/config?token=x', { 'connector.class': 'none' });
  await send(found, 'rita', 'put', '/connector-plugins/FileStreamSource/config/validate', SRC);
  await send(found, 'alice', 'put', '/nowhere', {});
  await send(found, 'alice', 'put', '/admin/loggers/root', { level: 'OFF' });
  await send(found, null, 'post', '/connectors/a/tasks', []);
  const from = /from \S+: (\d+)$/;
  expect(audited.map((line) => line.replace(from, '→ $1'))).toEqual([
    'POST /connectors by alice → 201',
    'PUT /connectors/a/pause by rita → 403',
    'DELETE /connectors/a by an unauthenticated caller → 401',
    'PUT /connectors/a/config by alice → 400',
    'PUT /admin/loggers/root by alice → 200',
    'POST /connectors/a/tasks by an unauthenticated caller → 400',
  ]);
});

test('a caller that disconnects before its change is done is logged with its address', async () => {
  const lines: string[] = [];
  const info = (message: string): void => void lines.push(message);
  let disconnected: () => void = () => undefined;
  const gone = new Promise<void>((resolve) => (disconnected = resolve));
  const found = fakeWorker({
    access: {
      admitsEveryone: false,
      hasRoles: false,
      accepts: [],
      admit: async (request, route) => await gone.then(() => OPEN_ACCESS.admit(request, route)),
    },
    audit: new AuditLog(
      { ...silentLogger, info },
      () => false,
      () => true,
    ),
  });
  const server = found.app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    server.on('connection', (socket) => socket.once('close', disconnected));
    const { port } = server.address() as AddressInfo;
    const client = httpRequest({ port, host: '127.0.0.1', method: 'DELETE', path: '/connectors/none' });
    client.on('error', () => undefined).end();
    await once(server, 'request');
    client.destroy();
    await waitFor('the line', () => lines.length > 0);
    expect(lines).toEqual(['DELETE /connectors/none by an unauthenticated caller from 127.0.0.1: 404']);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});

describe('secrets of configs', () => {
  const label = '-----BEGIN PRIVATE KEY-----\nMIIhunter2\n-----END PRIVATE KEY-----\n';
  const secrets = { secret: 'hunter2', 'my.password': 'hunter2', label };
  const config = { ...SRC, 'connector.class': 'org.example.OddConnector', ...secrets };
  const hidden = { ...config, name: 'a', secret: '[hidden]', 'my.password': '[hidden]', label: '[hidden]' };

  test.each(['rita', 'olga'])('%s sees them hidden on every route', async (user) => {
    const found = worker();
    await send(found, 'alice', 'post', '/connectors', { name: 'a', config });
    expect((await send(found, user, 'get', '/connectors/a/config')).body).toEqual(hidden);
    expect((await send(found, user, 'get', '/connectors/a')).body).toMatchObject({ config: hidden });
    expect((await send(found, user, 'get', '/connectors?expand=info&expand=status')).body).toMatchObject({
      a: { info: { config: hidden }, status: { name: 'a' } },
    });
    expect((await send(found, user, 'get', '/connectors/a/tasks')).body).toMatchObject([{ config: hidden }]);
  });

  test('traces that quote them are hidden from callers who are not admins', async () => {
    const found = worker();
    await send(found, 'alice', 'post', '/connectors', { name: 'a', config: { ...config, 'my.password': 'tr0ub4dor' } });
    (found.herder.entries.get('a') as { taskStates: string[] }).taskStates = ['FAILED'];
    found.herder.trace = "login of tom with 'tr0ub4dor' at postgres://tom:hunter3@db failed\n\tat here\n";
    const shown = "login of tom with '[hidden]' at postgres://tom:[hidden]@db failed\n\tat here\n";
    const seen = async (user: string): Promise<string[]> => {
      const tasks = (await send(found, user, 'get', '/connectors/a/status')).body as { tasks: { trace: string }[] };
      const task = (await send(found, user, 'get', '/connectors/a/tasks/0/status')).body as { trace: string };
      const all = (await send(found, user, 'get', '/connectors?expand=status')).body as Record<
        string,
        { status: typeof tasks }
      >;
      return [tasks.tasks[0]?.trace, task.trace, all['a']?.status.tasks[0]?.trace].map(String);
    };
    expect(await seen('rita')).toEqual([shown, shown, shown]);
    expect(await seen('alice')).toEqual(Array(3).fill(found.herder.trace));
    const restarted = await send(found, 'olga', 'post', '/connectors/a/restart?includeTasks=true');
    expect(JSON.stringify(restarted.body)).not.toMatch(/tr0ub4dor|hunter3/);
  });

  test('an admin sees them, and so does every user while no roles are set', async () => {
    for (const [roles, user] of [[ROLES, 'alice'] as const, [null, 'rita'] as const]) {
      const found = worker(roles);
      const created = await send(found, 'alice', 'post', '/connectors', { name: 'a', config });
      expect(created.body).toMatchObject({ config });
      expect((await send(found, user, 'get', '/connectors/a/config')).body).toEqual({ ...config, name: 'a' });
    }
  });

  test('a hidden value that is sent back is refused; a patch without it keeps the secret', async () => {
    const found = worker();
    await send(found, 'alice', 'post', '/connectors', { name: 'a', config });
    const message =
      'The value of "secret" has the mark [hidden], which replaces a value that was not shown; send the value itself, ' +
      'or PATCH the config without this key to keep it (REST_HIDDEN_VALUE)';
    for (const [method, path, body] of [
      ['put', '/connectors/a/config', hidden],
      ['patch', '/connectors/a/config', { secret: '[hidden]' }],
      ['put', '/connector-plugins/OddConnector/config/validate', hidden],
      ['post', '/connectors', { name: 'b', config: { ...hidden, name: 'b' } }],
    ] as const)
      expect((await send(found, 'alice', method, path, body)).body).toEqual({ error_code: 400, message });
    await send(found, 'alice', 'patch', '/connectors/a/config', { topic: 'other' });
    expect((await send(found, 'alice', 'get', '/connectors/a/config')).body).toMatchObject({ secret: 'hunter2' });
  });

  test('only an admin validates values of config providers, which validation could send anywhere', async () => {
    const found = worker();
    const path = '/connector-plugins/FileStreamSource/config/validate';
    const sent = { ...SRC, name: 'v', topic: '${file:/run/secrets/db:password}' };
    const refused = await send(found, 'rita', 'put', path, sent);
    expect([refused.status, (refused.body as { message: string }).message]).toEqual([
      403,
      'Values of config providers can only be validated with the role admin (REST_FORBIDDEN)',
    ]);
    expect((await send(found, 'alice', 'put', path, sent)).status).toBe(200);
    expect((await send(found, 'rita', 'put', path, { ...sent, topic: 't' })).status).toBe(200);
  });
});

test('open paths need no credentials for GET and HEAD, and nothing else is open', async () => {
  const found = worker(ROLES, ['/health', '/metrics']);
  expect((await send(found, null, 'get', '/health')).status).toBe(200);
  expect((await request(found.app).head('/health/')).status).toBe(200);
  expect((await send(found, null, 'get', '/metrics')).status).toBe(200);
  expect((await request(found.app).options('/health')).status).toBe(401);
  expect((await send(found, null, 'get', '/')).status).toBe(401);
  expect((await send(found, null, 'get', '/connectors')).status).toBe(401);
});

test('a route is protected however its path is written', async () => {
  const found = worker();
  await send(found, 'alice', 'post', '/connectors', { name: 'a', config: SRC });
  const spellings = ['/connectors/', '/connectors;a=b', '/connectors/a;x', '/%63onnectors', '/connectors?forward=true'];
  for (const path of [...spellings, '/connectors/a%2F..', '/connectors/%61/config'])
    expect([path, [401, 404]]).toEqual([path, expect.arrayContaining([(await send(found, null, 'get', path)).status])]);
  for (const path of ['/connectors/a/tasks/', '/connectors/x%2Fconnectors%2Fy/tasks', '/connectors/a/tasks;x=y'])
    expect([path, (await send(found, null, 'get', path)).status]).toEqual([path, 401]);
});

test('an empty credentials file and roles contradict each other', () => {
  const empty = join(folder, 'empty.properties');
  const jaas = join(folder, 'empty.conf');
  writeFileSync(empty, '');
  writeFileSync(jaas, `KafkaConnect { PropertyFileLoginModule required file="${empty}"; };`);
  const settings = { basic: { jaasFile: jaas }, bearer: null, roles: ROLES, openPaths: [] };
  expect(() => accessOf(settings, parseJaasFile, silentLogger, failedLogins())).toThrow(
    /an empty credentials file admits everyone/,
  );
  expect(accessOf({ ...settings, roles: null }, parseJaasFile, silentLogger, failedLogins()).admitsEveryone).toBe(true);
});

test('rules that admit more or fewer callers than they seem to are reported at startup', () => {
  const warnings: string[] = [];
  const logger = { ...silentLogger, warn: (message: string): void => void warnings.push(message) };
  const basicAuth = { jaasFile: join(folder, 'jaas.conf') };
  const bearer: BearerSettings = {
    keys: { url: 'http://localhost:1/' },
    issuer: 'i',
    audience: ['a'],
    algorithms: ['RS256'],
    clockSkewMs: 0,
    userClaim: 'sub',
    rolesClaim: 'roles',
  };
  const settings = { basic: basicAuth, bearer: null, roles: ROLES, openPaths: [] };
  for (const more of [
    {},
    { roles: { ...ROLES, admin: [] } },
    { roles: { ...ROLES, operator: ['user:Olga', '*'] } },
    { roles: { ...ROLES, operator: ['user:Olga'] }, bearer },
    { roles: null },
    { roles: null, bearer },
  ])
    accessOf({ ...settings, ...more }, parseJaasFile, logger, failedLogins());
  expect(warnings).toEqual([
    'No caller has the role admin, so no request can create, change or delete connectors; set rest.auth.roles.admin',
    'The rule user:Olga of rest.auth.roles.operator has no effect: no credentials file has that user',
    'Every caller with a valid bearer token may do everything, because no roles are set; set rest.auth.roles.* (rest.auth.roles.admin=* keeps it so)',
  ]);
});

test('bodies of callers without credentials leave room for those of others', async () => {
  const found = fakeWorker({
    access: createAccess({ settings: { roles: ROLES, openPaths: [] }, login, bearer: null, failures: failedLogins() }),
    bodies: { maxBytes: 1_000, inFlightBytes: 1_500 },
  });
  const server = found.app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const signed = {
    'Content-Length': '1500',
    'X-Connect-Authorization': `${'A'.repeat(43)}=`,
    'X-Connect-Request-Signature-Algorithm': 'HmacSHA256',
  };
  const slow = httpRequest({ port, host: '127.0.0.1', method: 'POST', path: '/connectors/a/tasks', headers: signed });
  slow.on('error', () => undefined).write(' '.repeat(1_400));
  try {
    const second = async (): Promise<number> => {
      const response = await fetch(`http://127.0.0.1:${port}/connectors/a/tasks`, {
        method: 'POST',
        headers: { ...signed, 'Content-Length': '200' },
        body: ' '.repeat(200),
      });
      return response.status;
    };
    // The worker has received the first body.
    await waitFor('no room', async () => (await second()) === 503);
    const created = await request(server)
      .post('/connectors')
      .set('Authorization', basic('alice', 'pw'))
      .send({ name: 'a', config: { ...SRC, padding: 'x'.repeat(300) } });
    expect(created.status).toBe(201);
  } finally {
    slow.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});
