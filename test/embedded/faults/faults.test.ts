/** The fault hooks, and what our producer makes of them: 0 lost, 0 duplicated, 0 reordered (kafka-client §3). */
import { createKafkaClients } from '../../../packages/kafka-client/src/create-clients';
import { silentLogger } from '../../../src/logging/logger';
import type { EmbeddedBroker } from '../../../packages/embedded/src/broker';
import { errorResponse } from '../../../packages/embedded/src/requests/error-response';
import { DELETE_TOPICS, FETCH, FIND_COORDINATOR, METADATA, OFFSET_FETCH, PRODUCE } from '@millrace/kafka-protocol';
import { brokers, fetchRequest, produceRequest, RawClient } from '../broker-harness';
import { recordsIn } from '../record-batches';

const start = brokers();
const clients = createKafkaClients(silentLogger);

async function withTopic(): Promise<{ broker: EmbeddedBroker; client: RawClient }> {
  const broker = await start();
  const client = await RawClient.connect(broker);
  await client.send(METADATA, 9, { topics: [{ name: 't' }], allowAutoTopicCreation: true });
  return { broker, client };
}
const contents = async (client: RawClient): Promise<(string | null)[]> => {
  const { responses } = await client.send(FETCH, 12, fetchRequest('t', 0));
  return recordsIn(responses[0]!.partitions[0]!.records).map((record) => record.value);
};

test('cut connection: before the append the request is lost, after it only the response', async () => {
  const { broker, client } = await withTopic();
  broker.faults.cut('Produce', 'before', { times: 1 });
  await expect(client.send(PRODUCE, 9, produceRequest('t', { records: ['a'] }))).rejects.toThrow('closed');
  const second = await RawClient.connect(broker);
  expect(await contents(second)).toEqual([]);
  broker.faults.cut('Produce', 'after', { times: 1 });
  await expect(second.send(PRODUCE, 9, produceRequest('t', { records: ['b'] }))).rejects.toThrow('closed');
  const third = await RawClient.connect(broker);
  expect(await contents(third)).toEqual(['b']);
  expect(broker.faults.requests('Produce')).toBe(2);
  third.close();
});

test('an error is returned the requested number of times, for its topic only, and the request has no effect', async () => {
  const { broker, client } = await withTopic();
  broker.faults.fail('Produce', 'NOT_ENOUGH_REPLICAS', { times: 2, topic: 't' });
  broker.faults.fail('Produce', 'TOPIC_AUTHORIZATION_FAILED', { topic: 'other' });
  const codes: number[] = [];
  for (const value of ['a', 'b', 'c']) {
    const { responses } = await client.send(PRODUCE, 9, produceRequest('t', { records: [value] }));
    codes.push(responses[0]!.partitionResponses[0]!.errorCode);
  }
  expect(codes).toEqual([19, 19, 0]);
  expect(await contents(client)).toEqual(['c']);
  client.close();
});

test('error after the append: the records are in the log', async () => {
  const { broker, client } = await withTopic();
  broker.faults.fail('Produce', 'NOT_ENOUGH_REPLICAS_AFTER_APPEND', { times: 1, when: 'after' });
  const { responses } = await client.send(PRODUCE, 9, produceRequest('t', { records: ['a'] }));
  expect(responses[0]!.partitionResponses[0]!.errorCode).toBe(20);
  expect(await contents(client)).toEqual(['a']);
  client.close();
});

test('error for acks=0: the connection is closed, because there is no response', async () => {
  const { broker, client } = await withTopic();
  broker.faults.fail('Produce', 'NOT_ENOUGH_REPLICAS', { times: 1 });
  await expect(client.send(PRODUCE, 9, produceRequest('t', { records: ['a'] }, 0, 0))).rejects.toThrow('closed');
});

test('throttle: the response comes at once with throttle_time_ms, and the connection is not read for that time', async () => {
  const { broker, client } = await withTopic();
  broker.faults.throttle('Produce', 300, { times: 1 });
  const since = Date.now();
  const throttled = await client.send(PRODUCE, 9, produceRequest('t', { records: ['a'] }));
  expect(throttled.throttleTimeMs).toBe(300);
  const next = await client.send(PRODUCE, 9, produceRequest('t', { records: ['b'] }));
  expect(next.throttleTimeMs).toBe(0);
  // A timer may be early by a millisecond or so.
  expect(Date.now() - since).toBeGreaterThan(290);
  expect(await contents(client)).toEqual(['a', 'b']);
  client.close();
});

