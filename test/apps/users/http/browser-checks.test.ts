/** A web page that rebinds its own name to the program is, for its browser, a page of the program's own site. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from '../../../../apps/users/src/http/app';
import { createLog } from '../../../../apps/users/src/logging/log';
import type { User } from '../../../../apps/users/src/user/user';
import { httpCall, type HttpAnswer } from '../../../helpers/http-call';

const stored = new Map<string, User>();
const servers: Server[] = [];
afterEach(() => {
  stored.clear();
  for (const server of servers.splice(0)) server.close();
});

async function start(allowedHosts: readonly string[] | null): Promise<string> {
  const app = createApp({
    users: {
      save: (user) => Promise.resolve(void stored.set(user.email, user)),
      find: (email) => Promise.resolve(stored.get(email) ?? null),
    },
    isReady: () => true,
    maxBodyBytes: 1000,
    allowedHosts,
    log: createLog('fatal'),
  });
  const server = createServer(app);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const USER = '{"email":"a@b.com","name":"n"}';
const post = async (url: string, headers: Record<string, string>): Promise<HttpAnswer> =>
  await httpCall(url, { method: 'POST', body: USER, headers: { 'Content-Length': String(USER.length), ...headers } });

test('a rebound name neither writes nor reads users', async () => {
  const url = await start(['users.test']);
  const rebound = {
    Host: 'attacker.example:8080',
    Origin: 'http://attacker.example:8080',
    'Sec-Fetch-Site': 'same-origin',
  };
  const refused = { status: 403, text: 'unknown host; add it to ALLOWED_HOSTS\n' };
  expect(await post(url, rebound)).toMatchObject(refused);
  expect(stored.size).toBe(0);
  await post(url, {});
  for (const path of ['/a@b.com', '/healthz', '/none'])
    expect(await httpCall(url + path, { headers: rebound })).toMatchObject(refused);
});

test.each([
  'users.test',
  'USERS.test:8080',
  'users.test.',
  'localhost:8080',
  'a.localhost',
  '10.0.0.7:8080',
  '[::1]:1',
])('the host %s is accepted', async (host) => {
  const url = await start(['users.test']);
  expect((await post(url, { Host: host, Origin: `http://${host}` })).status).toBe(200);
  expect((await httpCall(`${url}/a@b.com`, { headers: { Host: host } })).status).toBe(200);
});

test.each([
  'x.users.test',
  'users.test.attacker.example',
  'localhost.attacker.example',
  '127.0.0.1.attacker.example',
  '~',
])('the host %s is rejected', async (host) => {
  expect((await httpCall(`${await start(['users.test'])}/healthz`, { headers: { Host: host } })).status).toBe(403);
});

test('without a list, hosts are not checked', async () => {
  expect((await httpCall(`${await start(null)}/healthz`, { headers: { Host: 'any.test' } })).status).toBe(200);
});
