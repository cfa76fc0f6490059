/** Offsets of a stopped exactly-once source, altered while the worker loses its membership. */
import { startEmbeddedBroker, type EmbeddedBroker } from '@millrace/embedded';
import { transactionalOffsets } from '../../../src/cluster/offsets/transactional-offsets';
import { createKafkaClients } from '../../../packages/kafka-client/src/create-clients';
import { readClocks, type Admin } from '../../../packages/kafka-client/src/port';
import { silentLogger } from '../../../src/logging/logger';
import { LogPermission, SessionLease } from '../../../src/tasks/session-lease';
import { waitFor } from '../../helpers/wait-for';

const TOPIC = 'offsets';
const clients = createKafkaClients(silentLogger);
let broker: EmbeddedBroker;
let admin: Admin;
let copied: number;

beforeAll(async () => {
  broker = await startEmbeddedBroker();
  admin = clients.admin({ 'bootstrap.servers': broker.bootstrapServers });
  await admin.createTopics([{ name: TOPIC, partitions: 1, replicationFactor: 1 }]);
});
afterAll(async () => {
  await admin?.close();
  await broker?.stop();
});
beforeEach(() => (copied = 0));
afterEach(() => broker.faults.clear());

const producerOf = (id: string): Record<string, string> => ({
  'bootstrap.servers': broker.bootstrapServers,
  'transactional.id': id,
});

function offsetsUnder(lease: SessionLease, id: string): ReturnType<typeof transactionalOffsets> {
  return transactionalOffsets({
    offsets: {
      list: async () => [],
      setPartitionOrder: () => undefined,
      encode: async () => ({ topic: TOPIC, records: [[Buffer.from('key'), Buffer.from('altered')]] }),
      copy: async () => void copied++,
    },
    clients,
    producer: producerOf(id),
    permission: new LogPermission(lease),
  });
}

function heldLease(): SessionLease {
  const lease = new SessionLease(60_000);
  lease.renew(readClocks());
  return lease;
}

/** The records that read_committed consumers see, and the markers between them. */
async function end(): Promise<number> {
  return (await admin.listOffsets([{ topic: TOPIC, partition: 0 }], 'latest', 'read_committed'))[0]?.offset ?? 0;
}

test.each([
  ['rejoins', (lease: SessionLease) => lease.renew(readClocks())],
  ['does not rejoin', () => undefined],
])('connect-runtime 3.8: offsets are not written once the session is lost, if the worker %s', async (_case, rejoin) => {
  const lease = heldLease();
  const before = await end();
  const requests = broker.faults.requests('InitProducerId');
  broker.faults.delay('InitProducerId', 300);
  const id = `lost-${before}-${requests}`;
  const written = offsetsUnder(lease, id).write('c', []);
  await Promise.all([
    expect(written).rejects.toMatchObject({ code: 'SESSION_LOST' }),
    waitFor('the request', () => broker.faults.requests('InitProducerId') > requests).then(() => {
      lease.end();
      rejoin(lease);
    }),
  ]);
  expect(copied).toBe(0);
  expect(await end()).toBe(before);
});

test('connect-runtime 3.8: the producer of a later task is not fenced once the session is lost', async () => {
  const lease = heldLease();
  const task = clients.producer(producerOf('shared'));
  await task.connect();
  const offsets = offsetsUnder(lease, 'shared');
  broker.faults.delay('ApiVersions', 100, { times: 1 });
  const written = offsets.write('c', []);
  lease.end();
  lease.renew(readClocks());
  await task.initTransactions();
  await expect(written).rejects.toMatchObject({ code: 'SESSION_LOST' });
  await task.prepare([TOPIC]);
  task.beginTransaction();
  task.send({ topic: TOPIC, key: null, value: Buffer.from('task') });
  await task.commitTransaction();
  await task.close();
});

test('connect-runtime 3.8: offsets are written in the membership that the change began in', async () => {
  const before = await end();
  await offsetsUnder(heldLease(), 'kept').write('c', []);
  expect(copied).toBe(1);
  expect(await end()).toBeGreaterThan(before);
});
