/** Brokers that keep their id and change their address: a replaced broker, a pod that got another one. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedBroker, type EmbeddedBroker } from '@millrace/embedded';
import { freePorts } from '../../../dev/services/free-port';
import { createAdmin } from '../../../packages/kafka-client/src/admin/admin';
import { createGroupMember, type KafkaGroupMember } from '../../../packages/kafka-client/src/group/group-member';
import { createWire } from '../../../packages/kafka-client/src/network/network-client';
import { LIST_GROUPS, listGroupsRequest } from '../../../packages/kafka-client/src/protocol/groups';
import { call } from '../../../packages/kafka-client/src/protocol/api';
import type { Admin } from '../../../packages/kafka-client/src/port';
import { retrying } from '../../../packages/kafka-client/src/retry';
import type { Wire } from '../../../packages/kafka-client/src/wire';
import { silentLogger } from '../../../src/logging/logger';
import { Clients } from '../../helpers/kafka-clients';
import { waitFor } from '../../helpers/wait-for';
import { fakeBroker, type FakeBroker, type FakeNode } from './fake-broker';

const RETRIES = { timeoutMs: 5_000, retryBackoffMs: 10, retryBackoffMaxMs: 100 };
const CLIENT = {
  'reconnect.backoff.ms': '10',
  'reconnect.backoff.max.ms': '50',
  'retry.backoff.ms': '10',
  'retry.backoff.max.ms': '50',
};

describe('kafka-client 3: the only broker moves', () => {
  let ports: number[];
  let folder: string;
  let broker: EmbeddedBroker;
  let clients: Clients;
  let config: Record<string, string>;

  const start = async (port: number): Promise<void> => {
    const dataDir = join(folder, 'data');
    const coordinators = { minSessionTimeoutMs: 100 };
    broker = await startEmbeddedBroker({ port, dataDir, coordinators, log: () => undefined });
  };
  const move = async (): Promise<void> => {
    await broker.stop();
    await start(ports.find((port) => port !== broker.port) as number);
  };
  beforeEach(async () => {
    ports = await freePorts(2);
    folder = mkdtempSync(join(tmpdir(), 'millrace-moved-'));
    await start(ports[0] as number);
    config = { ...CLIENT, 'bootstrap.servers': ports.map((port) => `127.0.0.1:${port}`).join(',') };
    clients = new Clients(config);
  });
  afterEach(async () => {
    await clients.close();
    await broker.stop();
    rmSync(folder, { recursive: true });
  });
  const admin = (): Admin => clients.own(createAdmin(createWire(config), RETRIES));
  const member = (): KafkaGroupMember =>
    clients.own(
      createGroupMember(
        createWire(config),
        config,
        {
          groupId: 'workers',
          protocolType: 'connect',
          sessionTimeoutMs: 10_000,
          heartbeatIntervalMs: 20,
          rebalanceTimeoutMs: 10_000,
          protocols: () => [{ name: 'default', metadata: Buffer.alloc(0) }],
          assign: (_protocol, members) => new Map(members.map((one) => [one.memberId, Buffer.from('work')])),
        },
        silentLogger,
      ),
    );

  test('a worker’s member rejoins the group', async () => {
    const it = member();
    await it.join();
    await move();
    await it.whenNeedsJoin(AbortSignal.timeout(10_000));
    await expect(it.join(AbortSignal.timeout(10_000))).resolves.toMatchObject({ assignment: Buffer.from('work') });
  });

  test('a transactional producer commits its next transaction', async () => {
    const topic = await clients.topic();
    const producer = await clients.producer(topic, { 'transactional.id': 'source', 'max.block.ms': '10000' });
    const commit = async (value: string): Promise<void> => {
      producer.beginTransaction();
      producer.send({ topic, partition: 0, key: null, value: Buffer.from(value) });
      await producer.commitTransaction();
    };
    await producer.initTransactions();
    await commit('before');
    await move();
    await commit('after');
    const consumer = await clients.assigned({ 'isolation.level': 'read_committed' });
    consumer.assign([{ topic, partition: 0 }]);
    const values: string[] = [];
    await waitFor('both transactions', async () => {
      for (const { records } of await consumer.poll(100)) values.push(...records.map(({ value }) => String(value)));
      return values.length === 2;
    });
    expect(values).toEqual(['before', 'after']);
  });

  test('an open admin client continues to list, describe and delete', async () => {
    const topic = await clients.topic();
    await clients.send(topic, ['one', 'two']);
    // One client for each: a request that works refreshes the metadata for the next.
    const [lists, describes, deletes, fences] = [admin(), admin(), admin(), admin()];
    await lists.listGroups();
    await describes.describeGroup('nobody');
    await deletes.deleteRecords([{ topic, partition: 0, offset: 1 }]);
    await fences.fenceProducers(['source']);
    await move();
    await expect(lists.listGroups()).resolves.toEqual(expect.any(Array));
    await expect(describes.describeGroup('nobody')).resolves.toMatchObject({ state: 'Dead' });
    await expect(deletes.deleteRecords([{ topic, partition: 0, offset: 2 }])).resolves.toBeUndefined();
    await expect(fences.fenceProducers(['source'])).resolves.toBeUndefined();
  });
});

describe('kafka-client 3: one of two brokers is elsewhere', () => {
  const open: { close(): Promise<unknown> }[] = [];
  /** The node id of the broker at each of the two addresses. */
  let places: readonly number[];
  let brokers: FakeBroker[];
  const nodes = (): FakeNode[] => brokers.map(({ port }, place) => ({ id: places[place] as number, port }));

  beforeEach(async () => {
    places = [1, 2];
    brokers = [];
    const groups = (place: number): string[] => [`group of node ${places[place]}`];
    for (const place of [0, 1]) {
      const coordinator = (): FakeNode => nodes().find(({ id }) => id === 1) as FakeNode;
      brokers.push(await fakeBroker({ nodes, coordinator, groups: () => groups(place) }));
    }
    open.push(...brokers);
  });
  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close();
  });
  const wire = (): Wire => {
    const server = (brokers[0] as FakeBroker).server;
    const made = createWire({ ...CLIENT, 'bootstrap.servers': server, 'client.id': 'test' });
    open.push(made);
    return made;
  };
  const groupsAt = async (it: Wire, node: number): Promise<string[]> =>
    (await call(it, node, LIST_GROUPS, listGroupsRequest)).groups.map(({ groupId }) => groupId);

  test('after a swap, requests go to the address where FindCoordinator finds the coordinator', async () => {
    const it = wire();
    await it.connect();
    const node = await it.coordinator('group', 'workers');
    expect(await groupsAt(it, node)).toEqual(['group of node 1']);
    places = [2, 1];
    // What a client does after NOT_COORDINATOR.
    it.forgetCoordinator('group', 'workers');
    expect(await it.coordinator('group', 'workers')).toBe(node);
    expect(await groupsAt(it, node)).toEqual(['group of node 1']);
    // The address was another broker's: that one has moved, too.
    await waitFor('the other broker to be looked up', async () => (await groupsAt(it, 2)).includes('group of node 2'));
  });

  test('an admin client lists the groups of a broker that joined the cluster after it', async () => {
    const both = brokers;
    brokers = both.slice(0, 1);
    const admin = createAdmin(wire(), RETRIES);
    open.push(admin);
    const all = async (): Promise<string[]> => (await admin.listGroups()).map(({ groupId }) => groupId).sort();
    expect(await all()).toEqual(['group of node 1']);
    brokers = both;
    expect(await all()).toEqual(['group of node 1', 'group of node 2']);
  });

  test('a broker that cannot be reached is looked up again, by a client without topics', async () => {
    const it = wire();
    await it.connect();
    const gone = brokers[1] as FakeBroker;
    await gone.close();
    const replacement = await fakeBroker({ nodes, groups: () => ['group of node 2'] });
    open.push(replacement);
    brokers[1] = replacement;
    expect(await retrying(RETRIES, () => groupsAt(it, 2))).toEqual(['group of node 2']);
  });
});
