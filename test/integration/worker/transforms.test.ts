/** Transformations in a worker as a user starts it, built-in ones and those of a plugin folder. */
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { writeConnectorPage } from '../../helpers/connector-page';
import { fileSinkConfig } from '../../helpers/file-sink-config';
import { Clients, valuesOf } from '../../helpers/kafka-clients';
import { TestDatabase } from '../../helpers/test-database';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

const TRANSFORMS = 'org.apache.kafka.connect.transforms';
const JSON_VALUES = {
  'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
  'value.converter.schemas.enable': 'false',
};
const clients = new Clients();
let folder: string;
let worker: StartedWorker;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-transforms-'));
  // Its CutText and HasField, as those of any plugin author.
  writeConnectorPage(join(folder, 'plugins', 'tick'));
  worker = await startWorker({
    group: uniqueName('transforms'),
    settings: { 'offset.flush.interval.ms': '300', 'plugin.path': join(folder, 'plugins') },
  });
  await worker.ready();
});
afterAll(async () => {
  await worker?.stop();
  await clients.close();
  await rm(folder, { recursive: true, force: true });
});

async function linesOf(file: string, count: number): Promise<string[]> {
  let lines: string[] = [];
  await waitFor(
    `${count} lines in ${file}`,
    async () => {
      lines = (await readFile(file, 'utf8').catch(() => '')).split('\n').slice(0, -1);
      return lines.length >= count;
    },
    { detail: () => `${lines.join('\n')}\n${worker.process.log().slice(-4000)}` },
  );
  return lines;
}

async function failed(connector: string): Promise<string> {
  const status = await worker.statusWhen(connector, ({ tasks }) => tasks[0]?.state === 'FAILED');
  return status.tasks[0]?.trace ?? '';
}

/** Lines of a file as `{ line, origin, topic }` in `<topic>-routed`; those that begin with `#` get a header. */
function source(topic: string, file: string): Record<string, string> {
  return {
    'connector.class': 'FileStreamSource',
    topic,
    file,
    'key.converter': 'org.apache.kafka.connect.storage.StringConverter',
    ...JSON_VALUES,
    transforms: 'hoist, insert, route',
    'transforms.hoist.type': `${TRANSFORMS}.HoistField$Value`,
    'transforms.hoist.field': 'line',
    'transforms.insert.type': `${TRANSFORMS}.InsertField$Value`,
    'transforms.insert.static.field': 'origin',
    'transforms.insert.static.value': 'test',
    'transforms.insert.topic.field': 'topic',
    'transforms.route.type': 'RegexRouter',
    'transforms.route.regex': '(.*)',
    'transforms.route.replacement': '$1-routed',
    'transforms.route.predicate': 'elsewhere',
    'transforms.route.negate': 'true',
    predicates: 'elsewhere',
    'predicates.elsewhere.type': 'TopicNameMatches',
    'predicates.elsewhere.pattern': '.*-routed',
  };
}

test('connect-runtime 105, 106: a file through a chain into another topic, and through another chain into a file', async () => {
  const topic = await clients.topic();
  const routed = await clients.topic(1, {}, `${topic}-routed`);
  const input = join(folder, 'in.txt');
  const output = join(folder, 'out-${topic}.txt');
  await writeFile(input, 'first line\nsecond\n');
  await worker.register({ name: `${topic}-source`, config: source(topic, input) });
  await worker.register({
    name: `${topic}-sink`,
    config: fileSinkConfig(routed, output, {
      'file.template': 'true',
      ...JSON_VALUES,
      transforms: 'rename, cut, text',
      'transforms.rename.type': 'RegexRouter',
      'transforms.rename.regex': '.*',
      'transforms.rename.replacement': 'renamed',
      'transforms.cut.type': 'com.example.CutText',
      'transforms.cut.field': 'line',
      'transforms.cut.length': '5',
      'transforms.cut.predicate': 'lines',
      'transforms.text.type': `${TRANSFORMS}.ReplaceField$Value`,
      'transforms.text.exclude': 'origin',
      predicates: 'lines',
      'predicates.lines.type': 'HasField',
      'predicates.lines.field': 'line',
    }),
  });
  await worker.running(`${topic}-source`);
  await worker.running(`${topic}-sink`);
  // The file sink writes an object as Java's Map.toString; the file has the transformed topic's name.
  const first = await linesOf(join(folder, 'out-renamed.txt'), 2);
  await appendFile(input, 'third line\n');
  const lines = await linesOf(join(folder, 'out-renamed.txt'), 3);
  expect(lines.slice(0, 2)).toEqual(first);
  expect(lines).toEqual([
    `{line=first, topic=${topic}}`,
    `{line=secon, topic=${topic}}`,
    `{line=third, topic=${topic}}`,
  ]);
  // Offsets are those of the consumed records; active topics are the written and the consumed ones.
  await waitFor(`${routed} to be committed`, async () => {
    const offsets = await clients.admin.listGroupOffsets(`connect-${topic}-sink`);
    return offsets.some((one) => one.topic === routed && one.offset === 3);
  });
  const active = async (name: string): Promise<unknown> =>
    ((await worker.request('GET', `/connectors/${name}/topics`)).json as Record<string, { topics: string[] }>)[name]
      ?.topics;
  for (const name of [`${topic}-source`, `${topic}-sink`])
    await waitFor(`the topics of ${name}`, async () => JSON.stringify(await active(name)) === JSON.stringify([routed]));
});

