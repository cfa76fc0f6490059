/** Runs Azurite in separate processes: blob, queue and table storage. Source: analytics-sink §7.2. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface RunningAzurite {
  readonly blobUrl: string;
  readonly queueUrl: string;
  readonly tableUrl: string;
  readonly accountName: string;
  readonly accountKey: string;
  stop(): Promise<void>;
}

/** Azurite's default account. Its key is public documentation and not a secret. */
const ACCOUNT = 'devstoreaccount1';
const KEY = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';
const START_TIMEOUT_MS = 120_000;

/** @param folder Folder for blobs and messages; null: in memory. */
export async function startAzurite(folder: string | null): Promise<RunningAzurite> {
  const services = (['blob', 'queue', 'table'] as const).map(async (service) => await startService(service, folder));
  const [blob, queue, table] = (await Promise.all(services)) as [AzuriteService, AzuriteService, AzuriteService];
  return {
    blobUrl: `http://127.0.0.1:${blob.port}/${ACCOUNT}`,
    queueUrl: `http://127.0.0.1:${queue.port}/${ACCOUNT}`,
    tableUrl: `http://127.0.0.1:${table.port}/${ACCOUNT}`,
    accountName: ACCOUNT,
    accountKey: KEY,
    stop: async () => {
      await Promise.all([blob, queue, table].map(async ({ process: child }) => await end(child)));
    },
  };
}

interface AzuriteService {
  readonly process: ChildProcess;
  readonly port: number;
}

async function startService(service: 'blob' | 'queue' | 'table', folder: string | null): Promise<AzuriteService> {
  const place = folder === null ? ['--inMemoryPersistence'] : ['--location', folder];
  const child = spawn(
    process.execPath,
    [
      '-r',
      require.resolve('./azurite-process.js'),
      require.resolve(`azurite/dist/src/${service}/main.js`),
      ...place,
      '--silent',
      '--disableTelemetry',
      '--skipApiVersionCheck',
      `--${service}Host`,
      '127.0.0.1',
      `--${service}Port`,
      '0',
    ],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const lines = createInterface({ input: child.stdout });
  const port = await new Promise<number>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`Azurite's ${service} service did not start`)), START_TIMEOUT_MS);
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`Azurite's ${service} service exited with code ${code}`));
    });
    lines.on('line', (line) => {
      const said = /^port ([0-9]+)$/.exec(line);
      if (!said) return;
      clearTimeout(timer);
      resolve(Number(said[1]));
    });
  });
  return { process: child, port };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await exited;
  clearTimeout(timer);
}
