/** Millrace takes over from a worker with Debezium that was killed in its snapshot. Source: cdc-postgres §4.1. */
import { debeziumPluginPath } from '../../../dev/services/debezium-jars';
import { Clients } from '../../helpers/kafka-clients';
import { TestDatabase } from '../../helpers/test-database';
import { waitFor } from '../../helpers/wait-for';
import { Cluster, describeWithJava, reaches } from './fixtures';

const JSON_CONVERTERS = {
  'key.converter': 'org.apache.kafka.connect.json.JsonConverter',
  'key.converter.schemas.enable': 'false',
  'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
  'value.converter.schemas.enable': 'false',
};
interface Offsets {
  readonly offsets?: readonly { readonly offset: unknown }[];
}
interface Event {
  readonly op: string;
  readonly before: { readonly id: number };
  readonly after: { readonly id: number } | null;
}

describeWithJava('a worker with Debezium', () => {
  let cluster: Cluster;
  let clients: Clients;
  let database: TestDatabase;

  beforeAll(async () => {
    cluster = await Cluster.create();
    clients = new Clients();
    database = await TestDatabase.create(
      `CREATE TABLE a (id int PRIMARY KEY, v int); INSERT INTO a VALUES (1), (2), (3), (4);
       CREATE TABLE b (id int PRIMARY KEY); INSERT INTO b VALUES (1)`,
    );
  });
  afterAll(async () => {
    await cluster?.close();
    await clients?.close();
    await database?.drop();
  });

  test('cdc-postgres 24, 70: killed in its snapshot: Millrace starts it over, and streams what changed since', async () => {
    const { name } = database;
    const settings = {
      'tombstones.on.delete': 'false',
      'snapshot.select.statement.overrides': 'public.b',
      'snapshot.select.statement.overrides.public.b':
        'SELECT * FROM b WHERE pg_advisory_xact_lock_shared(1) IS NOT NULL',
    };
    const java = await cluster.java({ 'plugin.path': await debeziumPluginPath() });
    const locking = await database.connect();
    try {
      // Debezium reads a, and waits for b.
      await locking.query('SELECT pg_advisory_lock(1)');
      await java.register({ name, config: { ...database.sourceConfig(settings), ...JSON_CONVERTERS } });
      const stored = async (): Promise<unknown> =>
        ((await java.request('GET', `/connectors/${name}/offsets`)).json as Offsets).offsets?.[0]?.offset;
      const detail = (): string => cluster.logs();
      const offset = await waitFor('an offset to be stored', async () => (await stored()) ?? null, { detail });
      expect(offset).toMatchObject({ snapshot: 'INITIAL', snapshot_completed: false });
      await java.crash();
      await database.query('DELETE FROM a WHERE id = 1; UPDATE a SET v = 2 WHERE id = 2');
    } finally {
      await locking.end();
    }

    const tp = { topic: `${name}.public.a`, partition: 0 };
    const [end] = await clients.admin.listOffsets([tp], 'latest');
    const ours = await cluster.ours();
    await reaches(ours, name, 'RUNNING RUNNING', ours);
    const consumer = await clients.assigned();
    consumer.assign([tp]);
    consumer.seek({ ...tp, offset: end?.offset ?? 0 });
    const seen: string[] = [];
    const all = async (): Promise<boolean> => {
      for (const batch of await consumer.poll(200))
        for (const { value } of batch.records) {
          const { op, before, after } = JSON.parse(String(value)) as Event;
          seen.push(`${op} ${(after ?? before).id}`);
        }
      return seen.includes('u 2');
    };
    await waitFor('the update', all, { everyMs: 0, detail: () => `${seen.join()}\n${cluster.logs()}` });
    await consumer.close();
    expect([...seen.slice(0, 3).sort(), ...seen.slice(3)]).toEqual(['r 2', 'r 3', 'r 4', 'd 1', 'u 2']);
  });
});