test('connect-runtime 72, 98: a failing transformation fails the task with a clear trace, or fills the dead letter topic', async () => {
  const topic = await clients.topic();
  const dlq = await clients.topic();
  const producer = await clients.producer(topic);
  for (const value of ['{"line":"good"}', '{"line":7}', '{"line":"better"}'])
    producer.send({ topic, key: null, value: Buffer.from(value) });
  await producer.flush();
  const file = join(folder, 'failing.txt');
  const config = fileSinkConfig(topic, file, {
    ...JSON_VALUES,
    transforms: 'cut',
    'transforms.cut.type': 'CutText',
    'transforms.cut.field': 'line',
  });
  const name = `${topic}-sink`;
  await worker.register({ name, config });
  const trace = await failed(name);
  expect(trace.split('\n')[0]).toBe(
    'org.apache.kafka.connect.errors.ConnectException: Tolerance exceeded in error handler: TRANSFORMATION with com.example.CutText failed: ' +
      'The field "line" holds no text. Correct the record or the connector\'s settings, or keep such records aside with errors.tolerance=all and errors.deadletterqueue.topic.name. ' +
      `[code: TOLERANCE_EXCEEDED, topic: ${topic}, partition: 0, offset: 1]`,
  );
  expect(trace).toContain('org.apache.kafka.connect.errors.DataException: The field "line" holds no text.');
  const tolerant = {
    ...config,
    'errors.tolerance': 'all',
    'errors.deadletterqueue.topic.name': dlq,
    'errors.deadletterqueue.context.headers.enable': 'true',
  };
  expect((await worker.request('PUT', `/connectors/${name}/config`, tolerant)).status).toBe(200);
  const lines = await linesOf(file, 2);
  expect(lines.slice(-2)).toEqual(['{line=good}', '{line=better}']);
  const consumer = await clients.assigned();
  await consumer.assign([{ topic: dlq, partition: 0 }]);
  let letters: Awaited<ReturnType<typeof consumer.poll>>[number]['records'] = [];
  await waitFor('a dead letter', async () => {
    letters = [...letters, ...(await consumer.poll(500)).flatMap(({ records }) => records)];
    return letters.length > 0;
  });
  expect(letters.map(({ value }) => String(value))).toEqual(['{"line":7}']);
  const headers = Object.fromEntries((letters[0]?.headers ?? []).map(({ key, value }) => [key, String(value)]));
  expect(headers).toMatchObject({
    '__connect.errors.topic': topic,
    '__connect.errors.partition': '0',
    '__connect.errors.offset': '1',
    '__connect.errors.connector.name': name,
    '__connect.errors.task.id': '0',
    '__connect.errors.stage': 'TRANSFORMATION',
    '__connect.errors.class.name': 'com.example.CutText',
    '__connect.errors.exception.class.name': 'org.apache.kafka.connect.errors.DataException',
    '__connect.errors.exception.message': 'The field "line" holds no text.',
  });
  await waitFor(`${topic} to be committed`, async () => {
    const offsets = await clients.admin.listGroupOffsets(`connect-${name}`);
    return offsets.some((one) => one.topic === topic && one.offset === 3);
  });
  // Its status comes through a topic of its own.
  await worker.statusWhen(name, ({ tasks }) => tasks[0]?.state === 'RUNNING');
});

test('connect-runtime 106: an unknown predicate passes validation, as in Java, and fails the task', async () => {
  const topic = await clients.topic();
  const config = fileSinkConfig(topic, join(folder, 'none.txt'), {
    transforms: 'f',
    'transforms.f.type': 'Filter',
    'transforms.f.predicate': 'nobody',
  });
  await worker.register({ name: `${topic}-sink`, config });
  expect(await failed(`${topic}-sink`)).toMatch(
    /^org\.apache\.kafka\.common\.config\.ConfigException: transforms\.f\.predicate names "nobody", which "predicates" does not list/,
  );
});

