/**
 * The broker stops answering for longer than every session timeout, while rows change: nothing is lost, and no manual
 * action is needed.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBroker } from '../../dev/services/broker';
import type { RunningKafka } from '../../dev/services/kafka';
import { startWorker, type StartedWorker } from '../../dev/services/worker';
import { fileSinkConfig } from '../helpers/file-sink-config';
import { TestDatabase } from '../helpers/test-database';
import { uniqueName } from '../helpers/unique-name';
import { waitFor } from '../helpers/wait-for';

const TRANSACTIONS = 20;
const ROWS_EACH = 250;
/** Twice the workers' and the sink's session timeout. */
const FROZEN_SECONDS = 12;

let broker: RunningKafka;
let database: TestDatabase;
let worker: StartedWorker;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-chaos-'));
  // A broker of its own: other tests must not freeze with it.
  broker = await startBroker();
  database = await TestDatabase.create('CREATE TABLE todos (id int PRIMARY KEY, title text)');
  worker = await startWorker({
    bootstrapServers: broker.bootstrapServers,
    group: uniqueName('frozen'),
    settings: {
      'session.timeout.ms': '6000',
      'heartbeat.interval.ms': '1000',
      'offset.flush.interval.ms': '500',
      'consumer.session.timeout.ms': '6000',
    },
  });
  await worker.ready();
});

afterAll(async () => {
  if (broker?.pid !== undefined) process.kill(broker.pid, 'SIGCONT');
  await worker?.stop();
  await database?.drop();
  await broker?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function idsInFile(): Promise<Set<number>> {
  const text = await readFile(join(folder, 'sink.txt'), 'utf8').catch(() => '');
  return new Set([...text.matchAll(/"after":\{"id":(\d+)/g)].map((match) => Number(match[1])));
}

async function isConfirmedBeyond(lsn: unknown): Promise<boolean> {
  const [slot] = await database.query(
    'SELECT confirmed_flush_lsn > $2::pg_lsn AS beyond FROM pg_replication_slots WHERE slot_name = $1',
    [database.slot, lsn],
  );
  return slot?.beyond === true;
}

test('connect-runtime 69, cdc-postgres 71, cdc-postgres 75: a broker that freezes', async () => {
  await worker.register({ name: 'todos', config: database.sourceConfig() });
  await worker.register({
    name: 'lines',
    config: fileSinkConfig(`${database.name}.public.todos`, join(folder, 'sink.txt')),
  });
  await worker.running('todos');
  await worker.running('lines');
  await database.query(`INSERT INTO todos VALUES (0, 'before')`);
  await waitFor('the row before the outage', async () => (await idsInFile()).has(0));

  process.kill(broker.pid as number, 'SIGSTOP');
  const [frozen] = await database.query('SELECT pg_current_wal_lsn() AS lsn');
  for (let i = 0; i < TRANSACTIONS; i++) {
    await database.query(
      `INSERT INTO todos SELECT id, 'during' FROM generate_series(${i * ROWS_EACH + 1}, ${(i + 1) * ROWS_EACH}) AS id`,
    );
    // What Kafka has not acknowledged is never confirmed.
    expect(await isConfirmedBeyond(frozen?.lsn)).toBe(false);
    await database.query(`SELECT pg_sleep(${FROZEN_SECONDS / TRANSACTIONS})`);
  }
  process.kill(broker.pid as number, 'SIGCONT');

  await waitFor('every row in the file', async () => (await idsInFile()).size === TRANSACTIONS * ROWS_EACH + 1, {
    timeoutMs: 150_000,
    // The whole file is read each time.
    everyMs: 500,
    detail: () => worker.process.log(),
  });
  await worker.running('todos');
  await worker.running('lines');
  await waitFor('the slot to advance again', () => isConfirmedBeyond(frozen?.lsn));
});
