/**
 * A worker whose replication slot is still in use, for example by a predecessor whose end the server has not detected.
 */
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { Clients } from '../../helpers/kafka-clients';
import { TestDatabase } from '../../helpers/test-database';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';
import { TaskRun, taskConfig } from '../postgres/harness';

let database: TestDatabase;
let worker: StartedWorker;
const clients = new Clients();

beforeAll(async () => {
  database = await TestDatabase.create('CREATE TABLE t (id int PRIMARY KEY)');
  worker = await startWorker({ group: uniqueName('held'), settings: { 'errors.restart.backoff.ms': '100' } });
  await worker.ready();
});
afterAll(async () => {
  await worker?.stop();
  await clients.close();
  await database.drop();
});

test('longer than the connector retries: the task fails, and restarts automatically once the slot is free', async () => {
  const holder = await TaskRun.start(
    taskConfig(database, { 'snapshot.mode': 'no_data', 'publication.name': `pub_${database.name}` }),
  );
  await holder.nothingMore();
  const name = uniqueName('held');
  await worker.register({
    name,
    config: database.sourceConfig({
      'snapshot.mode': 'no_data',
      'poll.interval.ms': '50',
      'slot.max.retries': '2',
      'slot.retry.delay.ms': '50',
    }),
  });
  const failed = await worker.statusWhen(name, ({ tasks }) => tasks[0]?.state === 'FAILED');
  expect(failed.tasks[0]?.trace).toMatch(/PG_SLOT_ACTIVE[^]*Automatic restart \d+ of 20 is due at/);
  await holder.stop();
  await database.query('INSERT INTO t VALUES (1)');
  await waitFor('the row', async () => {
    const tp = { topic: `${database.name}.public.t`, partition: 0 };
    const [end] = await clients.admin.listOffsets([tp], 'latest').catch(() => []);
    return end?.offset === 1;
  });
  await worker.running(name);
});
