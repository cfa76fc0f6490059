/** Herders of one group on a real broker, with a simulated task host. */
import { randomBytes } from 'node:crypto';
import { createKafkaClients } from '../../../packages/kafka-client/src/create-clients';
import type { Admin, GroupMember, KafkaClients } from '../../../packages/kafka-client/src/port';
import { silentLogger } from '../../../src/logging/logger';
import type { WorkerConfig } from '../../../src/config/worker-config';
import { deleteTopics } from '../../helpers/kafka-clients';
import { waitFor } from '../../helpers/wait-for';
import { serveInternalEndpoint, type Endpoint } from '../../cluster/internal-endpoint';
import { createWorker, states, type TestWorker } from '../../cluster/herder-fixtures';

const client = { 'bootstrap.servers': process.env.BOOTSTRAP_SERVERS ?? '' };
let admin: Admin;
let group: string;
let workers: (TestWorker & { readonly members: GroupMember[] })[];
let endpoints: Endpoint[];

beforeAll(() => {
  admin = createKafkaClients(silentLogger).admin(client);
});
afterAll(async () => await admin.close());
beforeEach(() => {
  group = `herders-${randomBytes(5).toString('hex')}`;
  workers = [];
  endpoints = [];
});
afterEach(async () => {
  await Promise.all(workers.map(async ({ herder }) => await herder.stop()));
  for (const endpoint of endpoints) endpoint.close();
  await deleteTopics(
    admin,
    ['configs', 'offsets', 'status'].map((suffix) => `${group}-${suffix}`),
  );
});

async function start(config: Partial<WorkerConfig> = {}): Promise<(typeof workers)[number]> {
  const endpoint = await serveInternalEndpoint();
  endpoints.push(endpoint);
  const members: GroupMember[] = [];
  const real = createKafkaClients(silentLogger);
  const clients: KafkaClients = {
    ...real,
    groupMember: (settings, options) => {
      const member = real.groupMember(settings, options);
      members.push(member);
      return member;
    },
  };
  const worker = Object.assign(
    createWorker(clients, group, {
      url: endpoint.url,
      config: { sessionTimeoutMs: 6_000, heartbeatIntervalMs: 500, ...config },
    }),
    { members },
  );
  endpoint.serve(worker.herder);
  workers.push(worker);
  await worker.herder.start();
  return worker;
}

const source = (name: string, config: Record<string, string> = {}): Record<string, string> => ({
  name,
  'connector.class': 'org.example.TickConnector',
  'tasks.max': '2',
  ...config,
});
async function healthy(worker: TestWorker): Promise<void> {
  await waitFor('the worker to be healthy', async () => (await worker.herder.health()).status === 'healthy');
}
async function reaches(worker: TestWorker, name: string, expected: string): Promise<void> {
  await waitFor(`${name} to be ${expected}`, () => states(worker.herder, name) === expected, {
    detail: () => states(worker.herder, name),
  });
}
const running = (): string =>
  workers
    .flatMap(({ host }) => [...host.running.keys()])
    .sort()
    .join();

test('two workers share connectors and tasks; one is killed and its work moves after the delay', async () => {
  const one = await start({ scheduledRebalanceMaxDelayMs: 2_000 });
  await healthy(one);
  const two = await start({ scheduledRebalanceMaxDelayMs: 2_000 });
  await healthy(two);
  expect(one.herder.kafkaClusterId()).toMatch(/^[\w-]{22}$/);
  const names = ['a', 'b', 'c', 'd'];
  for (const name of names) await one.herder.writes.createConnector(name, source(name), null);
  for (const name of names) await reaches(two, name, 'RUNNING RUNNING,RUNNING');
  await waitFor('an even share', () => one.host.running.size === 4 && two.host.running.size === 4);
  expect(running()).toBe(names.flatMap((name) => [`${name}-0`, `${name}-1`]).join());
  // One of them may have requested another rebalance, during which Kafka returns no protocol.
  const described = await waitFor('a rebalance to be over', async () => {
    const now = await admin.describeGroup(group);
    return now.state === 'Stable' && now;
  });
  expect(described).toMatchObject({ protocolType: 'connect', protocol: 'sessioned' });
  expect(described.members).toHaveLength(2);

  await Promise.all(two.members.map(async (member) => await member.close()));
  await waitFor('the work to move', () => one.host.running.size === 8, {
    detail: () => [...one.host.running.keys()].join(),
  });
  // Read by both: pending statuses of the lost worker are then outdated, and its stop does not wait to write them.
  const byOne = ({ herder }: TestWorker, name: string): boolean => {
    const { connector, tasks } = herder.reads.connectorStatus(name);
    return [connector, ...tasks].every((part) => part.state === 'RUNNING' && part.worker_id === one.herder.workerId);
  };
  for (const name of names) {
    await waitFor(`${name} to be reported by the survivor`, () => workers.every((worker) => byOne(worker, name)), {
      detail: () => workers.map(({ herder }) => JSON.stringify(herder.reads.connectorStatus(name))).join('\n'),
    });
  }
});

test('connect-runtime 49: a task change causes a rebalance, a connector change and a restart do not', async () => {
  // A lost and renewed membership increments the generation as well.
  const worker = await start({ sessionTimeoutMs: 60_000 });
  await healthy(worker);
  await worker.herder.writes.createConnector('c', source('c'), null);
  await reaches(worker, 'c', 'RUNNING RUNNING,RUNNING');
  await healthy(worker);
  const generation = (): number => worker.members[0]?.current?.generation ?? -1;
  const before = generation();
  await worker.herder.restarts.restartConnector('c');
  await worker.herder.restarts.requestRestart('c', { includeTasks: true, onlyFailed: false });
  await waitFor('the tasks to restart', () => worker.host.log.length >= 6);
  await reaches(worker, 'c', 'RUNNING RUNNING,RUNNING');
  // A rebalance, if there is one, precedes the next request.
  await healthy(worker);
  expect(generation()).toBe(before);
  await worker.herder.writes.putConnectorConfig('c', source('c', { value: 'v2' }));
  await waitFor('the new tasks', () => worker.host.running.get('c-1')?.taskConfig.value === 'v2');
  expect(generation()).toBeGreaterThan(before);
});

test('everything is restored after a restart of the whole group; offsets survive', async () => {
  const first = await start();
  await healthy(first);
  await first.herder.writes.createConnector('c', source('c'), null);
  await first.herder.writes.createConnector('p', source('p'), 'PAUSED');
  await reaches(first, 'c', 'RUNNING RUNNING,RUNNING');
  await reaches(first, 'p', 'PAUSED');
  await first.host.offsets.write('c', [[{ table: 't', server: 's' }, { lsn: 9007199254740993n }]]);
  await first.herder.stop();
  const second = await start();
  await healthy(second);
  await reaches(second, 'c', 'RUNNING RUNNING,RUNNING');
  await reaches(second, 'p', 'PAUSED');
  expect(await second.host.offsets.read('c', [{ server: 's', table: 't' }])).toEqual([{ lsn: 9007199254740993n }]);
  await second.herder.writes.deleteConnector('c');
  await waitFor('its status to go', () => states(second.herder, 'c') === '');
  expect(second.host.running.size).toBe(0);
});
