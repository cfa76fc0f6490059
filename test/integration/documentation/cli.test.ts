import { TestDatabase } from '../../helpers/test-database';
import { Scenario } from './scenario';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const TEXT = 'org.apache.kafka.connect.storage.StringConverter';
const JSON_CONVERTER = 'org.apache.kafka.connect.json.JsonConverter';
const source = { 'connector.class': 'FileStreamSourceConnector', 'value.converter': TEXT };
const sink = { 'connector.class': 'FileStreamSinkConnector', 'key.converter': TEXT };

test('docs/cli.md, with connectors, a database and dead letters', async () => {
  const database = await TestDatabase.create(
    "CREATE TABLE todos (id int PRIMARY KEY, text text); INSERT INTO todos VALUES (1, 'water the plants')",
  );
  ends.push(() => database.drop());
  const scenario = await Scenario.create();
  ends.push(() => scenario.end());
  const write = (file: string, content: unknown): void => scenario.write(file, JSON.stringify(content));
  write('setup/orders.json', { name: 'orders', ...source, topic: 'orders', file: 'orders.txt' });
  write('setup/orders-sink.json', {
    name: 'orders-sink',
    ...{ ...sink, 'value.converter': JSON_CONVERTER, topics: 'orders', file: 'orders-copy.txt' },
    ...{ 'errors.tolerance': 'all', 'errors.log.enable': 'true', 'errors.deadletterqueue.topic.name': 'orders-dlq' },
    'errors.deadletterqueue.topic.replication.factor': '1',
    'errors.deadletterqueue.context.headers.enable': 'true',
  });
  write('connectors/lines.json', {
    name: 'lines',
    config: { ...sink, 'value.converter': TEXT, topics: 'lines', file: 'lines.txt' },
    labels: { team: 'a' },
  });
  const todos = database.sourceConfig({ 'key.converter': JSON_CONVERTER, 'value.converter': JSON_CONVERTER });
  for (const file of ['todos-source.json', 'todos.json', 'todos.yaml']) write(file, { name: 'todos', config: todos });
  write('orders.json', { name: 'orders', ...source, topic: 'orders', file: 'orders.txt' });
  scenario.write('worker.properties', 'bootstrap.servers=embedded\n');
  scenario.write('ca.pem', '');
  scenario.write('prod.credentials', 'username=alice\npassword=secret\n');
  scenario.write('prod.properties', 'bootstrap.servers=kafka:9092\n');
  await scenario.dev();
  await scenario.given(`
    printf 'an order\\nanother\\n' > orders.txt
    echo 'water the plants' | millrace produce - --topic demo.public.todos
    millrace apply -f setup/
    until millrace dlq list | grep -q 'orders-dlq *2'; do :; done`);
  await scenario.run('docs/cli.md', 'cli');
});
