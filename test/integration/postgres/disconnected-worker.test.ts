/** A worker whose PostgreSQL server is stopped for real: health, metrics, reports and history until it is back. */
import type { Changes, Overview } from '@millrace/console';
import { useEmbeddedBroker } from '@millrace/embedded';
import { startPostgres, type OwnPostgres } from '../../../dev/services/postgres';
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { Clients } from '../../helpers/kafka-clients';
import { TestDatabase } from '../../helpers/test-database';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';
import { freeze } from './frozen-server';

interface Health {
  readonly health: string;
  readonly reasons: readonly {
    readonly code: string;
    readonly message: string;
    readonly since: number;
    readonly next_try_at: number | null;
  }[];
  readonly tasks: readonly { readonly state: string; readonly connected: boolean | null; readonly lag: object }[];
}

const broker = useEmbeddedBroker();
let server: OwnPostgres;
let database: TestDatabase;
let worker: StartedWorker;
let clients: Clients;
beforeEach(async () => {
  const { bootstrapServers } = broker;
  clients = new Clients({ 'bootstrap.servers': bootstrapServers });
  server = await startPostgres();
  database = await TestDatabase.create('CREATE TABLE t (id int PRIMARY KEY)', { server: server.url });
  await clients.topic(1, {}, topic());
  worker = await startWorker({
    bootstrapServers,
    group: uniqueName('away'),
    settings: { 'offset.flush.interval.ms': '500' },
  });
  await worker.ready();
});
afterEach(async () => {
  await worker.stop();
  await clients.close();
  await server.stop();
});

const topic = (): string => `${database.name}.public.t`;
const get = async <T>(path: string): Promise<T> => (await worker.request('GET', path)).json as T;
const health = async (): Promise<Health> => (last = await get<Health>('/connectors/todos/health'));
let last: Health | null = null;
const shown = (): string => JSON.stringify(last);
/** Undefined: not exported. */
async function metric(name: string): Promise<string | undefined> {
  const { body } = await worker.request('GET', '/metrics');
  return new RegExp(`^${name}\\{.*connector="todos".*\\} (.*)$`, 'm').exec(body)?.[1];
}
const LAGS = ['replay_lag_bytes', 'wal_lag_seconds', 'slot_active', 'slot_retained_wal_bytes'];
const figures = async (): Promise<(string | undefined)[]> =>
  await Promise.all(LAGS.map((name) => metric(`millrace_postgres_${name}`)));

async function started(): Promise<void> {
  const config = database.sourceConfig({
    'table.include.list': 'public.t',
    'snapshot.mode': 'no_data',
    'poll.interval.ms': '100',
    'retriable.restart.connector.wait.ms': '200',
  });
  await worker.register({ name: 'todos', config });
  await worker.running('todos');
  await waitFor('the stream', async () => (await database.streams()) === 1);
  await database.query('INSERT INTO t VALUES (1)');
  await clients.end(topic(), 1);
  await waitFor('all figures', async () => (await figures()).every((value) => value !== undefined));
  await waitFor('the connection', async () => (await health()).tasks?.[0]?.connected === true, { detail: shown });
  expect(await health()).toMatchObject({ health: 'running', reasons: [] });
}

async function away(reason: RegExp): Promise<void> {
  const isKnown = async (): Promise<boolean> => reason.test((await health()).reasons[0]?.message ?? '');
  await waitFor('the reason', isKnown, { detail: shown });
  const found = await health();
  expect(found).toMatchObject({
    health: 'degraded',
    reasons: [{ code: 'HEALTH_DISCONNECTED', since: expect.any(Number) as number }],
    tasks: [{ state: 'RUNNING', connected: false, lag: { records: null, bytes: null, seconds: null } }],
  });
  expect(JSON.stringify(found)).not.toContain(
    database.sourceConfig()['database.password'] === '' ? '-' : 'postgres:postgres',
  );
  await waitFor('no figure that is not measured', async () => (await figures()).every((value) => value === undefined));
  expect(await metric('millrace_postgres_connected')).toBe('0');
  expect(await metric('millrace_task_connected')).toBe('0');
  const { connectors } = await get<Overview>('/ui/api/overview');
  expect(connectors[0]).toMatchObject({ summary: 'degraded', state: 'RUNNING' });
}

async function back(): Promise<void> {
  await database.query('INSERT INTO t VALUES (2)');
  // Nothing is lost, and nothing that was stored is sent again.
  await clients.end(topic(), 2);
  await waitFor('the health', async () => (await health()).health === 'running', { detail: shown });
  await waitFor('the figures', async () => (await figures()).every((value) => value !== undefined));
  expect(await metric('millrace_postgres_connected')).toBe('1');
  expect(await metric('millrace_task_connected')).toBe('1');
  const kinds = async (): Promise<string[]> =>
    (await get<Changes>('/ui/api/changes')).changes.map(({ kind }) => kind).filter((kind) => /connected$/.test(kind));
  await waitFor('the history', async () => (await kinds())[0] === 'connected');
  expect(await kinds()).toContain('disconnected');
}

test('a server that is stopped: since when, why and the next attempt, and nothing is lost', async () => {
  await started();
  const before = Date.now();
  await server.end();
  await away(/ECONNREFUSED/);
  const [reason] = (await health()).reasons;
  expect(reason?.since).toBeGreaterThanOrEqual(before - 1000);
  await waitFor('the next attempt', async () => ((await health()).reasons[0]?.next_try_at ?? 0) > before);
  await server.start();
  database = await database.reopened();
  await back();
});

test('a server that accepts connections and never answers', async () => {
  await started();
  const thaw = await freeze(database);
  try {
    await away(/no answer within 10000 ms/);
  } finally {
    thaw();
  }
  await back();
});

test('a connector that is paused says so, and is connected when it is resumed', async () => {
  await started();
  await worker.request('PUT', '/connectors/todos/pause');
  await worker.statusWhen('todos', ({ tasks }) => tasks[0]?.state === 'PAUSED');
  await server.end();
  await waitFor('the figures to be unknown', async () => (await metric('millrace_postgres_slot_active')) === undefined);
  expect((await health()).health).toBe('paused');
  await server.start();
  database = await database.reopened();
  await worker.request('PUT', '/connectors/todos/resume');
  await back();
});
