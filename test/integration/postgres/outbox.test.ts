/** Debezium's outbox and filter in a worker, configured as a user would, with predicates. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { Clients } from '../../helpers/kafka-clients';
import { TestDatabase } from '../../helpers/test-database';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

const clients = new Clients();
let worker: StartedWorker;
let database: TestDatabase;

beforeAll(async () => {
  worker = await startWorker({ group: uniqueName('outbox'), settings: { 'offset.flush.interval.ms': '300' } });
  await worker.ready();
  database = await TestDatabase.create(
    `CREATE TABLE outbox (id uuid PRIMARY KEY, aggregatetype text NOT NULL, aggregateid text NOT NULL,
       type text NOT NULL, payload jsonb, part int, at timestamptz(3));
     CREATE TABLE orders (id int PRIMARY KEY, total int)`,
  );
});
afterAll(async () => {
  if (database) await worker.request('DELETE', `/connectors/${database.name}`);
  await worker?.stop();
  await database?.drop();
  await clients.close();
});

const json = (side: string): Record<string, string> => ({
  [`${side}.converter`]: 'org.apache.kafka.connect.json.JsonConverter',
  [`${side}.converter.schemas.enable`]: 'false',
});
const ID = '4d47e190-0402-4048-bc2c-89dd54343cdc';

test('cdc-postgres 108: rows of an outbox become events, and other tables are filtered', async () => {
  const topic = await clients.topic();
  await worker.register({
    name: database.name,
    config: database.sourceConfig({
      ...json('key'),
      ...json('value'),
      'snapshot.mode': 'no_data',
      transforms: 'large, one, outbox',
      predicates: 'isOutbox',
      'predicates.isOutbox.type': 'org.apache.kafka.connect.transforms.predicates.TopicNameMatches',
      'predicates.isOutbox.pattern': '.*\\.public\\.outbox',
      'transforms.large.type': 'io.debezium.transforms.Filter',
      'transforms.large.predicate': 'isOutbox',
      'transforms.large.negate': 'true',
      'transforms.large.language': 'cel',
      'transforms.large.condition': "value.op == 'c' && value.after.total > 100",
      'transforms.one.type': 'io.debezium.transforms.ContentBasedRouter',
      'transforms.one.language': 'cel',
      'transforms.one.topic.expression': `value.source.table == 'orders' ? '${topic}' : null`,
      'transforms.outbox.type': 'io.debezium.transforms.outbox.EventRouter',
      'transforms.outbox.predicate': 'isOutbox',
      'transforms.outbox.table.expand.json.payload': 'true',
      'transforms.outbox.table.fields.additional.placement': 'type:header:eventType,part:partition',
      'transforms.outbox.route.topic.replacement': topic,
    }),
  });
  const consumer = await clients.assigned();
  await consumer.assign([{ topic, partition: 0 }]);
  await waitFor('the stream', async () => (await database.streams()) === 1);
  const insert = (id: string, payload: string | null): string =>
    `INSERT INTO outbox VALUES ('${id}', 'Order', '10711', 'OrderCreated', ${payload === null ? 'NULL' : `'${payload}'`}, 0);`;
  await database.query(
    `${insert(ID, '{"id": 1, "lines": [{"n": 2}, {"n": 3, "text": "x"}]}')}
     INSERT INTO orders VALUES (1, 100), (2, 101); UPDATE orders SET total = 500;
     UPDATE outbox SET type = 'ignored'; DELETE FROM outbox; ${insert(ID, null)}`,
  );
  const seen: unknown[] = [];
  await waitFor(
    '3 records',
    async () => {
      for (const { records } of await consumer.poll(500))
        for (const { key, value, headers } of records) {
          const named = Object.fromEntries(headers.map((header) => [header.key, String(header.value)]));
          const of = value && (JSON.parse(String(value)) as { after?: unknown });
          seen.push([JSON.parse(String(key)), of?.after ?? of, named.id, named.eventType]);
        }
      return seen.length >= 3;
    },
    { detail: () => `${JSON.stringify(seen)}\n${worker.process.log().slice(-4000)}` },
  );
  expect(seen).toEqual([
    [
      '10711',
      {
        id: 1,
        lines: [
          { n: 2, text: null },
          { n: 3, text: 'x' },
        ],
      },
      ID,
      'OrderCreated',
    ],
    [{ id: 2 }, { id: 2, total: 101 }, undefined, undefined],
    ['10711', null, ID, 'OrderCreated'],
  ]);
  await waitFor('the warning about the update', () => worker.process.log().includes('Dropping an update of topic'));
  const { json: logger } = await worker.request('GET', '/admin/loggers/io.debezium.transforms.outbox.EventRouter');
  expect(logger).toMatchObject({ level: 'INFO' });
  const warning = worker.process
    .log()
    .split('\n')
    .find((line) => line.includes('Dropping an update of topic'));
  expect(warning).toContain(database.name);
  expect(warning).not.toContain(ID);
});

test('cdc-postgres 108: a route that makes no legal topic name fails the task, which names the topic', async () => {
  const name = `${database.name}_route`;
  await database.query(`INSERT INTO outbox VALUES (gen_random_uuid(), 'Order & Co', '1', 'x', '{}', 0)`);
  const config = {
    ...{ 'snapshot.mode': 'initial_only', 'table.include.list': 'public.outbox', 'slot.name': name },
    ...{ transforms: 'outbox', 'transforms.outbox.type': 'io.debezium.transforms.outbox.EventRouter' },
    'errors.restart.max': '0',
  };
  await worker.register({ name, config: database.sourceConfig({ ...json('key'), ...json('value'), ...config }) });
  try {
    const trace = await waitFor('the task to fail', async () => {
      const { json: status } = await worker.request('GET', `/connectors/${name}/status`);
      const [task] = (status as { tasks?: { state: string; trace?: string }[] }).tasks ?? [];
      return task?.state === 'FAILED' && (task.trace ?? '');
    });
    expect(trace).toContain('"outbox.event.Order & Co" is not a valid topic name');
    expect(trace).toContain('TOPIC_NAME_INVALID');
  } finally {
    await worker.request('DELETE', `/connectors/${name}`);
  }
});

test('cdc-postgres 7.13: the worker lists the transformations, and refuses a script', async () => {
  const manifest = JSON.parse(readFileSync(join(__dirname, '../../../connectors/postgres/package.json'), 'utf8')) as {
    millrace: { plugins: { class: string }[] };
  };
  const classes = manifest.millrace.plugins.map((plugin) => plugin.class);
  const { json: listed } = await worker.request('GET', '/connector-plugins?connectorsOnly=false');
  expect((listed as { class: string }[]).map((plugin) => plugin.class)).toEqual(expect.arrayContaining(classes));
  const answer = await worker.request('PUT', '/connector-plugins/PostgresConnector/config/validate', {
    ...database.sourceConfig({
      name: 'scripted',
      transforms: 'f',
      'transforms.f.type': 'io.debezium.transforms.Filter',
      'transforms.f.language': 'jsr223.groovy',
      'transforms.f.condition': "value.op === 'c'",
    }),
  });
  const { configs } = answer.json as { configs: { value: { name: string; errors: string[] } }[] };
  const language = configs.find(({ value }) => value.name === 'transforms.f.language');
  expect(language?.value.errors.join()).toContain("The expression in CEL: value.op == 'c', and set language=cel");
});
