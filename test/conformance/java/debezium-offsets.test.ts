/** Debezium resumes with Millrace's offsets, and Millrace with Debezium's. Source: cdc-postgres §6, Appendix R. */
import { debeziumPluginPath } from '../../../dev/services/debezium-jars';
import type { StartedWorker } from '../../../dev/services/worker';
import { Clients } from '../../helpers/kafka-clients';
import { TestDatabase } from '../../helpers/test-database';
import { waitFor } from '../../helpers/wait-for';
import { TaskRun, taskConfig } from '../../integration/postgres/harness';
import { ask, Cluster, describeWithJava, reaches } from './fixtures';

describeWithJava('offsets of Millrace and of Debezium', () => {
  let cluster: Cluster;
  let clients: Clients;
  let database: TestDatabase;
  let java: StartedWorker;

  const startJava = async (): Promise<StartedWorker> =>
    await cluster.java({ 'plugin.path': await debeziumPluginPath() });
  const JSON_CONVERTERS = {
    'key.converter': 'org.apache.kafka.connect.json.JsonConverter',
    'key.converter.schemas.enable': 'false',
    'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
    'value.converter.schemas.enable': 'false',
  };
  /** `operation id` of all records of a connector's topic, once there are that many. */
  async function records(prefix: string, count: number): Promise<string[]> {
    const topic = `${prefix}.public.t`;
    const tp = { topic, partition: 0 };
    const consumer = await clients.assigned();
    const seen: string[] = [];
    await waitFor(
      `${topic} to be there`,
      async () => (await clients.admin.describeTopics([topic])).some(({ partitions }) => partitions.length === 1),
      { detail: () => cluster.logs() },
    );
    consumer.assign([tp]);
    await consumer.seekToBeginning([tp]);
    await waitFor(
      `${count} records in ${topic}`,
      async () => {
        for (const batch of await consumer.poll(200))
          for (const { value } of batch.records) {
            const event = JSON.parse(String(value)) as { op: string; before: { id: number }; after: { id: number } };
            seen.push(`${event.op} ${(event.after ?? event.before).id}`);
          }
        return seen.length >= count;
      },
      { everyMs: 0, detail: () => `${seen.join()}\n${cluster.logs()}` },
    );
    await consumer.close();
    return seen;
  }

  beforeAll(async () => {
    cluster = await Cluster.create();
    clients = new Clients();
    database = await TestDatabase.create('CREATE TABLE t (id int PRIMARY KEY, v int)');
  });
  afterAll(async () => {
    await cluster?.close();
    await clients?.close();
    await database?.drop();
  });

  test('cdc-postgres 70: a connector migrates to Debezium and back with its topics: every change once', async () => {
    const name = database.name;
    const config = { ...database.sourceConfig({ 'tombstones.on.delete': 'false' }), ...JSON_CONVERTERS };
    await database.query('INSERT INTO t VALUES (1), (2)');
    const ours = await cluster.ours();
    await ours.register({ name, config });
    await records(name, 2);
    await database.query('BEGIN; INSERT INTO t VALUES (3), (4); COMMIT; UPDATE t SET v = 1 WHERE id = 4');
    await records(name, 5);
    await ours.stop();

    await database.query('INSERT INTO t VALUES (5); BEGIN; INSERT INTO t VALUES (6), (7); COMMIT');
    java = await startJava();
    await reaches(java, name, 'RUNNING RUNNING', java);
    await records(name, 8);
    // Rows of one statement may share a position.
    await database.query('INSERT INTO t SELECT generate_series(8, 9)');
    await records(name, 10);
    await java.stop();

    await database.query('DELETE FROM t WHERE id = 1; INSERT INTO t VALUES (10)');
    const again = await cluster.ours();
    await reaches(again, name, 'RUNNING RUNNING', again);
    const all = 'r 1,r 2,c 3,c 4,u 4,c 5,c 6,c 7,c 8,c 9,d 1,c 10'.split(',');
    expect(await records(name, all.length)).toEqual(all);
    await again.stop();
  });

  test('cdc-postgres 70: Debezium resumes at Millrace’s offsets: inside a transaction, at its end, after rows that share a position, at a heartbeat', async () => {
    // What Millrace's task emits for each record.
    const config = taskConfig(database, { 'snapshot.mode': 'no_data', 'slot.name': `${database.slot}_task` });
    const places = ['first', 'inside', 'last', 'copied', 'heartbeat'] as const;
    const slotOf = (place: string): string => `${database.slot}_${place}`;
    for (const place of places)
      await database.query("SELECT pg_create_logical_replication_slot($1, 'pgoutput')", [slotOf(place)]);
    const run = await TaskRun.start({ ...config, 'heartbeat.interval.ms': '1' });
    const offsets: Record<string, unknown> = {};
    try {
      await database.query('INSERT INTO t VALUES (101); BEGIN; INSERT INTO t VALUES (102); INSERT INTO t VALUES (103)');
      await database.query('INSERT INTO t VALUES (104); COMMIT');
      // One record of the log.
      await database.query("COPY t (id) FROM PROGRAM 'seq 105 107'");
      const rows = await run.until((all) => all.some((record) => record.key.id === 107));
      const offsetOf = (id: number): unknown => rows.find((record) => record.key.id === id)?.sourceOffset;
      Object.assign(offsets, {
        first: offsetOf(101),
        inside: offsetOf(102),
        last: offsetOf(104),
        copied: offsetOf(107),
      });
      // One after the end of the transaction: earlier ones belong to its last row.
      await run.until(() => run.lastOffset.messageType === 'COMMIT');
      offsets.heartbeat = run.lastOffset;
    } finally {
      await run.stop();
    }
    await database.query('INSERT INTO t VALUES (108)');

    java = await startJava();
    // Debezium repeats the last of rows that share a position.
    const first = { first: 102, inside: 103, last: 105, copied: 107, heartbeat: 108 };
    for (const place of places) {
      const name = slotOf(place);
      const prefix = `${database.name}-${place}`;
      const connector = {
        ...database.sourceConfig({ 'topic.prefix': prefix, 'slot.name': name, 'snapshot.mode': 'no_data' }),
        ...JSON_CONVERTERS,
      };
      const created = await ask(java, 'POST', '/connectors', { name, config: connector, initial_state: 'STOPPED' });
      expect([created.status, created.body]).toEqual([201, expect.any(String)]);
      await reaches(java, name, 'STOPPED');
      const offset = { partition: { server: prefix }, offset: offsets[place] };
      const altered = await ask(java, 'PATCH', `/connectors/${name}/offsets`, { offsets: [offset] });
      expect([altered.status, altered.body]).toEqual([200, expect.any(String)]);
      await ask(java, 'PUT', `/connectors/${name}/resume`);
    }
    for (const place of places) {
      const expected = Array.from({ length: 109 - first[place] }, (_, i) => `c ${first[place] + i}`);
      expect([place, await records(`${database.name}-${place}`, expected.length)]).toEqual([place, expected]);
    }
  });
});
