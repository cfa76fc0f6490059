/** What a client reads once its change is answered. Source: connect-rest §1.11, §1.16. */
import type { AssignedConsumer } from '../../../packages/kafka-client/src/port';
import { waitFor } from '../../helpers/wait-for';
import { createWorker, states, type TestWorker } from '../herder-fixtures';
import { MemoryKafka } from '../memory-kafka';

const config = { name: 'c', 'connector.class': 'org.example.TickConnector', 'tasks.max': '1' };
/** What a broker's fetch may take. */
const FETCH_MS = 40;

/** Records reach consumers some time after they were written. */
class LateKafka extends MemoryKafka {
  answersReads = true;

  override assignedConsumer(): AssignedConsumer {
    const consumer = super.assignedConsumer();
    return {
      ...consumer,
      poll: async (timeoutMs) => {
        const batches = await consumer.poll(timeoutMs);
        if (batches.length > 0) await new Promise((resolve) => setTimeout(resolve, FETCH_MS));
        while (!this.answersReads) await new Promise((resolve) => setTimeout(resolve, FETCH_MS));
        return batches;
      },
    };
  }
}

let kafka: LateKafka;
let worker: TestWorker;
beforeEach(async () => {
  kafka = new LateKafka();
  worker = createWorker(kafka, 'g');
  await worker.herder.start();
  await worker.herder.writes.createConnector('c', config, null);
  await waitFor('running', () => states(worker.herder, 'c') === 'RUNNING RUNNING', { everyMs: 5 });
});
afterEach(async () => {
  kafka.answersReads = true;
  await worker.herder.stop();
});

test('connect-rest §1.16: the status after a task’s restart is the restarted task’s', async () => {
  worker.host.failing.add('c-0');
  await worker.herder.restarts.restartTask('c', 0);
  expect(states(worker.herder, 'c')).toBe('RUNNING FAILED');
});

test('connect-rest §1.11: the status after a connector’s restart is the restarted instance’s', async () => {
  await worker.herder.restarts.restartConnector('c', 'ann');
  expect(worker.herder.reads.lastRestart('c')).toMatchObject({ cause: { user: 'ann' } });
});

test('connect-rest §1.11: also after a restart that is answered with 500', async () => {
  worker.behavior.start = () => Promise.reject(new Error('told to fail'));
  await expect(worker.herder.restarts.restartConnector('c')).rejects.toMatchObject({ status: 500 });
  expect(states(worker.herder, 'c')).toBe('FAILED RUNNING');
});

test('connect-rest §1.16: a restart is answered although Kafka does not let its status be read', async () => {
  kafka.answersReads = false;
  await worker.herder.restarts.restartTask('c', 0);
  expect(worker.host.log.slice(-2)).toEqual(['stop c-0', 'start c-0']);
});