test('paused partition: requests are answered after the resume', async () => {
  const { broker, client } = await withTopic();
  const resume = broker.faults.pausePartition('t', 0);
  const answer = client.send(PRODUCE, 9, produceRequest('t', { records: ['a'] }));
  const reader = await RawClient.connect(broker);
  expect(await contents(reader)).toEqual([]);
  const longPoll = reader.send(FETCH, 12, fetchRequest('t', 0, { maxWaitMs: 30_000 }));
  resume();
  expect((await answer).responses[0]!.partitionResponses[0]).toMatchObject({ errorCode: 0, baseOffset: 0 });
  expect(recordsIn((await longPoll).responses[0]!.partitions[0]!.records)).toMatchObject([{ value: 'a' }]);
  client.close();
  reader.close();
});

test('a fault of an API that does not exist is an error of the test', async () => {
  const { broker, client } = await withTopic();
  expect(() => broker.faults.delay('Prodcue', 1)).toThrow("Unknown API 'Prodcue'");
  client.close();
});

test('errors have the form of each API’s own answer', () => {
  const fetch = { topics: [{ topic: 't', partitions: [{ partition: 3 }] }] };
  expect(errorResponse(FETCH, 12, fetch, 6)).toEqual({
    responses: [{ topic: 't', partitions: [{ partitionIndex: 3, errorCode: 6 }] }],
  });
  expect(errorResponse(METADATA, 9, { topics: [{ name: 't' }] }, 5)).toEqual({
    topics: [{ name: 't', errorCode: 5 }],
  });
  expect(errorResponse(DELETE_TOPICS, 5, { topicNames: ['a', 'b'] }, 41)).toEqual({
    responses: [
      { name: 'a', errorCode: 41 },
      { name: 'b', errorCode: 41 },
    ],
  });
  expect(errorResponse(OFFSET_FETCH, 7, { groupId: 'g', topics: [{ name: 't', partitionIndexes: [1] }] }, 14)).toEqual({
    errorCode: 14,
    topics: [{ name: 't', partitions: [{ partitionIndex: 1, errorCode: 14 }] }],
  });
  const several = { groups: [{ groupId: 'g', topics: [{ name: 't', partitionIndexes: [1] }] }] };
  expect(errorResponse(OFFSET_FETCH, 8, several, 14)).toMatchObject({ groups: [{ groupId: 'g', errorCode: 14 }] });
  expect(errorResponse(DELETE_TOPICS, 6, { topics: [{ name: 'a' }] }, 41)).toMatchObject({
    responses: [{ name: 'a', errorCode: 41 }],
  });
  expect(errorResponse(FIND_COORDINATOR, 4, { coordinatorKeys: ['a', 'b'] }, 15)).toMatchObject({
    coordinators: [
      { key: 'a', errorCode: 15 },
      { key: 'b', errorCode: 15 },
    ],
  });
});

test.each([
  ['connections cut before the append', (b: EmbeddedBroker) => b.faults.cut('Produce', 'before', { times: 3 })],
  ['connections cut after the append', (b: EmbeddedBroker) => b.faults.cut('Produce', 'after', { times: 3 })],
  ['NOT_ENOUGH_REPLICAS', (b: EmbeddedBroker) => b.faults.fail('Produce', 'NOT_ENOUGH_REPLICAS', { times: 3 })],
  ['slow answers', (b: EmbeddedBroker) => b.faults.delay('Produce', 30, { times: 5 })],
])('kafka-client 3: our producer under %s: nothing lost, doubled or out of order', async (_, strike) => {
  const { broker, client } = await withTopic();
  const producer = clients.producer({
    'bootstrap.servers': broker.bootstrapServers,
    'enable.idempotence': 'true',
    'batch.size': '2000',
    'retry.backoff.ms': '10',
  });
  await producer.connect();
  await producer.prepare(['t']);
  const errors: unknown[] = [];
  const values = Array.from({ length: 1_000 }, (_unused, i) => `value ${i}`);
  values.forEach((value, i) => {
    if (i === 300) strike(broker);
    const record = { topic: 't', partition: 0, key: null, value: Buffer.from(value) };
    producer.send(record, (error) => void (error && errors.push(error)));
  });
  await producer.flush();
  await producer.close();
  expect(errors).toEqual([]);
  expect(await contents(client)).toEqual(values);
  client.close();
});
