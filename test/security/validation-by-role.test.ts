/** What a validation makes a running worker do for a caller without the role admin: nothing. There is no Kafka. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker, type StartedWorker } from '../../dev/services/worker';
import type { ConfigInfos } from '../../src/config/validation/config-infos';
import { basic, EXTENSION, writeLogins } from '../helpers/basic-auth';
import { waitFor } from '../helpers/wait-for';

const PLUGIN = 'io.debezium.connector.postgresql.PostgresConnector';
let folder: string;
let worker: StartedWorker;
let listener: Server;
let connections = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-validation-'));
  listener = createServer((socket) => {
    connections++;
    socket.on('error', () => undefined).destroy();
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const logins = ['reader=r', 'operator=o', 'admin=a'].join('\n');
  worker = await startWorker({
    bootstrapServers: '127.0.0.1:1',
    group: 'validation-by-role',
    settings: {
      ...EXTENSION,
      'java.security.auth.login.config': await writeLogins(folder, `${logins}\n`),
      'rest.auth.roles.reader': 'user:reader',
      'rest.auth.roles.operator': 'user:operator',
      'rest.auth.roles.admin': 'user:admin',
    },
  });
  await waitFor('the worker to listen', () => worker.process.log().includes('listens on'));
});
afterAll(async () => {
  await worker?.stop();
  await new Promise((resolve) => listener.close(resolve));
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => (connections = 0));

interface Answer {
  readonly status: number;
  readonly checks: string | null;
  readonly errors: readonly string[];
}

async function validate(user: string, config: Record<string, string>): Promise<Answer> {
  const { port } = listener.address() as AddressInfo;
  const answer = await fetch(`${worker.url}/connector-plugins/PostgresConnector/config/validate`, {
    method: 'PUT',
    headers: { authorization: basic(user, user[0] as string), 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ 'connector.class': PLUGIN, name: 'pg', 'topic.prefix': 'p', 'table.include.list': 'public.t' },
      ...{ 'database.hostname': '127.0.0.1', 'database.port': String(port), 'database.user': 'postgres' },
      ...{ 'database.password': 'x', 'database.dbname': 'postgres', ...config },
    }),
  });
  const { configs = [] } = (await answer.json()) as ConfigInfos;
  return {
    status: answer.status,
    checks: answer.headers.get('millrace-validation'),
    errors: configs.flatMap(({ value }) => value?.errors ?? []),
  };
}

describe.each(['reader', 'operator'])('for the role %s', (user) => {
  test('a validation opens no connection and says that only the keys were checked', async () => {
    const statements = { 'database.initial.statements': 'DROP TABLE victims' };
    expect(await validate(user, statements)).toEqual({ status: 200, checks: 'keys', errors: [] });
    expect(connections).toBe(0);
  });

  test('a validation does not show which files exist', async () => {
    for (const place of [join(folder, 'jaas.conf'), join(folder, 'missing')])
      expect(
        await validate(user, {
          ...{ 'database.sslmode': 'verify-full', 'database.sslrootcert': place },
          ...{ 'database.sslcert': place, 'database.sslkey': place },
        }),
      ).toEqual({ status: 200, checks: 'keys', errors: [] });
    expect(connections).toBe(0);
  });

  test("the connector's own checks of keys are made", async () => {
    const { errors } = await validate(user, { 'slot.name': 'Not A Slot', 'database.port': 'x' });
    expect(errors).toEqual([
      expect.stringContaining("The 'database.port' value is invalid"),
      expect.stringContaining('Valid replication slot name'),
    ]);
    expect(connections).toBe(0);
  });
});

test('for the role admin, a validation connects', async () => {
  const { status, checks, errors } = await validate('admin', {});
  expect([status, checks, errors]).toEqual([200, null, [expect.stringContaining('Error while validating')]]);
  expect(connections).toBeGreaterThan(0);
});
