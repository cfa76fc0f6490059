/** `POST /connectors/{name}/signals` through a worker to PostgreSQL, as a user sends it. */
import { useEmbeddedBroker } from '@millrace/embedded';
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { Clients } from '../../helpers/kafka-clients';
import { TestDatabase } from '../../helpers/test-database';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

const broker = useEmbeddedBroker();
let worker: StartedWorker | null = null;
let database: TestDatabase;
let clients: Clients;

afterEach(async () => {
  await worker?.stop();
  await clients.close();
  await database.drop();
});

test('cdc-postgres 103: a table is read again on request; with several slots, each task reads its tables', async () => {
  const { bootstrapServers } = broker;
  clients = new Clients({ 'bootstrap.servers': bootstrapServers });
  database = await TestDatabase.create(`CREATE TABLE a (id int PRIMARY KEY); INSERT INTO a VALUES (1), (2), (3);
    CREATE TABLE b (id int PRIMARY KEY); INSERT INTO b VALUES (4), (5)`);
  const { name } = database;
  const topics = ['a', 'b'].map((table) => `${name}.public.${table}`);
  for (const topic of topics) await clients.topic(1, {}, topic);
  worker = await startWorker({ bootstrapServers, group: uniqueName('signals') });
  await worker.ready();
  const json = 'org.apache.kafka.connect.json.JsonConverter';
  await worker.register({
    name,
    config: database.sourceConfig({
      'snapshot.mode': 'no_data',
      ...{ 'slot.count': '2', 'tasks.max': '2', 'slot.tables': '0:public\\.a;1:public\\.b' },
      ...{ 'value.converter': json, 'value.converter.schemas.enable': 'false' },
    }),
  });
  await worker.running(name, 2);
  await waitFor('both streams', async () => (await database.streams()) === 2);
  const send = async (body: object) =>
    await (worker as StartedWorker).request('POST', `/connectors/${name}/signals`, body);
  const data = { 'data-collections': ['public\\.[ab]'] };
  const accepted = await send({ id: 'again', type: 'execute-snapshot', data });
  expect([accepted.status, accepted.json]).toEqual([202, { id: 'again' }]);
  await clients.end(topics[0] as string, 3);
  await clients.end(topics[1] as string, 2);
  const consumer = await clients.assigned();
  await consumer.assign(topics.map((topic) => ({ topic, partition: 0 })));
  const seen: unknown[] = [];
  await waitFor('5 records', async () => {
    for (const { records } of await consumer.poll(500))
      for (const { value } of records) {
        const { op, after, source } = JSON.parse(String(value)) as Record<string, { id: number; snapshot: string }>;
        seen.push([op, after?.id, source?.snapshot]);
      }
    return seen.length === 5;
  });
  expect(seen.sort()).toEqual([1, 2, 3, 4, 5].map((id) => ['r', id, 'incremental']));
  expect(worker.process.log()).not.toContain('PG_INCREMENTAL_SNAPSHOT');
  const refused = await send({ id: 'odd', type: 'unknown' });
  expect([refused.status, refused.json]).toEqual([
    400,
    {
      error_code: 400,
      message: expect.stringContaining('The signal odd has the unknown type "unknown"; the types are ') as string,
    },
  ]);
});
