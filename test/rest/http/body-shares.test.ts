/** The budget of request bodies: what one caller's requests leave for others while their handlers run. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request from 'supertest';
import { parseJaasFile } from '../../../src/kafka/security/jaas-file';
import { silentLogger } from '../../../src/logging/logger';
import { createAccess } from '../../../src/rest/auth/access';
import { PropertyFileLogin } from '../../../src/rest/auth/property-file-login';
import { basic, writeLogins } from '../../helpers/basic-auth';
import { failedLogins } from '../../helpers/failed-logins';
import { waitFor } from '../../helpers/wait-for';
import { fakeWorker, SRC } from '../fake-worker';

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

  const own = herder.putConnectorConfig.bind(herder);
  const waiting: (() => void)[] = [];
  herder.putConnectorConfig = async (...of) => {
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

  herder.putConnectorConfig = own;
  expect(await put('alice', 'mine')).toBe(201);
  for (const go of waiting) go();
  expect((await Promise.all(sent)).filter((status) => status === 201)).toHaveLength(3);
  expect(await put('rita', 'later')).toBe(201);
});
