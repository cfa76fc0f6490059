/**
 * The leader deletes statuses of removed connectors and tasks, however late they are read. Source: connect-runtime §1.7
 * step 6.
 */
import type { AssignedConsumer, KafkaClients } from '../../../packages/kafka-client/src/port';
import { waitFor } from '../../helpers/wait-for';
import { createWorker, type TestWorker } from '../herder-fixtures';
import { MemoryKafka } from '../memory-kafka';

const STATUS = 'g-status';
const config = { name: 'c', 'connector.class': 'org.example.TickConnector', 'tasks.max': '2' };

/** Statuses reach this worker only when it reads the topic to its end: those of the others are always late. */
function late(kafka: MemoryKafka): KafkaClients {
  return {
    admin: () => kafka.admin(),
    producer: () => kafka.producer(),
    groupConsumer: () => kafka.groupConsumer(),
    groupMember: (settings, options) => kafka.groupMember(settings, options),
    assignedConsumer: () => {
      const consumer = kafka.assignedConsumer();
      let isStatus = false;
      let wake: () => void = () => undefined;
      return {
        ...consumer,
        assign: (partitions) => {
          isStatus = partitions.some(({ topic }) => topic === STATUS);
          consumer.assign(partitions);
        },
        wakeup: () => {
          wake();
          consumer.wakeup();
        },
        poll: async (timeoutMs) => {
          const isIdle = timeoutMs > 10_000;
          if (!isStatus || !isIdle) return await consumer.poll(timeoutMs);
          await new Promise<void>((resolve) => (wake = resolve));
          return [];
        },
      } satisfies AssignedConsumer;
    },
  };
}

let kafka: MemoryKafka;
let worker: TestWorker;
beforeEach(async () => {
  kafka = new MemoryKafka();
  worker = createWorker(late(kafka), 'g');
  await worker.herder.start();
});
afterEach(async () => await worker.herder.stop());

/** Its last reported status. */
const last = (key: string): string | undefined =>
  kafka
    .texts(STATUS)
    .filter((text) => text.startsWith(`${key}=`))
    .at(-1);
async function runs(): Promise<void> {
  await worker.herder.writes.createConnector('c', config, null);
  await waitFor('two tasks', () => worker.host.running.size === 2, { everyMs: 5 });
}

test('connect-rest 85: statuses of stopped tasks are removed, even when their final statuses are read late', async () => {
  await runs();
  await worker.herder.writes.stopConnector('c');
  for (const task of [0, 1])
    await waitFor(`no status of task ${task}`, () => last(`status-task-c-${task}`) === `status-task-c-${task}=∅`, {
      everyMs: 5,
      detail: () => kafka.texts(STATUS).join('\n'),
    });
  await waitFor('STOPPED', () => last('status-connector-c')?.includes('"STOPPED"') ?? false, { everyMs: 5 });
});

test('connect-rest 96, connect-runtime 65: statuses of a deleted connector are removed, too', async () => {
  await runs();
  await worker.herder.writes.deleteConnector('c');
  for (const key of ['status-connector-c', 'status-task-c-0', 'status-task-c-1'])
    await waitFor(`no ${key}`, () => last(key) === `${key}=∅`, {
      everyMs: 5,
      detail: () => kafka.texts(STATUS).join('\n'),
    });
});
