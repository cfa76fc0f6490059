/**
 * One of two workers reads every change late. No task may run on both, and the last requested state wins. Source:
 * connect-runtime §1.7.
 */
import type { KafkaClients } from '../../../packages/kafka-client/src/port';
import { waitFor } from '../../helpers/wait-for';
import { createWorker, states, type TestWorker } from '../herder-fixtures';
import { serveInternalEndpoint, type Endpoint } from '../internal-endpoint';
import { MemoryKafka, type MemoryMember } from '../memory-kafka';

const CONFIGS = 'g-configs';
const LATE_MS = 60;
/** No machine pauses for so long: a worker that left is back before its running work is assigned to others. */
const AWAY_MS = 20_000;

let kafka: MemoryKafka;
let workers: TestWorker[];
let endpoints: Endpoint[];
/** Tasks that were started while another worker ran them. */
let twice: string[];
beforeEach(() => {
  kafka = new MemoryKafka();
  workers = [];
  endpoints = [];
  twice = [];
});
afterEach(async () => {
  for (const worker of workers) await worker.herder.stop();
  for (const endpoint of endpoints) endpoint.close();
});

/** Reads of the config topic are delayed, and with them the information that the topic was read to its end. */
function late(): KafkaClients {
  return Object.assign(Object.create(kafka) as KafkaClients, {
    assignedConsumer: () => {
      const consumer = kafka.assignedConsumer();
      let isConfig = false;
      return {
        ...consumer,
        assign: (partitions: Parameters<typeof consumer.assign>[0]) => {
          isConfig = partitions.some(({ topic }) => topic === CONFIGS);
          consumer.assign(partitions);
        },
        poll: async (timeoutMs: number) => {
          const batches = await consumer.poll(timeoutMs);
          if (isConfig && batches.length > 0) await new Promise((resolve) => setTimeout(resolve, LATE_MS));
          return batches;
        },
      };
    },
  });
}

async function start(clients: KafkaClients, workerSyncTimeoutMs: number): Promise<TestWorker> {
  const endpoint = await serveInternalEndpoint();
  endpoints.push(endpoint);
  const config = { workerSyncTimeoutMs, workerUnsyncBackoffMs: 100, scheduledRebalanceMaxDelayMs: AWAY_MS };
  const worker = createWorker(clients, 'g', { url: endpoint.url, config });
  workers.push(worker);
  await worker.herder.start();
  endpoint.serve(worker.herder);
  const { running } = worker.host;
  const set = running.set.bind(running);
  running.set = (name, spec) => {
    if (workers.some((other) => other !== worker && other.host.running.has(name))) twice.push(name);
    return set(name, spec);
  };
  return worker;
}

const config = (name: string, tasks: number, value: string): Record<string, string> => ({
  name,
  'connector.class': 'org.example.TickConnector',
  'tasks.max': String(tasks),
  value,
});
/** `name value` of everything that runs, on any worker. */
const running = (): string =>
  workers
    .flatMap(({ host }) => [...host.running].map(([name, spec]) => `${name} ${spec.taskConfig.value ?? ''}`))
    .sort()
    .join();
async function settles(expected: readonly string[]): Promise<void> {
  await waitFor(`exactly ${expected.join()}`, () => running() === expected.join(), { everyMs: 5, detail: running });
}

test.each([
  ['soon enough to wait for', 60_000, false],
  ['too late to wait for: it leaves and comes back', 20, true],
])('connect-runtime 113: a worker reads the config topic late, %s', async (_, syncTimeoutMs, leaves) => {
  const leader = await start(kafka, 60_000);
  const slow = await start(late(), syncTimeoutMs);
  await waitFor('both to be members', () => kafka.groups.get('g')?.members.size === 2, { everyMs: 5 });
  const leave = jest.spyOn(kafka.members[1] as MemoryMember, 'leave');
  for (const name of ['a', 'b', 'c']) await leader.herder.writes.createConnector(name, config(name, 2, '1'), null);
  await settles(['a-0 1', 'a-1 1', 'b-0 1', 'b-1 1', 'c-0 1', 'c-1 1']);
  // One change after the other, before the first has been read.
  for (const value of ['2', '3', '4'])
    for (const name of ['a', 'b'])
      await leader.herder.writes.putConnectorConfig(name, config(name, value === '4' ? 1 : 3, value));
  await leader.herder.writes.deleteConnector('c');
  await leader.herder.writes.createConnector('d', config('d', 2, '1'), null);
  await settles(['a-0 4', 'b-0 4', 'd-0 1', 'd-1 1']);
  for (const name of ['a', 'b']) {
    await waitFor(`${name} to be known to run`, () => states(slow.herder, name) === 'RUNNING RUNNING', {
      everyMs: 5,
      detail: () => states(slow.herder, name),
    });
  }
  await waitFor('work on both', () => workers.every(({ host }) => host.running.size > 0), { everyMs: 5 });
  await settles(['a-0 4', 'b-0 4', 'd-0 1', 'd-1 1']);
  expect([twice, leave.mock.calls.length > 0]).toEqual([[], leaves]);
});
