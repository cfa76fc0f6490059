import { Scenario } from './scenario';

let scenario: Scenario | undefined;
afterEach(() => scenario?.end());

test('docs/operations.md', async () => {
  scenario = await Scenario.create();
  await scenario.dev();
  const text = 'org.apache.kafka.connect.storage.StringConverter';
  const sink = { 'connector.class': 'FileStreamSinkConnector', topics: 'orders', file: 'orders.txt' };
  scenario.write('orders.json', JSON.stringify({ name: 'orders', ...sink, 'value.converter': text }));
  await scenario.given('echo 1 | millrace produce - --topic orders; millrace apply -f orders.json');
  await scenario.run('docs/operations.md', 'operations');
});
