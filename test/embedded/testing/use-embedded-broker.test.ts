/** The kit for tests of others (kafka-client §4): a broker in a file's hooks, and faults that end with their test. */
import { useEmbeddedBroker } from '@millrace/embedded';
import { Clients } from '../../helpers/kafka-clients';

const broker = useEmbeddedBroker();
let addressTooSoon: unknown;
try {
  addressTooSoon = broker.bootstrapServers;
} catch (error) {
  addressTooSoon = error;
}

test('outside of a test: an error says that the broker is not started yet', () => {
  expect(addressTooSoon).toEqual(
    new Error('The embedded broker is started in beforeAll; use it in tests and hooks only.'),
  );
});

test('a test injects a fault', async () => {
  broker.faults.fail('CreateTopics', 'CLUSTER_AUTHORIZATION_FAILED');
  const clients = new Clients({ 'bootstrap.servers': broker.bootstrapServers });
  await expect(clients.topic()).rejects.toMatchObject({ code: 'CLUSTER_AUTHORIZATION_FAILED' });
  await clients.close();
});

test('the next test has a broker without faults', async () => {
  const clients = new Clients({ 'bootstrap.servers': `127.0.0.1:${broker.port}` });
  const topic = await clients.topic();
  await clients.send(topic, ['a']);
  await clients.end(topic, 1);
  expect((await clients.admin.describeCluster()).clusterId).toBe(broker.clusterId);
  await clients.close();
});

test('hooks of another test runner can be passed', async () => {
  const called: Record<string, () => Promise<void> | void> = {};
  const other = useEmbeddedBroker(
    {},
    {
      beforeAll: (start) => void (called.start = start),
      afterEach: (tidyUp) => void (called.tidyUp = tidyUp),
      afterAll: (stop) => void (called.stop = stop),
    },
  );
  await called.start!();
  expect(other.bootstrapServers).not.toBe(broker.bootstrapServers);
  const clients = new Clients({ 'bootstrap.servers': other.bootstrapServers });
  other.faults.fail('CreateTopics', 'CLUSTER_AUTHORIZATION_FAILED');
  called.tidyUp!();
  await clients.topic();
  await clients.close();
  await called.stop!();
});
