/** Two workers with HTTP Basic, bearer tokens and roles: forwarded requests keep their caller. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker, type Answer, type StartedWorker } from '../../../dev/services/worker';
import { basic, EXTENSION, writeLogins } from '../../helpers/basic-auth';
import { AUDIENCE, ISSUER, startIdentityProvider, type IdentityProvider } from '../../helpers/identity-provider';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

const group = uniqueName('auth');
const ALICE = basic('alice', 'pw');
let folder: string;
let provider: IdentityProvider;
let leader: StartedWorker;
let follower: StartedWorker;
let workers: StartedWorker[] = [];

async function send(
  { url }: StartedWorker,
  authorization: string | null,
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(url + path, {
    method,
    headers: {
      'Content-Type': 'application/json',
      ...(authorization ? { Authorization: authorization } : {}),
      ...headers,
    },
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  const json: unknown = /^[[{]/.test(text) ? JSON.parse(text) : undefined;
  return { status: response.status, headers: response.headers, body: text, json };
}
/** The audit lines that contain the text. */
const audited = (worker: StartedWorker, text: string): string[] =>
  worker.process
    .log()
    .split('\n')
    .filter((line) => line.includes('[millrace.audit]') && line.includes(text))
    .map((line) => line.replace(/^\S+ /, '').replace(/ \{.*$/, ''));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-auth-'));
  await writeFile(join(folder, 'lines.txt'), 'one\n');
  provider = await startIdentityProvider();
  const settings = {
    ...EXTENSION,
    'java.security.auth.login.config': await writeLogins(folder, 'alice=pw\nrita=pw\n'),
    'rest.auth.jwks.url': provider.url,
    'rest.auth.jwt.issuer': ISSUER,
    'rest.auth.jwt.audience': AUDIENCE,
    'rest.auth.roles.admin': 'user:alice,claim:connect-admins',
    'rest.auth.roles.operator': 'claim:connect-operators',
    'rest.auth.roles.reader': '*',
    'rest.auth.open.paths': '/health',
    'heartbeat.interval.ms': '300',
  };
  workers = [await startWorker({ group, settings }), await startWorker({ group, settings })];
  await Promise.all(workers.map((worker) => worker.ready()));
  leader = await waitFor('one worker to lead', async () => {
    const answers = await Promise.all(
      workers.map((worker) => send(worker, ALICE, 'DELETE', '/connectors/none?forward=false')),
    );
    const at = answers.findIndex(({ status }) => status === 404);
    return answers[1 - at]?.status === 409 && workers[at];
  });
  follower = workers.find((worker) => worker !== leader) as StartedWorker;
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  await provider?.close();
  await rm(folder, { recursive: true, force: true });
});

const source = (more: Record<string, string> = {}): Record<string, string> => ({
  'connector.class': 'FileStreamSource',
  topic: `${group}-lines`,
  file: join(folder, 'lines.txt'),
  ...more,
});

test('connect-rest 157: the leader checks the caller of a forwarded request; one worker logs it, with the caller', async () => {
  const created = await send(follower, ALICE, 'POST', '/connectors', { name: 'mine', config: source() });
  expect(created.status).toBe(201);
  await waitFor('the task to run, which needs requests between workers', async () => {
    const { json } = await send(follower, ALICE, 'GET', '/connectors/mine/status');
    return (json as { tasks?: { state: string }[] } | undefined)?.tasks?.[0]?.state === 'RUNNING';
  });
  const token = `Bearer ${await provider.token({ roles: ['connect-operators'] })}`;
  expect((await send(follower, token, 'PUT', '/connectors/mine/stop')).status).toBe(204);
  expect(audited(follower, '/connectors by')).toEqual([
    'INFO [millrace.audit] POST /connectors by alice from 127.0.0.1: 201',
  ]);
  expect(audited(follower, '/stop')).toEqual([
    'INFO [millrace.audit] PUT /connectors/mine/stop by tom from 127.0.0.1: 204',
  ]);
  expect([audited(leader, '/connectors by'), audited(leader, '/stop')]).toEqual([[], []]);
});

test('a client that claims to be a forwarding worker is logged', async () => {
  const mark = { 'X-Millrace-Forwarded': `${Date.now()}.${'0'.repeat(64)}` };
  const path = '/connectors/none/stop?forward=false';
  expect((await send(leader, ALICE, 'PUT', path, undefined, mark)).status).toBe(404);
  expect(audited(leader, '/none/stop')).toEqual([
    'INFO [millrace.audit] PUT /connectors/none/stop by alice from 127.0.0.1: 404',
  ]);
});

test('roles hold on every worker, and secrets are hidden from those who are not admins', async () => {
  const config = source({ 'producer.override.sasl.jaas.config': 'hunter2', 'my.password': 'hunter2' });
  const admin = `Bearer ${await provider.token({ roles: ['connect-admins'] })}`;
  const created = await send(follower, admin, 'PUT', '/connectors/secret/config', config);
  expect([created.status, created.body]).toEqual([201, expect.stringContaining('hunter2')]);
  const rita = basic('rita', 'pw');
  for (const worker of workers) {
    const path = '/connectors/secret/config';
    const seen = await waitFor('the config', async () => {
      const answer = await send(worker, rita, 'GET', path);
      return answer.status === 200 && answer;
    });
    expect(seen.body).not.toContain('hunter2');
    expect((await send(worker, rita, 'GET', '/connectors?expand=info')).body).not.toContain('hunter2');
    expect((await send(worker, admin, 'GET', path)).body).toContain('hunter2');
    const back = await send(worker, admin, 'PUT', path, seen.json as object);
    expect([back.status, back.body]).toEqual([400, expect.stringContaining('(REST_HIDDEN_VALUE)')]);
    const refused = await send(worker, rita, 'DELETE', '/connectors/secret');
    expect([refused.status, refused.body]).toEqual([403, expect.stringContaining('(REST_FORBIDDEN)')]);
    const nobody = await send(worker, null, 'GET', path);
    expect([nobody.status, nobody.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect((await send(worker, null, 'GET', '/health')).status).toBe(200);
  }
  expect((await send(follower, admin, 'DELETE', '/connectors/secret')).status).toBe(204);
});
