/** Hostile credentials against a running worker with HTTP Basic and bearer tokens. There is no Kafka. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker, type StartedWorker } from '../../dev/services/worker';
import { basic, EXTENSION, writeLogins } from '../helpers/basic-auth';
import {
  AUDIENCE,
  forgedToken,
  ISSUER,
  startIdentityProvider,
  type IdentityProvider,
} from '../helpers/identity-provider';
import { rawRequest, type RawAnswer } from '../helpers/raw-http';
import { waitFor } from '../helpers/wait-for';

const ALICE = `Authorization: ${basic('alice', 'hunter2-hunter2')}`;
let folder: string;
let provider: IdentityProvider;
let worker: StartedWorker;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-credentials-'));
  provider = await startIdentityProvider();
  worker = await startWorker({
    bootstrapServers: '127.0.0.1:1',
    group: 'credentials',
    settings: {
      ...EXTENSION,
      'java.security.auth.login.config': await writeLogins(folder, 'alice=hunter2-hunter2\n'),
      'rest.auth.jwks.url': provider.url,
      'rest.auth.jwt.issuer': ISSUER,
      'rest.auth.jwt.audience': AUDIENCE,
      'rest.auth.roles.admin': 'user:alice',
    },
  });
  await waitFor('the worker to listen', () => worker.process.log().includes('listens on'));
});
afterAll(async () => {
  await worker?.stop();
  await provider?.close();
  await rm(folder, { recursive: true, force: true });
});

const get = async (...headers: string[]): Promise<RawAnswer> => await rawRequest(worker.url, ['GET /', ...headers]);
const latin1 = (bytes: readonly number[]): string => Buffer.from(bytes).toString('latin1');

test.each<[string, () => string[]]>([
  ['no header', () => []],
  ['an empty header', () => ['Authorization:']],
  ['bytes that are not UTF-8', () => [`Authorization: Basic ${latin1([0xff, 0xfe, 0xc0])}`]],
  [
    'bytes that are not UTF-8 inside Base64',
    () => [`Authorization: Basic ${Buffer.from([0xff, 58, 0xc0]).toString('base64')}`],
  ],
  ['malformed Base64', () => ['Authorization: Basic ====']],
  ['12,000 characters of Base64', () => [`Authorization: Basic ${'QUFB'.repeat(3_000)}`]],
  ['a NUL in the password', () => [`Authorization: ${basic('alice', 'hunter2-hunter2\0')}`]],
  ['the password of another user', () => [`Authorization: ${basic('__proto__', 'hunter2-hunter2')}`]],
  ['two headers, the second one valid', () => ['Authorization: Basic eA==', ALICE]],
  ['two headers, the first one valid', () => [ALICE, 'Authorization: Bearer x']],
  ['a list in one header', () => [`${ALICE}, ${ALICE.slice(15)}`]],
  ['an unsigned token', () => [`Authorization: Bearer ${forgedToken({ alg: 'none' }, { sub: 'alice' })}`]],
  ['12,000 characters of a token', () => [`Authorization: Bearer ${'a.'.repeat(6_000)}`]],
  ['a deep token', () => [`Authorization: Bearer ${Buffer.from('['.repeat(5_000)).toString('base64url')}.e30.AA`]],
  ['another scheme', () => ['Authorization: Negotiate YWxpY2U=']],
  ['credentials in a cookie and in the URL', () => ['Cookie: authorization=x', 'X-Forwarded-User: alice']],
])('%s: 401', async (_title, headers) => {
  const answer = await get(...headers());
  expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, expect.stringMatching(/^Bearer/)]);
  expect(JSON.parse(answer.body)).toMatchObject({ error_code: 401 });
});

test('a token of someone who has no role: 403; afterwards an admin is served as before', async () => {
  const answer = await get(`Authorization: Bearer ${await provider.token({ roles: ['admin', 'user:alice'] })}`);
  expect([answer.status, answer.body]).toEqual([403, expect.stringContaining('REST_FORBIDDEN')]);
  expect((await get(ALICE)).status).toBe(200);
});

test('no route answers without credentials, however its path is written', async () => {
  for (const line of [
    'GET //connectors',
    'GET /connectors/..;/',
    'GET /./connectors',
    'GET /health/../connectors',
    'GET /%2e/connectors',
    'GET /connectors%2f',
    'GET /admin/loggers/',
    'GET /openapi.json',
    'HEAD /metrics',
    'OPTIONS /connectors',
    'OPTIONS *',
    'DELETE /connectors/x/offsets?forward=false',
    'PUT /connectors/x/fence;/pause',
  ]) {
    const { status } = await rawRequest(worker.url, [line, 'Content-Length: 0']);
    expect([line, [400, 401, 404, 405]]).toEqual([line, expect.arrayContaining([status])]);
  }
});

test('the log has no credentials, and an audit line for a caller cannot be forged', async () => {
  const forged = 'x\n2026-01-01T00:00:00.000Z INFO [millrace.audit] forged';
  const name = encodeURIComponent('x\u2028[millrace.audit] forged');
  await rawRequest(worker.url, [
    `PUT /connectors/${name}/pause`,
    `Authorization: ${basic(forged, 'p')}`,
    'Content-Length: 0',
  ]);
  await rawRequest(worker.url, [`PUT /connectors/${name}/pause`, ALICE, 'Content-Length: 0']);
  await waitFor('the audit lines', () => worker.process.log().split('/pause by').length > 2);
  const log = worker.process.log();
  expect(log.split('\n').filter((line) => /^\S+ INFO \[millrace.audit\] forged/.test(line))).toEqual([]);
  expect(log).not.toMatch(/hunter2|eyJ|\u2028/);
});
