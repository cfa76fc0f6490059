/** Debezium's transformations in a worker, configured as a user would: rows of two tables in one topic. */
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { Clients } from '../../helpers/kafka-clients';
import { TestDatabase } from '../../helpers/test-database';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

const clients = new Clients();
let worker: StartedWorker;
let database: TestDatabase;

beforeAll(async () => {
  worker = await startWorker({ group: uniqueName('unwrap'), settings: { 'offset.flush.interval.ms': '300' } });
  await worker.ready();
  const columns = '(id int PRIMARY KEY, text text)';
  database = await TestDatabase.create(`CREATE TABLE orders_1 ${columns}; CREATE TABLE orders_2 ${columns}`);
});
afterAll(async () => {
  if (database) await worker.request('DELETE', `/connectors/${database.name}`);
  await worker?.stop();
  await database?.drop();
  await clients.close();
});

const json = (side: string) => ({
  [`${side}.converter`]: 'org.apache.kafka.connect.json.JsonConverter',
  [`${side}.converter.schemas.enable`]: 'false',
});

test('cdc-postgres 107, 108: events of two tables become rows of one topic, deletes and tombstones included', async () => {
  const topic = await clients.topic();
  await database.query("INSERT INTO orders_1 VALUES (1, 'a')");
  await worker.register({
    name: database.name,
    config: database.sourceConfig({
      ...json('key'),
      ...json('value'),
      transforms: 'merge, unwrap',
      'transforms.merge.type': 'io.debezium.transforms.ByLogicalTableRouter',
      'transforms.merge.topic.regex': '.*\\.orders_\\d',
      'transforms.merge.topic.replacement': topic,
      'transforms.merge.key.field.name': 'shard',
      'transforms.merge.key.field.regex': '.*_(\\d)',
      'transforms.merge.key.field.replacement': '$1',
      'transforms.unwrap.type': 'io.debezium.transforms.ExtractNewRecordState',
      'transforms.unwrap.delete.tombstone.handling.mode': 'rewrite-with-tombstone',
      'transforms.unwrap.add.fields': 'op,source.table:from',
      'transforms.unwrap.add.headers': 'op,source.snapshot',
    }),
  });
  const consumer = await clients.assigned();
  await consumer.assign([{ topic, partition: 0 }]);
  const seen: unknown[] = [];
  const read = (count: number): Promise<unknown> =>
    waitFor(
      `${count} records`,
      async () => {
        for (const { records } of await consumer.poll(500))
          for (const { key, value, headers } of records) {
            const added = ['__op', '__source_snapshot'].map(
              (name) => headers.find((header) => header.key === name)?.value,
            );
            seen.push([JSON.parse(String(key)), value && JSON.parse(String(value)), added.join()]);
          }
        return seen.length >= count;
      },
      { detail: () => `${JSON.stringify(seen)}\n${worker.process.log().slice(-4000)}` },
    );
  await read(1);
  await database.query("INSERT INTO orders_2 VALUES (1, 'b')");
  await database.query("UPDATE orders_2 SET text = 'c' WHERE id = 1");
  await database.query('TRUNCATE orders_1');
  await database.query('DELETE FROM orders_2');
  await read(5);
  const row = (text: string | null, op: string, shard: number, deleted = false) => [
    { id: 1, shard: String(shard) },
    { id: 1, text, __deleted: String(deleted), __op: op, __from: `orders_${shard}` },
    // Debezium's header of a streamed row is null.
    `${op},${op === 'r' ? 'last' : 'false'}`,
  ];
  expect(seen).toEqual([
    row('a', 'r', 1),
    row('b', 'c', 2),
    row('c', 'u', 2),
    // A truncate event has no row. For deletes, the replica identity provides the key.
    row(null, 'd', 2, true),
    [{ id: 1, shard: '2' }, null, 'd,'],
  ]);
});

test('cdc-postgres 107: a wrong setting is reported before anything starts, and the settings are described', async () => {
  const config = database.sourceConfig({
    name: 'wrong',
    transforms: 'unwrap',
    'transforms.unwrap.type': 'io.debezium.transforms.ExtractNewRecordState',
    'transforms.unwrap.delete.tombstone.handling.mode': 'keep',
  });
  const { status, json: answer } = await worker.request('POST', '/connectors', { name: 'wrong', config });
  expect(status).toBe(400);
  expect((answer as { message: string }).message).toContain(
    'Invalid value keep for configuration delete.tombstone.handling.mode: Value must be one of drop, tombstone, ' +
      'rewrite-with-tombstone, rewrite, delete-to-tombstone',
  );
  const described = await worker.request(
    'GET',
    '/connector-plugins/io.debezium.transforms.ExtractNewRecordState/config',
  );
  expect((described.json as { name: string }[]).map(({ name }) => name)).toContain('add.headers');
});
