/**
 * Writes docs/images/metrics.png: a real Prometheus, with graphs of a worker that copies changes of PostgreSQL into a
 * file. Needs prometheus and chromium (Debian: apt-get install prometheus chromium), and a built worker:
 * `npm run build && node -r ./dev/register.js dev/metrics/screenshot.ts`
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cp, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { startBroker } from '../services/broker';
import { freePort } from '../services/free-port';
import { KeptProcess } from '../services/kept-process';
import { ROOT } from '../services/paths';
import { startPostgres } from '../services/postgres';
import { postgresSource } from '../services/postgres-source';
import { installPrometheus } from '../services/debian-programs';
import { waitFor } from '../services/wait-for';
import { startWorker, type StartedWorker } from '../services/worker';
import { cleanUp, runDemo, title } from '../demos/run-demo';

/** How long changes are made, in rounds of a second. */
const ROUNDS = 150;
/** Rows of each round: a load that rises and falls. */
const rowsOf = (round: number): number => Math.round(400 + 350 * Math.sin(round / 12));

const GRAPHS = ['rate(kafka_connect_sink_task_metrics_sink_record_send_total[15s])', 'millrace_sink_lag_seconds_max'];

async function makeScreenshot(): Promise<void> {
  const missing = installPrometheus();
  if (missing !== null) throw new Error(missing);
  title('Starting a broker, PostgreSQL, a worker and Prometheus');
  const broker = await startBroker();
  cleanUp.push(broker.stop);
  const server = await startPostgres();
  cleanUp.push(server.stop);
  const database = new Client({ connectionString: server.url });
  await database.connect();
  cleanUp.push(() => database.end());
  await database.query('CREATE TABLE orders (id bigserial PRIMARY KEY, note text)');
  const group = `millrace-${randomBytes(3).toString('hex')}`;
  const worker = await startWorker({ bootstrapServers: broker.bootstrapServers, group });
  cleanUp.push(() => worker.stop());
  await worker.ready();
  await startConnectors(worker, server.url);
  const prometheus = await startPrometheus(worker.url);
  title(`Making changes for ${ROUNDS} seconds`);
  for (let round = 0; round < ROUNDS; round++) {
    const begin = Date.now();
    await database.query(`INSERT INTO orders (note) SELECT 'order' FROM generate_series(1, ${rowsOf(round)})`);
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, 1000 - (Date.now() - begin))));
  }
  title('Taking the screenshot');
  await takeScreenshot(prometheus);
}

async function startConnectors(worker: StartedWorker, url: string): Promise<void> {
  const source = postgresSource(url, { 'topic.prefix': 'shop', 'table.include.list': 'public.orders' });
  await worker.register({ name: 'orders', config: source });
  const file = join(await mkdtemp(join(tmpdir(), 'millrace-screenshot-')), 'orders');
  const sink = {
    'connector.class': 'org.apache.kafka.connect.file.FileStreamSinkConnector',
    ...{ file, topics: 'shop.public.orders', 'tasks.max': '1' },
  };
  await worker.register({ name: 'archive', config: sink });
  for (const name of ['orders', 'archive']) await worker.running(name);
}

/** With the project's rules; resolves with its URL. */
async function startPrometheus(worker: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-prometheus-'));
  await cp(join(ROOT, 'deploy', 'prometheus', 'alerts.yaml'), join(folder, 'alerts.yaml'));
  const config = `global: { scrape_interval: 2s, evaluation_interval: 2s }
rule_files: [alerts.yaml]
scrape_configs:
  - job_name: millrace
    static_configs: [{ targets: ['${new URL(worker).host}'] }]
`;
  await writeFile(join(folder, 'prometheus.yaml'), config);
  const address = `127.0.0.1:${await freePort()}`;
  const args = ['--config.file=prometheus.yaml', `--web.listen-address=${address}`, '--storage.tsdb.path=data'];
  const prometheus = new KeptProcess({ command: 'prometheus', args, folder, signal: 'KILL' });
  cleanUp.push(() => prometheus.stop());
  const isReady = async (): Promise<boolean> =>
    (await fetch(`http://${address}/-/ready`).catch(() => null))?.ok === true;
  await waitFor('Prometheus to be ready', isReady, { detail: () => prometheus.log() });
  return `http://${address}`;
}

async function takeScreenshot(prometheus: string): Promise<void> {
  const query = GRAPHS.map((expr, i) => {
    const of = { expr, tab: '0', range_input: '2m', stacked: '0' };
    return Object.entries(of).map(([key, value]) => `g${i}.${key}=${encodeURIComponent(value)}`);
  });
  const target = join(ROOT, 'docs', 'images');
  await mkdir(target, { recursive: true });
  const { status, stderr } = spawnSync('chromium', [
    ...['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--virtual-time-budget=20000'],
    ...['--window-size=1000,1500', `--screenshot=${join(target, 'metrics.png')}`],
    `${prometheus}/graph?${query.flat().join('&')}`,
  ]);
  if (status !== 0) throw new Error(`chromium failed: ${String(stderr)}`);
}

runDemo(makeScreenshot);
