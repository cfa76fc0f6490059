/** What a worker prepares while it joins: the tasks that its last process ran. */
import { waitFor } from '../../helpers/wait-for';
import { createWorker, states, type TestWorker } from '../herder-fixtures';
import { MemoryKafka } from '../memory-kafka';

const config = { name: 'c', 'connector.class': 'org.example.TickConnector', 'tasks.max': '2' };
let kafka: MemoryKafka;
let worker: TestWorker;

async function start(url?: string): Promise<void> {
  worker = createWorker(kafka, 'g', url === undefined ? {} : { url });
  await worker.herder.start();
}
const runs = async (): Promise<unknown> =>
  await waitFor('the tasks to run', () => states(worker.herder, 'c') === 'RUNNING RUNNING,RUNNING');

beforeEach(async () => {
  kafka = new MemoryKafka();
  await start();
  await worker.herder.writes.createConnector('c', config, null);
  await runs();
});
afterEach(async () => await worker.herder.stop());

test('a new worker prepares nothing; one that returns prepares for its tasks before they start', async () => {
  expect(worker.host.prepared).toEqual([]);
  await worker.herder.stop();
  await start();
  await runs();
  await waitFor('two starts', () => worker.host.log.length === 2);
  expect(worker.host.prepared).toEqual([2]);
});

test('a worker prepares nothing for tasks that ran under another address', async () => {
  await worker.herder.stop();
  await start('http://w2:8083/');
  await waitFor('two starts', () => worker.host.log.length === 2);
  expect(worker.host.prepared).toEqual([]);
});

test('nor for tasks of a connector that is paused', async () => {
  await worker.herder.writes.setTargetState('c', 'PAUSED');
  await waitFor('a pause', () => states(worker.herder, 'c') === 'PAUSED PAUSED,PAUSED');
  await worker.herder.stop();
  await start();
  await waitFor('two starts', () => worker.host.log.length === 2);
  expect(worker.host.prepared).toEqual([]);
});
