/** Programs nobody here wrote read what the worker wrote. */
import { spawnSync } from 'node:child_process';
import { runKafkaTool } from '../../../dev/services/kafka';
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { Clients } from '../../helpers/kafka-clients';
import { kcatRead, testWithKcat } from '../../helpers/kcat';
import { TestDatabase } from '../../helpers/test-database';
import { uniqueName } from '../../helpers/unique-name';

const hasJava = spawnSync('java', ['-version']).status === 0 && spawnSync('mvn', ['-version']).status === 0;

let worker: StartedWorker;
let database: TestDatabase;
let topic: string;
const group = uniqueName('foreign');
const clients = new Clients();

beforeAll(async () => {
  database = await TestDatabase.create(`CREATE TABLE todos (id int PRIMARY KEY, title text);
    INSERT INTO todos SELECT id, 'todo ' || id FROM generate_series(1, 20) AS id`);
  topic = `${database.name}.public.todos`;
  worker = await startWorker({ group, settings: { 'offset.flush.interval.ms': '500' } });
  await worker.ready();
  await worker.register({ name: 'todos', config: database.sourceConfig() });
  await worker.running('todos');
  await database.query(`DELETE FROM todos WHERE id = 20`);
  // 20 snapshot rows, one delete, its tombstone
  await clients.end(topic, 22);
});

afterAll(async () => {
  await worker?.stop();
  await clients.close();
  await database?.drop();
});

const expected = ['r', 'r', 'd'];

testWithKcat('kcat reads the events and the storage topics', async () => {
  const lines = await kcatRead(topic, '-K', '\t', '-Z');
  expect(lines).toHaveLength(22);
  const [key, value] = (lines[0] as string).split('\t') as [string, string];
  expect(JSON.parse(key).payload).toEqual({ id: 1 });
  expect(JSON.parse(value).payload).toMatchObject({ before: null, after: { id: 1, title: 'todo 1' }, op: 'r' });
  const ops = lines.slice(0, 21).map((line) => JSON.parse(line.split('\t')[1] as string).payload.op as string);
  expect([ops[0], ops[19], ops[20]]).toEqual(expected);
  expect(lines[21]?.split('\t')[1]).toBe('NULL');

  const configs = (await kcatRead(`${group}-configs`, '-K', '\t')).join('\n');
  expect(configs).toMatch(/^connector-todos\t\{"properties":\{/m);
  expect(configs).toMatch(/^commit-todos\t\{"tasks":1\}$/m);
});

(hasJava ? test : test.skip)('the Java console consumer reads the events', async () => {
  const output = await runKafkaTool('org.apache.kafka.tools.consumer.ConsoleConsumer', [
    ...['--bootstrap-server', process.env.BOOTSTRAP_SERVERS ?? '', '--topic', topic, '--from-beginning'],
    ...['--max-messages', '22', '--timeout-ms', '30000'],
  ]);
  const lines = output.trim().split('\n');
  expect(lines).toHaveLength(22);
  expect(JSON.parse(lines[20] as string).payload).toMatchObject({ before: { id: 20 }, after: null, op: 'd' });
  expect(lines[21]).toBe('null');
});
