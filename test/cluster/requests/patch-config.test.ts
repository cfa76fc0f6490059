/** Patches of a connector config. Source: connect-rest §1.8. */
import { createWorker, type TestWorker } from '../herder-fixtures';
import { MemoryKafka } from '../memory-kafka';

const config = { name: 'c', 'connector.class': 'org.example.TickConnector', a: '1', b: '2' };
let kafka: MemoryKafka;
let worker: TestWorker;
beforeEach(async () => {
  kafka = new MemoryKafka();
  worker = createWorker(kafka, 'g');
  await worker.herder.start();
  await worker.herder.writes.createConnector('c', config, 'STOPPED');
});
afterEach(async () => await worker.herder.stop());

test('connect-rest 76 to 80: sets, removes, and stores nothing invalid', async () => {
  const { herder } = worker;
  const info = await herder.writes.patchConnectorConfig('c', { a: null, b: '3', none: null });
  expect(info.config).toEqual({ name: 'c', 'connector.class': 'org.example.TickConnector', b: '3' });
  await expect(herder.writes.patchConnectorConfig('c', { fault: 'bad key' })).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('\nbad key\n'),
  });
  expect(herder.reads.connectorInfo('c').config).toEqual(info.config);
  await expect(herder.writes.patchConnectorConfig('x', {})).rejects.toMatchObject({
    status: 404,
    message: 'Connector x not found',
  });
});

test('concurrent patches all apply', async () => {
  const { herder } = worker;
  const keys = Array.from({ length: 10 }, (_, i) => `k${i}`);
  await Promise.all(keys.map(async (key) => await herder.writes.patchConnectorConfig('c', { [key]: 'v' })));
  expect(Object.keys(herder.reads.connectorInfo('c').config)).toEqual(expect.arrayContaining([...keys, 'a', 'b']));
});
