/** Whatever comes in, the broker lives, and only the connection it came from ends. */
import { connect } from 'node:net';
import { apiNamed, brokers, fetchRequest, garbage, produceRequest, RawClient } from '../broker-harness';
import { recordsIn } from '../record-batches';
import { decode, Reader, type FETCH, type MessageOf, type METADATA as METADATA_LAYOUT } from '@millrace/kafka-protocol';
import type { EmbeddedBroker } from '../../../packages/embedded/src/broker';

const start = brokers();
const API_VERSIONS = apiNamed('ApiVersions');
const METADATA = apiNamed('Metadata');

async function expectAlive(broker: EmbeddedBroker): Promise<void> {
  const client = await RawClient.connect(broker);
  expect(await client.send(API_VERSIONS, 3, {})).toMatchObject({ errorCode: 0 });
  client.close();
}

test('random bytes close the connection, 200 times over', async () => {
  const broker = await start();
  for (let i = 0; i < 200; i++) {
    const client = await RawClient.connect(broker);
    client.socket.end(garbage(`random ${i}`, 16 + i * 7));
    await client.whenClosed();
  }
  await expectAlive(broker);
});

test('random bodies of every API leave the broker working', async () => {
  const broker = await start();
  for (let key = 0; key <= 61; key++) {
    for (let version = 0; version < 4; version++) {
      const client = await RawClient.connect(broker);
      const body = garbage(`${key} ${version}`, 40);
      body.writeInt16BE(key, 0);
      body.writeInt16BE(version, 2);
      body.writeInt16BE(-1, 8);
      const length = Buffer.alloc(4);
      length.writeInt32BE(body.length, 0);
      client.socket.end(Buffer.concat([length, body]));
      await client.whenClosed();
    }
  }
  await expectAlive(broker);
});

test.each([
  ['2 GiB', 0x7fffffff],
  ['a negative number', -1],
  ['one byte more than allowed', 1_000_001],
])('a length of %s closes the connection before anything is held for it', async (_, length) => {
  const broker = await start({ maxRequestBytes: 1_000_000 });
  const client = await RawClient.connect(broker);
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(length, 0);
  client.socket.write(bytes);
  await client.whenClosed();
  await expectAlive(broker);
});

test('truncated frame: only its received bytes are buffered, and they are freed with the connection', async () => {
  const broker = await start();
  const client = await RawClient.connect(broker);
  const whole = client.frame(METADATA, 9, { topics: null });
  client.socket.write(whole.subarray(0, 7));
  await expectAlive(broker);
  client.socket.write(whole.subarray(7));
  expect((await client.read()).readInt32BE(0)).toBe(1);
  client.socket.end(whole.subarray(0, 9));
  await client.whenClosed();
  await expectAlive(broker);
});

test('unfinished requests of all connections together have a limit', async () => {
  const broker = await start({ maxRequestBytes: 100_000 });
  const announced = Buffer.alloc(90_004);
  announced.writeInt32BE(100_000, 0);
  const clients = await Promise.all(Array.from({ length: 8 }, () => RawClient.connect(broker)));
  for (const client of clients) client.socket.write(announced);
  const closings = clients.map((client) => client.whenClosed());
  // Four times the largest request is held; whoever comes beyond that is cut off.
  await Promise.race(closings);
  await expectAlive(broker);
  for (const client of clients) client.close();
});

test('1,000 idle connections do not delay other clients', async () => {
  const broker = await start();
  const before = process.memoryUsage().rss;
  const idle = await Promise.all(
    Array.from({ length: 1_000 }, async () => {
      const socket = connect(broker.port, '127.0.0.1');
      await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
      return socket;
    }),
  );
  await expectAlive(broker);
  expect(idle.filter((socket) => socket.destroyed)).toHaveLength(0);
  // Both ends are in this process.
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  for (const socket of idle) socket.destroy();
});

test('idle connection: closed after connections.max.idle.ms', async () => {
  const broker = await start({ maxIdleMs: 50 });
  const client = await RawClient.connect(broker);
  // On a busy machine 50 ms may be over before it has asked.
  await client.send(API_VERSIONS, 3, {}).catch(() => undefined);
  await client.whenClosed();
});

test('pipelined requests are answered in order', async () => {
  const broker = await start();
  const client = await RawClient.connect(broker);
  await client.send(METADATA, 9, { topics: [{ name: 't' }], allowAutoTopicCreation: true });
  const fetch = client.frame(apiNamed('Fetch'), 12, fetchRequest('t', 0, { maxWaitMs: 100 }));
  const others = Array.from({ length: 20 }, () => client.frame(API_VERSIONS, 3, {}));
  client.socket.write(Buffer.concat([fetch, ...others]));
  const order: number[] = [];
  for (let i = 0; i < 21; i++) order.push((await client.read()).readInt32BE(0));
  expect(order).toEqual(Array.from({ length: 21 }, (_, i) => i + 2));
  client.close();
});

test('ApiVersions of a newer version: UNSUPPORTED_VERSION with the supported versions', async () => {
  const broker = await start();
  const client = await RawClient.connect(broker);
  const newer = client.frame(API_VERSIONS, 3, {});
  newer.writeInt16BE(99, 6);
  client.socket.write(newer);
  const response = await client.read();
  expect(response.readInt16BE(4)).toBe(35);
  expect(response.readInt32BE(6)).toBeGreaterThan(20);
  client.close();
});

test.each([
  ['may create topics', 1],
  ['may not', 0],
])('librdkafka 2.2.0 and newer, which sends stray bytes, lists all topics; %s', async (_, mayCreate) => {
  const broker = await start();
  const client = await RawClient.connect(broker);
  await client.send(METADATA, 9, { topics: [{ name: 't' }], allowAutoTopicCreation: true });
  const frame = client.frame(METADATA, 9, { topics: null, allowAutoTopicCreation: mayCreate === 1 });
  // A 4-byte length is reserved for the topics, of which `null` takes one; the other three are sent as they are.
  const nullAt = frame.length - 5;
  const strayed = Buffer.concat([frame.subarray(0, nullAt + 1), Buffer.alloc(3), frame.subarray(nullAt + 1)]);
  strayed.writeInt32BE(strayed.length - 4, 0);
  client.socket.write(strayed);
  const from = new Reader((await client.read()).subarray(5));
  const answer = decode(METADATA, 'response', 9, from) as MessageOf<(typeof METADATA_LAYOUT)['response']>;
  expect(answer.topics.map(({ name }) => name)).toEqual(['t']);
  client.close();
});

test('invalid batches are rejected one by one, and the partition stays usable', async () => {
  const broker = await start();
  const client = await RawClient.connect(broker);
  await client.send(METADATA, 9, { topics: [{ name: 't' }], allowAutoTopicCreation: true });
  for (let i = 0; i < 20; i++) {
    const answer = (await client.send(
      apiNamed('Produce'),
      9,
      produceRequest('t', garbage(`batch ${i}`, 20 + i * 9)),
    )) as never;
    expect(answer).toMatchObject({ responses: [{ partitionResponses: [{ baseOffset: -1 }] }] });
  }
  await client.send(apiNamed('Produce'), 9, produceRequest('t', { records: ['good'] }));
  const fetched = (await client.send(apiNamed('Fetch'), 12, fetchRequest('t', 0))) as MessageOf<
    (typeof FETCH)['response']
  >;
  expect(recordsIn(fetched.responses[0]!.partitions[0]!.records)).toMatchObject([{ offset: 0, value: 'good' }]);
  client.close();
});
