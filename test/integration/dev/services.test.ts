/** The services that tests and the demo start: they answer, and leave nothing. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { useOrStartBroker } from '../../../dev/services/broker';
import { startEmbedded } from '../../../dev/services/embedded';
import { startPostgres, useOrStartPostgres } from '../../../dev/services/postgres';
import { ROOT } from '../../../dev/services/paths';
import { createAdmin } from '../../../packages/kafka-client/src/admin/admin';
import { createWire } from '../../../packages/kafka-client/src/network/network-client';
import { isRunning } from '../../helpers/is-running';
import { waitFor } from '../../helpers/wait-for';

async function query<T>(url: string, text: string): Promise<T[]> {
  const client = new Client({ connectionString: url });
  // The server may be killed while it answers.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows as T[];
  } finally {
    await client.end();
  }
}

test('PostgreSQL has the requested wal_level, room for 40 slots, and does not run as root', async () => {
  const server = await startPostgres({ walLevel: 'replica', settings: { max_wal_senders: '7' } });
  const shown = await query<{ name: string; setting: string }>(
    server.url,
    `SELECT name, setting FROM pg_settings WHERE name IN ('wal_level', 'max_replication_slots', 'max_wal_senders') ORDER BY 1`,
  );
  expect(shown.map((row) => row.setting)).toEqual(['40', '7', 'replica']);
  await server.stop();
  await expect(query(server.url, 'SELECT 1')).rejects.toThrow(/ECONNREFUSED/);
});

test('an embedded broker accepts settings, keeps its data and its address after a crash, and leaves nothing after stop', async () => {
  const broker = await startEmbedded({ settings: { defaultPartitions: 3 } });
  const admin = createAdmin(createWire({ 'bootstrap.servers': broker.bootstrapServers }), {
    timeoutMs: 120_000,
    retryBackoffMs: 20,
    retryBackoffMaxMs: 200,
  });
  try {
    await admin.createTopics([{ name: 'three', partitions: -1, replicationFactor: -1 }]);
    const pid = broker.pid as number;
    await broker.crash();
    expect([isRunning(pid), broker.pid]).toEqual([false, undefined]);
    await broker.restart();
    const [topic] = await admin.describeTopics(['three']);
    expect(topic?.partitions).toHaveLength(3);
    expect(broker.pid).not.toBe(pid);
  } finally {
    await admin.close();
    await broker.stop();
  }
  expect(broker.pid).toBeUndefined();
});

test('an embedded broker that cannot start reports why, and leaves nothing', async () => {
  await expect(startEmbedded({ settings: { host: '192.0.2.1' } })).rejects.toThrow(/did not start:[^]*EADDRNOTAVAIL/);
});

test('services named in the environment are used and never stopped', async () => {
  const broker = await useOrStartBroker();
  const postgres = await useOrStartPostgres();
  expect(broker.bootstrapServers).toBe(process.env.BOOTSTRAP_SERVERS);
  expect(postgres.url).toBe(process.env.TEST_POSTGRES_URL);
  await expect(broker.crash()).rejects.toThrow('external');
  await Promise.all([broker.stop(), postgres.stop()]);
  expect(await query(postgres.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('a server does not outlive its starter when that is killed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-starter-'));
  // PostgreSQL may not run as root: another user owns its folder.
  chmodSync(folder, 0o777);
  const program = `require('./dev/services/postgres').startPostgres().then((s) => console.log(s.url)); setInterval(() => 0, 1000);`;
  const starter = spawn(process.execPath, ['-r', join(ROOT, 'dev', 'register.js'), '-e', program], {
    cwd: ROOT,
    env: { ...process.env, TMPDIR: folder },
  });
  let url = '';
  starter.stdout.on('data', (chunk) => (url += chunk));
  await waitFor('the server to start', () => url.includes('\n'));
  expect(await query(url.trim(), 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  starter.kill('SIGKILL');
  await waitFor('the server to go', () =>
    query(url.trim(), 'SELECT 1').then(
      () => false,
      () => true,
    ),
  );
  await waitFor('its folder to go', () => readdirSync(folder).length === 0);
  rmdirSync(folder);
});
