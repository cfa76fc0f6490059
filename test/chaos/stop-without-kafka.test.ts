/** A worker is stopped while its services are unreachable. The stop must end within the configured timeouts. */
import { startBroker } from '../../dev/services/broker';
import type { RunningKafka } from '../../dev/services/kafka';
import { startPostgres, type RunningPostgres } from '../../dev/services/postgres';
import { startWorker, type StartedWorker } from '../../dev/services/worker';
import { TestDatabase } from '../helpers/test-database';
import { uniqueName } from '../helpers/unique-name';
import { waitFor } from '../helpers/wait-for';

/** `task.shutdown.graceful.timeout.ms`, plus a few seconds; the rest is for a busy machine. */
const PATIENCE_MS = 20_000;

let broker: RunningKafka;
let postgres: RunningPostgres;
let database: TestDatabase;
let worker: StartedWorker;
let frozen: number[];

const detail = (): string => worker.process.log().slice(-4000);

// Services of its own: other tests must not lose theirs.
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres?.stop());
beforeEach(async () => {
  frozen = [];
  broker = await startBroker();
  database = await TestDatabase.create('CREATE TABLE todos (id int PRIMARY KEY)', { server: postgres.url });
  worker = await startWorker({
    bootstrapServers: broker.bootstrapServers,
    group: uniqueName('stopping'),
    settings: {
      'offset.flush.interval.ms': '1000',
      'session.timeout.ms': '6000',
      'heartbeat.interval.ms': '1000',
      // Of five seconds in which nothing happens.
      'task.shutdown.graceful.timeout.ms': '2000',
    },
  });
  await worker.ready();
  await worker.register({ name: 'todos', config: database.sourceConfig() });
  await worker.running('todos');
});
afterEach(async () => {
  for (const pid of [broker.pid, ...frozen])
    try {
      if (pid !== undefined) process.kill(pid, 'SIGCONT');
    } catch {
      // It was killed.
    }
  await worker.stop();
  await database.client.end();
  await broker.stop();
});

const freezeBroker = (): void => {
  process.kill(broker.pid as number, 'SIGSTOP');
};

/** All services of the worker; the test's own requests continue. */
async function freezePostgres(): Promise<void> {
  const rows = await database.query(
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
  frozen = rows.map(({ pid }) => Number(pid));
  for (const pid of frozen) process.kill(pid, 'SIGSTOP');
}

test.each<[string, () => Promise<void> | void]>([
  ['a broker that is frozen', freezeBroker],
  ['a broker that is dead', () => void process.kill(broker.pid as number, 'SIGKILL')],
  ['a broker and a database that are frozen', async () => (freezeBroker(), await freezePostgres())],
])('with %s, SIGTERM ends the worker in time, and it logs what it could not finish', async (_, away) => {
  await database.query('INSERT INTO todos SELECT generate_series(1, 5000)');
  await away();
  // It has offsets to store, and two changes to write.
  const changed = database.sourceConfig({ 'poll.interval.ms': '400' });
  void worker.request('PUT', '/connectors/todos/pause').catch(() => undefined);
  void worker.request('PUT', '/connectors/todos/config', changed).catch(() => undefined);
  await waitFor('its session to be over', () => worker.process.log().includes('lost its group membership'), { detail });
  process.kill(worker.pid, 'SIGTERM');
  await waitFor('the worker to end', () => worker.process.exitCode !== undefined, { timeoutMs: PATIENCE_MS, detail });
  expect(worker.process.exitCode).toBe(1);
  expect(worker.process.log()).toMatch(/Stopped without .*config topic.*STOP_UNFINISHED/);
});
