/**
 * Keys and schemas after DDL, and of values that the server does not send, compared with Debezium's. Source:
 * cdc-postgres §2.7, §5.7, Appendix R.
 */
import type { Schema } from '@millrace/sdk';
import { debeziumPluginPath } from '../../../dev/services/debezium-jars';
import { Clients } from '../../helpers/kafka-clients';
import { TestDatabase } from '../../helpers/test-database';
import { waitFor } from '../../helpers/wait-for';
import { TaskRun, taskConfig, type AnyRecord } from '../../integration/postgres/harness';
import { Cluster, describeWithJava, reaches } from './fixtures';

const TABLES = `
  CREATE TABLE long_key (k text PRIMARY KEY, v int);
  CREATE TABLE outside (id int PRIMARY KEY, doc text, v int);
  CREATE TABLE full_none (id int NOT NULL, v text);
  CREATE TABLE full_other (id int PRIMARY KEY, v int NOT NULL);
  CREATE TABLE nothing (id int NOT NULL, v text);
  CREATE TABLE by_index (id int NOT NULL, code text NOT NULL UNIQUE);
  CREATE TABLE not_null (id int PRIMARY KEY, v text);
  CREATE TABLE defaults (id int PRIMARY KEY, v text);
  CREATE TABLE last (id int PRIMARY KEY);
  ALTER TABLE long_key ALTER k SET STORAGE EXTERNAL;
  ALTER TABLE outside ALTER doc SET STORAGE EXTERNAL;
  ALTER TABLE full_none REPLICA IDENTITY FULL;
  ALTER TABLE full_other REPLICA IDENTITY FULL;
  ALTER TABLE nothing REPLICA IDENTITY NOTHING;
  ALTER TABLE by_index REPLICA IDENTITY USING INDEX by_index_code_key`;

/** One transaction each, so that a streaming connector has seen one before the next starts. */
const STEPS = [
  `INSERT INTO long_key VALUES (repeat('x', 2300), 1); UPDATE long_key SET v = 2; DELETE FROM long_key;
   INSERT INTO outside VALUES (1, repeat('x', 3000), 1); UPDATE outside SET v = 2; UPDATE outside SET id = 2; DELETE FROM outside;
   INSERT INTO full_none VALUES (1, 'a'); INSERT INTO full_other VALUES (1, 10); INSERT INTO nothing VALUES (1, 'a');
   INSERT INTO by_index VALUES (1, 'a'); INSERT INTO not_null VALUES (1, 'a'); INSERT INTO defaults VALUES (1, 'a')`,
  `ALTER TABLE full_none ADD PRIMARY KEY (id); ALTER TABLE full_other DROP CONSTRAINT full_other_pkey;
   ALTER TABLE full_other ADD PRIMARY KEY (v); ALTER TABLE nothing ADD PRIMARY KEY (id); ALTER TABLE by_index ADD PRIMARY KEY (id);
   ALTER TABLE not_null ALTER v SET NOT NULL; ALTER TABLE defaults ALTER v SET DEFAULT 'd'`,
  `INSERT INTO full_none VALUES (2, 'b'); DELETE FROM full_none; INSERT INTO full_other VALUES (2, 20); DELETE FROM full_other;
   INSERT INTO nothing VALUES (2, 'b'); INSERT INTO by_index VALUES (2, 'b'); INSERT INTO not_null VALUES (2, 'b');
   INSERT INTO defaults VALUES (2, 'b')`,
];
const NAMES = [...TABLES.matchAll(/CREATE TABLE (\w+)/g)].map(([, name = '']) => name);

interface Field {
  readonly field: string;
  readonly optional: boolean;
  readonly default?: unknown;
}
interface Event {
  readonly schema: { readonly fields: readonly { readonly fields: readonly Field[] }[] };
  readonly payload: { readonly op: string };
}

const columns = (fields: readonly Field[]): string =>
  fields
    .map((one) => `${one.field}${one.optional ? '?' : ''}${one.default == null ? '' : `=${String(one.default)}`}`)
    .join();

function ours(record: AnyRecord): string {
  const fields = (schema: Schema | null | undefined): string =>
    columns((schema?.fields ?? []).map(({ name, schema: of }) => ({ field: name, ...of })));
  const { key, keySchema, value, valueSchema } = record;
  const event = value === null ? 'tombstone' : `${value.op} [${fields(valueSchema?.fields?.[1]?.schema)}]`;
  return `${JSON.stringify(key)} [${fields(keySchema)}] ${event}`;
}

function debezium(key: Buffer | null, value: Buffer | null): string {
  const parsed =
    key === null ? null : (JSON.parse(key.toString()) as { schema: { fields: Field[] }; payload: unknown });
  const event = value === null ? null : (JSON.parse(value.toString()) as Event);
  const row = event === null ? 'tombstone' : `${event.payload.op} [${columns(event.schema.fields[1]?.fields ?? [])}]`;
  return `${JSON.stringify(parsed?.payload ?? null)} [${columns(parsed?.schema.fields ?? [])}] ${row}`;
}

describeWithJava('the same changes, read by Debezium and by Millrace', () => {
  let cluster: Cluster;
  let clients: Clients;
  let database: TestDatabase;
  let run: TaskRun | null = null;

  beforeAll(async () => {
    cluster = await Cluster.create();
    clients = new Clients();
    database = await TestDatabase.create(TABLES);
  });
  afterAll(async () => {
    await run?.stop();
    await cluster?.close();
    await clients?.close();
    await database?.drop();
  });

  async function published(table: string): Promise<string[]> {
    const topic = `${database.name}.public.${table}`;
    if ((await clients.admin.describeTopics([topic])).every(({ partitions }) => partitions.length === 0)) return [];
    const tp = { topic, partition: 0 };
    const [end] = await clients.admin.listOffsets([tp], 'latest');
    const consumer = await clients.assigned();
    consumer.assign([tp]);
    await consumer.seekToBeginning([tp]);
    const seen: string[] = [];
    while (seen.length < (end?.offset ?? 0))
      for (const batch of await consumer.poll(200))
        for (const { key, value } of batch.records) seen.push(debezium(key, value));
    await consumer.close();
    return seen;
  }

  test('cdc-postgres 41, 88, Appendix R.16: long keys, keys outside the identity, and DDL that leaves the columns alone', async () => {
    const java = await cluster.java({ 'plugin.path': await debeziumPluginPath() });
    const settings = { 'snapshot.mode': 'no_data', 'message.key.columns': 'public.outside:doc' };
    const converter = 'org.apache.kafka.connect.json.JsonConverter';
    await java.register({
      name: database.name,
      config: { ...database.sourceConfig(settings), 'key.converter': converter, 'value.converter': converter },
    });
    await reaches(java, database.name, 'RUNNING RUNNING', java);
    const config = taskConfig(database, { ...settings, 'event.incomplete.key.handling': 'debezium' });
    run = await TaskRun.start({ ...config, 'slot.name': `${database.slot}_ours` });
    const { records } = run;
    for (const [i, step] of STEPS.entries()) {
      await database.query(`${step}; INSERT INTO last VALUES (${i})`);
      await run.until(() => records.filter((record) => record.topic.endsWith('.last')).length > i);
      await waitFor('Debezium to have seen it', async () => (await published('last')).length > i, {
        detail: () => cluster.logs(),
      });
    }
    for (const table of NAMES) {
      const own = records.filter(({ topic }) => topic.endsWith(`.public.${table}`)).map(ours);
      expect([table, own.length]).not.toEqual([table, 0]);
      expect([table, own]).toEqual([table, await published(table)]);
    }
  });
});
