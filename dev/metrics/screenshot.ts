/**
 * Writes docs/images/metrics.png and dashboard.png: a real Prometheus, with graphs of workers that copy changes of
 * PostgreSQL into a file, and the panels of the Grafana dashboard with the values that Prometheus returns for them.
 * Grafana itself is not needed: no package registry has it. Needs prometheus and chromium (Debian: apt-get install
 * prometheus chromium), and a built worker:
 * `npm run build && node -r ./dev/register.js dev/metrics/screenshot.ts`
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHROMIUM_FLAGS, chromiumProgram } from '../services/chromium';
import { ROOT } from '../services/paths';
import { postgresSource } from '../services/postgres-source';
import { installPrometheus } from '../services/debian-programs';
import { startWorker, type StartedWorker } from '../services/worker';
import { cleanUp, runDemo, title } from '../demos/run-demo';
import { startServices } from '../demos/start-services';
import { dashboard } from './dashboard';
import { readPanels, type Panel } from './dashboard-data';
import { dashboardPage, pageHeight, PAGE_WIDTH } from './dashboard-page';
import { SCRAPE_SECONDS, startPrometheus } from './prometheus';

/** How long changes are made, in rounds of a second. */
const ROUNDS = 150;
/** Rows of each round: a load that rises and falls. */
const rowsOf = (round: number): number => Math.round(400 + 350 * Math.sin(round / 12));

const WORKERS = 2;
const FIRST_ROW_LEFT_OUT = 'Kafka clients';

const GRAPHS = ['rate(kafka_connect_sink_task_metrics_sink_record_send_total[15s])', 'millrace_sink_lag_seconds_max'];

async function makeScreenshot(): Promise<void> {
  const missing = installPrometheus();
  if (missing !== null) throw new Error(missing);
  title('Starting a broker, PostgreSQL, workers and Prometheus');
  const { bootstrapServers, databaseUrl, database } = await startServices();
  await database.query('CREATE TABLE orders (id bigserial PRIMARY KEY, note text)');
  const group = `millrace-${randomBytes(3).toString('hex')}`;
  const workers: StartedWorker[] = [];
  for (let i = 0; i < WORKERS; i++) {
    const worker = await startWorker({ bootstrapServers, group });
    cleanUp.push(() => worker.stop());
    await worker.ready();
    workers.push(worker);
  }
  await startConnectors(workers[0] as StartedWorker, databaseUrl);
  const prometheus = await startPrometheus(workers.map(({ url }) => url));
  cleanUp.push(() => prometheus.stop());
  title(`Making changes for ${ROUNDS} seconds`);
  for (let round = 0; round < ROUNDS; round++) {
    const begin = Date.now();
    await database.query(`INSERT INTO orders (note) SELECT 'order' FROM generate_series(1, ${rowsOf(round)})`);
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, 1000 - (Date.now() - begin))));
  }
  title('Taking the screenshot');
  const target = join(ROOT, 'docs', 'images');
  await mkdir(target, { recursive: true });
  screenshot(graphsUrl(prometheus.url), join(target, 'metrics.png'), { width: 1000, height: 1500 });
  await drawDashboard(prometheus.url, join(target, 'dashboard.png'));
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

function graphsUrl(prometheus: string): string {
  const query = GRAPHS.map((expr, i) => {
    const of = { expr, tab: '0', range_input: '2m', stacked: '0' };
    return Object.entries(of).map(([key, value]) => `g${i}.${key}=${encodeURIComponent(value)}`);
  });
  return `${prometheus}/graph?${query.flat().join('&')}`;
}

/** The first rows of the dashboard; those after it are about Kafka clients and the process. */
async function drawDashboard(prometheus: string, file: string): Promise<void> {
  const { panels } = dashboard() as { panels: readonly Panel[] };
  const end = panels.findIndex(({ title: name }) => name === FIRST_ROW_LEFT_OUT);
  const to = Math.floor(Date.now() / 1000);
  const span = { from: to - ROUNDS, to, step: SCRAPE_SECONDS, scrape: SCRAPE_SECONDS };
  const data = await readPanels(prometheus, panels.slice(0, end), span);
  const page = join(await mkdtemp(join(tmpdir(), 'millrace-dashboard-')), 'dashboard.html');
  await writeFile(page, dashboardPage(data, span));
  screenshot(`file://${page}`, file, { width: PAGE_WIDTH, height: pageHeight(data) });
}

function screenshot(url: string, file: string, { width, height }: { width: number; height: number }): void {
  const { status, stderr } = spawnSync(chromiumProgram(), [
    ...['--headless', ...CHROMIUM_FLAGS, '--hide-scrollbars', '--virtual-time-budget=20000'],
    ...[`--window-size=${width},${height}`, `--screenshot=${file}`, url],
  ]);
  if (status !== 0) throw new Error(`chromium failed: ${String(stderr)}`);
}

runDemo(makeScreenshot);
