/** The budget of request bodies: what one caller's requests leave for others while their handlers run. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request from 'supertest';
import { internalMark } from '../../../src/cluster/forwarding/internal-marks';
import { deriveSecret, sign } from '../../../src/cluster/forwarding/session-key';
import { parseJaasFile } from '../../../packages/kafka-client/src/security/jaas';
import { silentLogger } from '../../../src/logging/logger';
import { createAccess } from '../../../src/rest/auth/access';
import { PropertyFileLogin } from '../../../src/rest/auth/property-file-login';
import { basic, writeLogins } from '../../helpers/basic-auth';
import { failedLogins } from '../../helpers/failed-logins';
import { waitFor } from '../../helpers/wait-for';
import { SRC } from '../../helpers/fake-plugins';
import { fakeWorker } from '../fake-worker';

const KIB = 1024;
let folder: string;
let login: PropertyFileLogin;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-shares-'));
  login = PropertyFileLogin.read(await writeLogins(folder, 'rita=pw\nalice=pw\n'), parseJaasFile, silentLogger);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('large requests of one user that wait do not take the room of another user’s', async () => {
  const { app, herder } = fakeWorker({
    access: createAccess({ settings: { roles: null, openPaths: [] }, login, bearer: null, failures: failedLogins() }),
    bodies: { maxBytes: 64 * KIB, inFlightBytes: 256 * KIB },
  });
  const config = { ...SRC, padding: 'x'.repeat(40 * KIB) };
  const put = async (user: string, name: string): Promise<number> =>
    (await request(app).put(`/connectors/${name}/config`).set('Authorization', basic(user, 'pw')).send(config)).status;

  const own = herder.writes.putConnectorConfig;
  const waiting: (() => void)[] = [];
  herder.writes.putConnectorConfig = async (...of) => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    return await own(...of);
  };
  let refused = 0;
  const sent = Array.from({ length: 16 }, async (_, index) => {
    const status = await put('rita', `c${index}`);
    if (status === 503) refused++;
    return status;
  });
  await waitFor('all to wait or to be refused', () => waiting.length + refused === sent.length);
  expect([waiting.length, refused]).toEqual([3, 13]);

  herder.writes.putConnectorConfig = own;
  expect(await put('alice', 'mine')).toBe(201);
  for (const go of waiting) go();
  expect((await Promise.all(sent)).filter((status) => status === 201)).toHaveLength(3);
  expect(await put('rita', 'later')).toBe(201);
});

test('a stalled body with any signature takes no room from requests whose headers prove that a worker sends them', async () => {
  const key = { key: Buffer.alloc(32, 1), algorithm: 'HmacSHA256', createdAt: 0 };
  const { app, herder } = fakeWorker({ bodies: { maxBytes: 64 * KIB, inFlightBytes: 256 * KIB } });
  herder.groupSecret = (purpose) => deriveSecret(key, purpose);
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/connectors/a/tasks`;
  const signed = (signature: string): Record<string, string> => ({
    'Content-Type': 'application/json',
    'X-Connect-Authorization': signature,
    'X-Connect-Request-Signature-Algorithm': 'HmacSHA256',
  });
  const forged = signed('A'.repeat(43) + '=');
  const stalled = httpRequest(url, { method: 'POST', headers: { ...forged, 'Content-Length': 250 * KIB } });
  stalled.on('error', () => undefined);
  stalled.write(' '.repeat(240 * KIB));

  const body = JSON.stringify([{ padding: 'x'.repeat(200 * KIB) }]);
  const post = async (headers: Record<string, string>): Promise<number> =>
    (await request(server).post('/connectors/a/tasks').set(headers).send(body)).status;
  await waitFor('the room to be taken', async () => (await post(forged)) === 503);
  const signature = sign(key, 'HmacSHA256', Buffer.from(body));
  const mark = internalMark(key, 'tasks', 'a', signature);
  expect(await post({ ...signed(signature), 'X-Millrace-Signature': mark })).toBe(204);
  expect(
    await post({
      ...signed(signature),
      'X-Millrace-Signature': mark.replace(/.$/, (end) => (end === '0' ? '1' : '0')),
    }),
  ).toBe(503);
  stalled.destroy();
  server.close();
});
