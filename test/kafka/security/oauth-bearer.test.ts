import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { clientCredentialsTokens } from '../../../packages/kafka-client/src/security/oauth-bearer';

type Answer = { status: number; body: object; location?: string } | 'nothing' | 'cut';

let server: http.Server;
let answer: Answer;
let asked: number;
let now: number;
/** Short only while the endpoint does not respond: a busy machine may take a second for a response. */
let timeoutMs: number;

beforeEach(async () => {
  asked = 0;
  now = 1_000_000;
  timeoutMs = 30_000;
  server = http.createServer((request, response) => {
    asked++;
    request.resume();
    if (answer === 'cut') return void request.socket.destroy();
    if (answer === 'nothing') return;
    const { location } = answer;
    response.writeHead(answer.status, { 'content-type': 'application/json', ...(location && { location }) });
    response.end(JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const given = (token: string): Answer => ({ status: 200, body: { access_token: token, expires_in: 100 } });

function tokens() {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
  const credentials = {
    ...{ url, clientId: 'c', clientSecret: 's', scope: null, extensions: {} },
    get timeoutMs() {
      return timeoutMs;
    },
  };
  const source = clientCredentialsTokens(credentials, () => now);
  return async (secondsLater: number) => {
    now = 1_000_000 + secondsLater * 1_000;
    return (await source()).value;
  };
}

test.each<[string, Answer]>([
  ['cuts connections', 'cut'],
  ['is overloaded', { status: 503, body: {} }],
  ['says nothing', 'nothing'],
])('a token is used until it expires while its endpoint %s', async (_, fault) => {
  const at = tokens();
  answer = given('first');
  expect(await at(0)).toBe('first');
  expect(await at(79)).toBe('first');
  expect(asked).toBe(1);
  answer = fault;
  if (fault === 'nothing') timeoutMs = 50;
  expect(await at(81)).toBe('first');
  expect(await at(99)).toBe('first');
  expect(asked).toBe(3);
  await expect(at(101)).rejects.toMatchObject({ code: 'SASL_AUTHENTICATION_FAILED', retriable: true });
  answer = given('second');
  timeoutMs = 30_000;
  expect(await at(102)).toBe('second');
});

test('a rejected refresh ends the use of the old token', async () => {
  const at = tokens();
  answer = given('first');
  expect(await at(0)).toBe('first');
  answer = { status: 401, body: { error: 'invalid_client' } };
  await expect(at(81)).rejects.toMatchObject({ code: 'SASL_AUTHENTICATION_FAILED', retriable: false });
});

test.each([301, 302, 303, 307, 308])('a redirect is not followed: %s', async (status) => {
  const at = tokens();
  answer = { status, body: {}, location: `http://127.0.0.1:${(server.address() as AddressInfo).port}/elsewhere` };
  await expect(at(0)).rejects.toMatchObject({
    message: expect.stringContaining(`HTTP status ${status}; redirects are not followed`) as unknown,
    retriable: false,
  });
  expect(asked).toBe(1);
});

test('a response without end is not read to its end', async () => {
  const at = tokens();
  answer = given('x'.repeat(1024 * 1024));
  await expect(at(0)).rejects.toMatchObject({
    message: expect.stringContaining('its response cannot be used: it is larger than 1048576 bytes') as unknown,
    retriable: false,
  });
});
