/** Consumers that a plugin requests from its context. */
import { ConfigError, type ConsumedRecord, type TaskConsumer } from '@millrace/sdk';
import { createKafkaClients } from '../../../packages/kafka-client/src/create-clients';
import { silentLogger } from '../../../src/logging/logger';
import { TaskConsumers } from '../../../src/tasks/clients/task-consumers';
import { Clients } from '../../helpers/kafka-clients';
import { uniqueName } from '../../helpers/unique-name';

const kafka = new Clients();
const consumers = new TaskConsumers(createKafkaClients(silentLogger), { connector: 'c', task: 1 });
afterEach(() => consumers.close());
afterAll(() => kafka.close());

async function read(consumer: TaskConsumer, count: number): Promise<(readonly [number, string])[]> {
  const found: ConsumedRecord[] = [];
  while (found.length < count) found.push(...(await consumer.poll(10_000)));
  return found.map(({ offset, value }) => [offset, Buffer.from(value ?? []).toString()]);
}

test('starts at the committed offset of the group; seeks', async () => {
  const topic = await kafka.topic();
  await kafka.send(topic, ['a', 'b', 'c'], 0);
  const config = {
    'bootstrap.servers': process.env['BOOTSTRAP_SERVERS'] ?? '',
    'group.id': uniqueName('group'),
    'auto.offset.reset': 'earliest',
  };
  const first = consumers.create(config, { topic, partition: 0 });
  expect(await read(first, 3)).toEqual([
    [0, 'a'],
    [1, 'b'],
    [2, 'c'],
  ]);
  await first.commit(1);
  await first.close();
  const second = consumers.create(config, { topic, partition: 0 });
  expect(await read(second, 2)).toEqual([
    [1, 'b'],
    [2, 'c'],
  ]);
  await second.seek(2);
  expect(await read(second, 1)).toEqual([[2, 'c']]);
});

test('needs bootstrap.servers and group.id, and reports an invalid setting', () => {
  const partition = { topic: 't', partition: 0 };
  expect(() => consumers.create({ 'group.id': 'g' }, partition)).toThrow(ConfigError);
  expect(() => consumers.create({ 'bootstrap.servers': 'localhost:1' }, partition)).toThrow("needs 'group.id'");
  const config = { 'bootstrap.servers': 'localhost:1', 'group.id': 'g', 'auto.offset.reset': 'middle' };
  expect(() => consumers.create(config, partition)).toThrow(ConfigError);
});
