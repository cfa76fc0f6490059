/** The services that tests and the demo start for themselves: they answer, and nothing of them stays behind. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { runKafkaTool, startKafka, useOrStartKafka } from '../../../dev/services/kafka';
import { startPostgres, useOrStartPostgres } from '../../../dev/services/postgres';
import { ROOT } from '../../../dev/services/paths';
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

test('PostgreSQL has the asked-for wal_level, room for 40 slots, and does not run as root', async () => {
  const server = await startPostgres({ walLevel: 'replica', settings: { max_wal_senders: '7' } });
  const shown = await query<{ name: string; setting: string }>(
    server.url,
    `SELECT name, setting FROM pg_settings WHERE name IN ('wal_level', 'max_replication_slots', 'max_wal_senders') ORDER BY 1`,
  );
  expect(shown.map((row) => row.setting)).toEqual(['40', '7', 'replica']);
  await server.stop();
  await expect(query(server.url, 'SELECT 1')).rejects.toThrow(/ECONNREFUSED/);
});

test('a Kafka node takes settings, serves the Java tools, and is gone after stop', async () => {
  const kafka = await startKafka({ settings: { 'num.partitions': '3' }, heap: '-Xmx256m' });
  const where = ['--bootstrap-server', kafka.bootstrapServers];
  await runKafkaTool('org.apache.kafka.tools.TopicCommand', [...where, '--create', '--topic', 'three']);
  const described = await runKafkaTool('org.apache.kafka.tools.TopicCommand', [...where, '--describe']);
  expect(described).toMatch(/Topic: three\s.*PartitionCount: 3/);
  await expect(
    runKafkaTool('org.apache.kafka.tools.TopicCommand', [...where, '--create', '--topic', 'three']),
  ).rejects.toThrow(/TopicCommand failed: .*already exists/s);
  expect(isRunning(kafka.pid as number)).toBe(true);
  await kafka.stop();
  expect(isRunning(kafka.pid as number)).toBe(false);
});

test('services that the environment names are used and never touched', async () => {
  const kafka = await useOrStartKafka();
  const postgres = await useOrStartPostgres();
  expect(kafka.bootstrapServers).toBe(process.env.BOOTSTRAP_SERVERS);
  expect(postgres.url).toBe(process.env.TEST_POSTGRES_URL);
  await Promise.all([kafka.stop(), postgres.stop()]);
  expect(await query(postgres.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('a server does not outlive a starter that is killed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-starter-'));
  // PostgreSQL may not run as root: another user takes its folder away.
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
