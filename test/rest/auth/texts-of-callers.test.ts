/** What callers send and names of connectors are shown as they are, whatever config providers return for others. */
import { PassThrough } from 'node:stream';
import request from 'supertest';
import { createConfigResolver } from '../../../src/config/providers/config-resolver';
import { createLogger } from '../../../src/logging/winston-logger';
import type { Caller } from '../../../src/rest/auth/access';
import { AuditLog } from '../../../src/rest/auth/audit-log';
import { HiddenSecrets } from '../../../src/rest/auth/hidden-secrets';
import { SRC } from '../../helpers/fake-plugins';
import { fakeWorker } from '../fake-worker';

const GUESSES = ['kafka', 'guess-1', 'S3cret-of-orders', 's3cret-of-the-worker', 'guess-2'];

function worker(log = new PassThrough()): ReturnType<typeof fakeWorker> {
  return fakeWorker({
    audit: new AuditLog(
      createLogger({ stream: log }),
      () => false,
      () => true,
    ),
  });
}

beforeAll(async () => {
  const env = { USER_NAME: 'kafka', PASSWORD: 's3cret-of-orders', WORKER: 's3cret-of-the-worker' };
  const settings = { 'config.providers': 'env', 'config.providers.env.class': 'EnvVarConfigProvider' };
  const resolver = createConfigResolver({ settings, env, warn: () => undefined });
  const own = { 'database.user': '${env:USER_NAME}', 'database.password': '${env:PASSWORD}' };
  expect(await resolver.resolve(own, { owner: 'orders' })).toMatchObject({ 'database.user': 'kafka' });
  expect(await resolver.resolve({ key: '${env:WORKER}' }, { owner: null })).toEqual({ key: 's3cret-of-the-worker' });
});

test('validation does not tell which of many guesses is the value of a config provider', async () => {
  const config = { ...SRC, name: 'orders', 'tasks.max': GUESSES.join(' ') };
  const { text } = await request(worker().app).put('/connector-plugins/FileStreamSource/config/validate').send(config);
  expect(text).toContain(`Invalid value ${GUESSES.join(' ')} for configuration tasks.max`);
  expect(text).not.toContain('${env:');
});

test.each([
  [
    'POST of an invalid config',
    'post',
    '/connectors',
    { name: 'n', config: { ...SRC, 'tasks.max': GUESSES.join(' ') } },
  ],
  ['PUT of an invalid config', 'put', '/connectors/orders/config', { ...SRC, 'tasks.max': GUESSES.join(' ') }],
  ['an unknown connector', 'get', `/connectors/${encodeURIComponent(GUESSES.join(' '))}`, undefined],
  ['an unknown plugin', 'get', `/connector-plugins/${encodeURIComponent(GUESSES.join(' '))}/config`, undefined],
  ['an unknown logger', 'get', `/admin/loggers/${encodeURIComponent(GUESSES.join(' '))}`, undefined],
  ['a wrong state', 'post', '/connectors', { name: 'n', config: SRC, initial_state: GUESSES.join(' ') }],
] as const)('the refusal of %s quotes what was sent', async (_, method, path, body) => {
  const answer = await request(worker().app)[method](path).send(body);
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(answer.text).not.toContain('${env:');
});

test('a connector whose name is a value of another one has its name in the list, its config and the audit log', async () => {
  const log = new PassThrough();
  const { app } = worker(log);
  const config = { ...SRC, file: '/data/s3cret-of-orders' };
  expect((await request(app).post('/connectors').send({ name: 'kafka', config })).status).toBe(201);
  const { body } = await request(app).get('/connectors/kafka');
  expect(body).toMatchObject({ name: 'kafka', config: { name: 'kafka', file: '/data/s3cret-of-orders' } });
  await request(app).put('/connectors/kafka/pause');
  await request(app).put('/connectors/orders/pause');
  const lines = String(log.read());
  expect(lines).toContain('PUT /connectors/kafka/pause by an unauthenticated caller');
  expect(lines).toContain('"connector":"kafka"');
  expect(lines).toContain('PUT /connectors/orders/pause');
  expect(lines).not.toContain('${env:');
});

test('a reader sees the config of a connector as it was sent, without its secrets', async () => {
  const secrets = new HiddenSecrets(true, { definitions: async () => await Promise.resolve([]) }, { list: () => [] });
  const config = { ...SRC, name: 'kafka', 'a.b': GUESSES.join(' '), 'my.password': 'pw', url: 'http://u:pw@h' };
  expect(await secrets.shown({ user: 'rita', role: 'reader' } as Caller, config, SRC['connector.class'])).toEqual({
    ...config,
    'my.password': '[hidden]',
    url: 'http://u:[hidden]@h',
  });
});

test('validation of a changed config: messages are not altered by earlier values of the connector', async () => {
  const secrets = new HiddenSecrets(true, { definitions: async () => await Promise.resolve([]) }, { list: () => [] });
  const said = (await secrets.inValidationOf({ ...SRC, name: 'orders' }))(`Invalid value ${GUESSES.join(' ')}`);
  expect(said).toBe(`Invalid value ${GUESSES.join(' ')}`);
});
