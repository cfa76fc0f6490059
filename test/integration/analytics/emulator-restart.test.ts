/** Restarts of the emulator: its clients and queues stay valid. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAnalyticsEmulator, type AnalyticsEmulator, type EmulatorOptions } from '../../../dev/analytics-emulator';
import { freePort } from '../../../dev/services/free-port';
import { EmulatorClient } from './emulator-client';

const running: AnalyticsEmulator[] = [];
let dataDir: string;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'millrace-emulator-'));
});
afterEach(async () => {
  for (const emulator of running.splice(0)) await emulator.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function start(options: EmulatorOptions): Promise<{ emulator: AnalyticsEmulator; client: EmulatorClient }> {
  const emulator = await startAnalyticsEmulator({ database: 'd', ...options });
  running.push(emulator);
  return { emulator, client: new EmulatorClient(emulator) };
}

async function stop(emulator: AnalyticsEmulator): Promise<void> {
  running.splice(running.indexOf(emulator), 1);
  await emulator.stop();
}

const listen = async (port: number): Promise<Server> =>
  await new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
const close = async (server: Server): Promise<void> => await new Promise((resolve) => server.close(() => resolve()));

/** The first of four consecutive ports that no other worker of the test run uses. */
async function fourPorts(): Promise<number> {
  for (;;) {
    const first = await freePort();
    const others = [await freePort(), await freePort(), await freePort()];
    if (others.every((port, i) => port === first + i + 1)) return first;
  }
}

test('queued files are loaded after a restart with a data folder', async () => {
  const { emulator, client } = await start({ dataDir });
  await client.command('.create table Kept (a:string)');
  emulator.ingestor.isPaused = true;
  await client.queue('Kept', 'x\n', { format: 'csv' });
  await stop(emulator);
  const again = await start({ dataDir });
  await again.emulator.ingestor.flush();
  expect((await again.client.command('.show ingestion failures')).rows).toEqual([]);
  expect(await again.client.query('Kept')).toEqual([['x']]);
});

test('with a configured port the storage uses the next three, before and after a restart', async () => {
  const port = await fourPorts();
  for (let run = 0; run < 2; run++) {
    const { emulator, client } = await start({ port });
    const { container, queue } = await client.resources();
    expect([new URL(container).port, new URL(queue).port]).toEqual([String(port + 1), String(port + 2)]);
    await stop(emulator);
  }
});

test('a storage port in use is reported, and nothing is left running', async () => {
  const port = await fourPorts();
  const taken = await listen(port + 2);
  await expect(start({ port })).rejects.toThrow(`The storage's queue service cannot listen on port ${port + 2}`);
  await close(await listen(port + 1));
  await close(taken);
});
