/**
 * Runs the embedded broker in a separate process, with its data on disk, for a test run or a demo. Removes the data at
 * the end.
 */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EmbeddedBrokerOptions } from '../../packages/embedded/src';
import { freePort } from './free-port';
import type { RunningKafka } from './kafka';
import type { KeptProcess } from './kept-process';
import { ROOT } from './paths';
import { Restartable } from './restartable';
import { waitFor } from './wait-for';

export interface EmbeddedOptions {
  /** Options of the broker that can be passed as JSON. */
  readonly settings?: Omit<EmbeddedBrokerOptions, 'port' | 'dataDir' | 'log'>;
  /** (Default: 120,000) */
  readonly timeoutMs?: number;
}

/** Starts a new broker and resolves when it accepts connections. Takes about a second and needs no build. */
export async function startEmbedded(options: EmbeddedOptions = {}): Promise<RunningKafka> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(options);
    } catch (error) {
      // Another process may have taken the port in the meantime.
      if (attempt === 3 || !/EADDRINUSE/.test(String(error))) throw error;
    }
  }
}

async function startOnce({ settings, timeoutMs = 120_000 }: EmbeddedOptions): Promise<RunningKafka> {
  const [port, folder] = await Promise.all([freePort(), mkdtemp(join(tmpdir(), 'millrace-embedded-'))]);
  const brokerOptions: EmbeddedBrokerOptions = { ...settings, port, dataDir: join(folder, 'data') };
  const program = join(ROOT, 'dev', 'services', 'embedded-process.ts');
  const broker = new Restartable(
    {
      command: process.execPath,
      args: ['-r', join(ROOT, 'dev', 'register.js'), program, JSON.stringify(brokerOptions)],
      folder,
      signal: 'KILL',
    },
    (run) => untilServing(run, timeoutMs),
  );
  await broker.start();
  return {
    bootstrapServers: `127.0.0.1:${port}`,
    listeners: {},
    get pid() {
      return broker.pid;
    },
    crash: () => broker.crash(),
    restart: () => broker.start(),
    stop: () => broker.stop(),
  };
}

async function untilServing(run: KeptProcess, timeoutMs: number): Promise<void> {
  await waitFor(
    'the embedded broker to start',
    () => {
      if (run.exitCode !== undefined) throw new Error(`the embedded broker did not start:\n${run.log().slice(-4000)}`);
      return run.log().includes('serving at ');
    },
    { timeoutMs, detail: () => run.log().slice(-4000) },
  );
}
