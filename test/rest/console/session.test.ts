/** `GET /ui/api/session`, and what it answers callers without credentials. */
import type { Readable } from 'node:stream';
import request from 'supertest';
import { createAccess } from '../../../src/rest/auth/access';
import { InvalidTokenError } from '../../../src/rest/auth/access-error';
import type { PropertyFileLogin } from '../../../src/rest/auth/property-file-login';
import { failedLogins } from '../../helpers/failed-logins';
import { fakeWorker } from '../fake-worker';

const SESSION = {
  user: null,
  role: 'admin',
  worker: '127.0.0.1:8083',
  millraceVersion: '0.0.0',
  connectVersion: '4.3.1',
  groupId: 'connect-cluster',
  hasLoggers: true,
  tracksTopics: true,
  docsUrl: null,
};
const login = {
  admitsEveryone: false,
  knows: () => true,
  accepts: (credentials: { user: string } | null) => credentials !== null,
} as unknown as PropertyFileLogin;
const settings = { openPaths: [], roles: { reader: ['user:ro'], operator: ['user:op'], admin: ['user:root'] } };
const basic = (user: string): string => `Basic ${Buffer.from(`${user}:x`).toString('base64')}`;
const rejected = async (): Promise<never> => await Promise.reject(new InvalidTokenError('it has expired'));

test('without authentication everyone is admin', async () => {
  const answer = await request(fakeWorker().app).get('/ui/api/session');
  expect([answer.status, answer.body, answer.headers['cache-control']]).toEqual([200, SESSION, undefined]);
});

test('a worker without a herder is starting', async () => {
  const answer = await request(fakeWorker({ starting: true }).app).get('/ui/api/session');
  expect([answer.status, answer.body]).toEqual([404, { error_code: 404, message: 'Worker is still starting up.' }]);
});

describe('with roles', () => {
  const { app } = fakeWorker({ access: createAccess({ settings, login, bearer: rejected, failures: failedLogins() }) });

  test.each([
    ['ro', 'reader'],
    ['op', 'operator'],
    ['root', 'admin'],
  ])('%s is %s', async (user, role) => {
    const answer = await request(app).get('/ui/api/session').set('Authorization', basic(user));
    expect([answer.status, answer.body]).toEqual([200, { ...SESSION, user, role }]);
  });

  test('a user without a role may not read it', async () => {
    const answer = await request(app).get('/ui/api/session').set('Authorization', basic('none'));
    expect([answer.status, (answer.body as { error_code: number }).error_code]).toEqual([403, 403]);
  });

  test.each([
    ['no credentials', undefined, /^This request needs an Authorization header/],
    ['an invalid token', 'Bearer x', /^The bearer token is not valid: it has expired/],
  ])('%s: 401 without WWW-Authenticate, with what is accepted', async (_case, authorization, message) => {
    const asked = request(app).get('/ui/api/session');
    const answer = await (authorization === undefined ? asked : asked.set('Authorization', authorization));
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, undefined]);
    expect(answer.body).toEqual({
      error_code: 401,
      message: expect.stringMatching(message) as string,
      accepts: ['basic', 'bearer'],
    });
  });
});

test("with HTTP Basic alone, Java's text becomes a sentence to act on", async () => {
  const { app } = fakeWorker({ access: createAccess({ settings, login, bearer: null, failures: failedLogins() }) });
  const answer = await request(app).get('/ui/api/session');
  expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, undefined]);
  expect(answer.body).toEqual({
    error_code: 401,
    message: 'Sign in with credentials that this worker accepts',
    accepts: ['basic'],
  });
  expect(answer.headers['content-type']).toBe('application/json');
});

test('no 401 of the REST API opens a dialog of the browser: there is no Basic challenge', async () => {
  for (const [bearer, challenge] of [
    [null, undefined],
    [rejected, 'Bearer'],
  ] as const) {
    const { app } = fakeWorker({ access: createAccess({ settings, login, bearer, failures: failedLogins() }) });
    const answer = await request(app)
      .get('/connectors')
      .buffer()
      .parse((response, done) => (response as unknown as Readable).resume().on('end', () => done(null, null)));
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, challenge]);
  }
});