describe('PostgreSQL', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await TestDatabase.create('CREATE TABLE orders (id int PRIMARY KEY, text text)');
    await database.query("INSERT INTO orders VALUES (1, 'a'), (2, 'b')");
  });
  afterEach(async () => {
    await worker.request('DELETE', `/connectors/${database.name}`);
    // Its status is deleted after its task has stopped, which would otherwise create its slot again.
    await waitFor('the connector to end', async () => {
      const { status } = await worker.request('GET', `/connectors/${database.name}/status`);
      return status === 404;
    });
    await database.drop();
  });
  const capture = (transforms: Record<string, string>): Promise<void> =>
    worker.register({
      name: database.name,
      config: database.sourceConfig({
        'table.include.list': 'public.orders',
        'topic.creation.default.partitions': '1',
        'topic.creation.default.replication.factor': '1',
        ...JSON_VALUES,
        ...transforms,
      }),
    });

  test('connect-runtime 105, 106: rows instead of change events, without tombstones, in a topic that is created for them', async () => {
    await capture({
      transforms: 'tombstones, row, stamp, route',
      'transforms.tombstones.type': 'Filter',
      'transforms.tombstones.predicate': 'tombstone',
      'transforms.row.type': `${TRANSFORMS}.ExtractField$Value`,
      'transforms.row.field': 'after',
      'transforms.stamp.type': `${TRANSFORMS}.InsertField$Value`,
      'transforms.stamp.static.field': 'origin',
      'transforms.stamp.static.value': 'pg',
      'transforms.route.type': 'RegexRouter',
      'transforms.route.regex': '(.*)\\.public\\.(.*)',
      'transforms.route.replacement': '$1-$2',
      predicates: 'tombstone',
      'predicates.tombstone.type': 'RecordIsTombstone',
    });
    await worker.running(database.name);
    await database.query("INSERT INTO orders VALUES (3, 'c')");
    await database.query('DELETE FROM orders WHERE id = 3');
    await database.query("INSERT INTO orders VALUES (4, 'd')");
    const consumer = await clients.assigned();
    const topic = `${database.name}-orders`;
    await waitFor(topic, async () => (await clients.admin.describeTopics([topic])).length === 1);
    await consumer.assign([{ topic, partition: 0 }]);
    const values: string[] = [];
    await waitFor('5 records', async () => {
      values.push(...valuesOf(await consumer.poll(500)));
      return values.length >= 5;
    });
    expect(values.map((value) => JSON.parse(value) as unknown)).toEqual([
      { id: 1, text: 'a', origin: 'pg' },
      { id: 2, text: 'b', origin: 'pg' },
      { id: 3, text: 'c', origin: 'pg' },
      null,
      { id: 4, text: 'd', origin: 'pg' },
    ]);
  });

  test('the slot advances although every record is dropped', async () => {
    await capture({ transforms: 'all', 'transforms.all.type': 'Filter' });
    await worker.running(database.name);
    await waitFor('the stream', async () => (await database.streams()) === 1);
    const [{ lsn } = {}] = await database.query('SELECT pg_current_wal_lsn() AS lsn');
    // A change confirms the commit before it, which lies after that position whatever others write to the server
    // meanwhile.
    await database.query("INSERT INTO orders VALUES (3, 'c')");
    await database.query("INSERT INTO orders VALUES (4, 'd')");
    await waitFor(`the slot to pass ${String(lsn)}`, async () => {
      const [row] = await database.query(
        'SELECT confirmed_flush_lsn >= $1::pg_lsn AS passed FROM pg_replication_slots WHERE slot_name = $2',
        [lsn, database.slot],
      );
      return row?.passed === true;
    });
  });
});

test('connect-rest 114, 116, 132: listed, described and validated as in Java, those of a plugin folder as well', async () => {
  const listed = (await worker.request('GET', '/connector-plugins?connectorsOnly=false')).json as object[];
  expect(listed).toEqual(
    expect.arrayContaining([
      { class: 'com.example.CutText', type: 'transformation', version: '1.0.0' },
      { class: 'com.example.HasField', type: 'predicate', version: '1.0.0' },
      { class: `${TRANSFORMS}.InsertField$Key`, type: 'transformation', version: '4.3.1' },
      { class: `${TRANSFORMS}.predicates.RecordIsTombstone`, type: 'predicate', version: '4.3.1' },
    ]),
  );
  const described = (await worker.request('GET', '/connector-plugins/CutText/config')).json as { name: string }[];
  expect(described.map(({ name }) => name)).toEqual(['field', 'length']);
  const answer = await worker.request('PUT', '/connector-plugins/FileStreamSink/config/validate', {
    'connector.class': 'FileStreamSink',
    name: 'v',
    topics: 't',
    transforms: 'cut',
    'transforms.cut.type': 'CutText',
    'transforms.cut.length': '0',
  });
  const { configs } = answer.json as { configs: { value: { name: string; errors: string[] } }[] };
  expect(configs.flatMap(({ value }) => value.errors)).toEqual([
    'Missing required configuration "transforms.cut.field" which has no default value.',
    'Invalid value 0 for configuration length: Value must be at least 1',
  ]);
});
