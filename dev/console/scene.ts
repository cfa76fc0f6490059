/** What the screenshots of the console show: two workers with connectors in every state, under load. */
import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from 'pg';
import { postgresSource } from '../services/postgres-source';
import { waitFor } from '../services/wait-for';
import { startWorker, type StartedWorker } from '../services/worker';
import { cleanUp, title } from '../demos/run-demo';
import { startServices } from '../demos/start-services';

/** Rows of each second: a load that rises and falls. */
const rowsOf = (second: number): number => Math.round(300 + 250 * Math.sin(second / 9));

const FILE_SINK = 'org.apache.kafka.connect.file.FileStreamSinkConnector';

export interface Scene {
  /** REST address of the first worker. */
  readonly url: string;
  /** Inserts and updates rows for that many seconds. */
  load(seconds: number): Promise<void>;
}

export async function startScene(): Promise<Scene> {
  title('Starting a broker, PostgreSQL and two workers');
  const { bootstrapServers, databaseUrl, database } = await startServices();
  await database.query('CREATE TABLE orders (id bigserial PRIMARY KEY, customer text, total numeric(10, 2))');
  await database.query('CREATE TABLE customers (id bigserial PRIMARY KEY, name text, email text)');
  await database.query(
    "INSERT INTO customers (name, email) SELECT 'Customer ' || n, 'c' || n || '@shop.example' FROM generate_series(1, 2000) n",
  );
  const group = `shop-${randomBytes(2).toString('hex')}`;
  const settings = { 'scheduled.rebalance.max.delay.ms': '1000' };
  const workers: StartedWorker[] = [];
  for (let i = 0; i < 2; i++) {
    const worker = await startWorker({ bootstrapServers, group, settings });
    cleanUp.push(() => worker.stop());
    await worker.ready();
    workers.push(worker);
  }
  const [first] = workers as [StartedWorker, StartedWorker];
  await startConnectors(first, databaseUrl, database);
  return { url: first.url, load: async (seconds) => await change(database, seconds) };
}

async function startConnectors(worker: StartedWorker, url: string, database: Client): Promise<void> {
  title('Registering connectors');
  const folder = await mkdtemp(join(tmpdir(), 'millrace-console-'));
  const sink = (settings: Readonly<Record<string, string>>): Record<string, string> => ({
    'connector.class': FILE_SINK,
    'tasks.max': '1',
    ...settings,
  });
  await worker.register({
    name: 'shop-changes',
    config: postgresSource(url, {
      'topic.prefix': 'shop',
      'table.include.list': 'public.orders,public.customers',
      'slot.name': 'shop_changes',
      'publication.name': 'shop_changes',
      'publication.autocreate.mode': 'filtered',
    }),
  });
  await worker.running('shop-changes');
  const orders = { topics: 'shop.public.orders' };
  await worker.register({
    name: 'orders-archive',
    config: sink({ ...orders, file: join(folder, 'orders'), 'tasks.max': '2' }),
  });
  await worker.register({
    name: 'customers-export',
    config: sink({ topics: 'shop.public.customers', file: join(folder, 'customers') }),
  });
  await worker.register({
    name: 'orders-to-billing',
    config: sink({
      ...orders,
      file: join(folder, 'billing'),
      'errors.tolerance': 'all',
      'errors.deadletterqueue.topic.name': 'orders-to-billing-dead',
      'errors.deadletterqueue.topic.replication.factor': '1',
      'errors.deadletterqueue.context.headers.enable': 'true',
      transforms: 'amount',
      'transforms.amount.type': 'org.apache.kafka.connect.transforms.Cast$Value',
      'transforms.amount.spec': 'op:int32',
    }),
  });
  await worker.register({ name: 'invoices-export', config: sink({ ...orders, file: '/mnt/invoices/invoices.txt' }) });
  await worker.register({ name: 'orders-replay', config: sink({ ...orders, file: join(folder, 'replay') }) });
  await worker.register({ name: 'reports', config: sink({ ...orders, file: join(folder, 'reports') }) });
  for (const name of ['orders-archive', 'customers-export', 'orders-to-billing', 'orders-replay', 'reports'])
    await worker.running(name);
  await worker.statusWhen('invoices-export', ({ tasks }) => tasks.some(({ state }) => state === 'FAILED'));
  // A stopped sink with offsets.
  await change(database, 3);
  await waitFor('offsets of a sink', async () => {
    const { json } = await worker.request('GET', '/connectors/orders-replay/offsets');
    return (json as { offsets: unknown[] }).offsets.length > 0;
  });
  await worker.request('PUT', '/connectors/reports/pause');
  await worker.request('PUT', '/connectors/orders-replay/stop');
  await worker.request('POST', '/connectors/customers-export/restart?includeTasks=true');
  await worker.request('PATCH', '/connectors/orders-archive/config', { 'tasks.max': '1' });
  await waitFor('all connectors to be in their states', async () => {
    const [paused, stopped] = await Promise.all([worker.status('reports'), worker.status('orders-replay')]);
    return paused.connector.state === 'PAUSED' && stopped.connector.state === 'STOPPED';
  });
}

async function change(database: Client, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    const begin = Date.now();
    await database.query(
      `INSERT INTO orders (customer, total) SELECT 'Customer ' || n, n * 1.5 FROM generate_series(1, ${rowsOf(second)}) n`,
    );
    await database.query('UPDATE customers SET name = name WHERE id <= 20');
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, 1000 - (Date.now() - begin))));
  }
}
