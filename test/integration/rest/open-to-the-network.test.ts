/** The warning of a worker that anyone on the network may use. There is no Kafka: it is logged before. */
import { freePort } from '../../../dev/services/free-port';
import { startWorker } from '../../../dev/services/worker';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXTENSION, jvmFlag, writeLogins } from '../../helpers/basic-auth';
import { waitFor } from '../../helpers/wait-for';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-open-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The warnings that contain a text, logged before the port is reported. */
async function warnings(
  settings: Record<string, string>,
  env: Record<string, string> = {},
  text = 'open to the network',
): Promise<string[]> {
  const worker = await startWorker({ bootstrapServers: '127.0.0.1:1', group: 'open', settings, env });
  try {
    await waitFor('the worker to listen', () => worker.process.log().includes('listens on'));
    return worker.process
      .log()
      .split('\n')
      .filter((line) => line.includes(text));
  } finally {
    await worker.stop();
  }
}

test('a worker on all interfaces without authentication warns once, and names the settings', async () => {
  const port = await freePort();
  const found = await warnings({ listeners: `http://0.0.0.0:${port}`, 'admin.listeners': 'http://:0' });
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(/ WARN \[millrace.rest\] The REST API is open to the network without authentication/);
  expect(found[0]).toContain(`http://0.0.0.0:${port}`);
  expect(found[0]).toContain('rest.extension.classes');
});

test('a worker on a loopback address, or with users, does not warn', async () => {
  expect(await warnings({})).toEqual([]);
  const jaas = await writeLogins(folder, 'alice=secret\n');
  const settings = { listeners: 'http://0.0.0.0:0', ...EXTENSION };
  expect(await warnings(settings, { KAFKA_OPTS: jvmFlag(jaas) })).toEqual([]);
});

test('a worker on all interfaces without allowed hosts warns once, and with them not', async () => {
  const code = 'REST_HOSTS_UNCHECKED';
  const found = await warnings({ listeners: 'http://0.0.0.0:0', 'admin.listeners': 'http://:0' }, {}, code);
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(
    / WARN \[millrace.rest\] Web pages may send requests to the REST API .* rest\.allowed\.hosts/,
  );
  const named = { listeners: 'http://0.0.0.0:0', 'rest.allowed.hosts': 'connect.test' };
  expect(await warnings(named, {}, code)).toEqual([]);
});
