/**
 * Clients that mean harm, all of them against one broker in a process of its own that serves another client meanwhile.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { EmbeddedBroker } from '../../../packages/embedded/src/broker';
import { SERVED_APIS } from '../../../packages/embedded/src/protocol/apis';
import { CREATE_TOPICS, FETCH, isFlexible, JOIN_GROUP, METADATA, PRODUCE } from '@millrace/kafka-protocol';
import { fetchRequest, garbage, produceRequest, RawClient } from '../broker-harness';
import { startBrokerProcess, type BrokerProcess } from '../broker-process';

/** Four times as much is held for all connections together. */
const MAX_REQUEST_BYTES = 4 << 20;
/** Longer than a busy machine keeps the witness from asking. */
const MAX_IDLE_MS = 10_000;
/** Four requests, and a thousand sockets. */
const MOST_GROWTH = 64 << 20;

let broker: BrokerProcess;
let before: number;
let witness: Witness;

/** A client that must be served all the time: it writes a record and reads it back, repeatedly. */
class Witness {
  rounds = 0;
  private stopping = false;
  private readonly done: Promise<void>;

  constructor(private readonly client: RawClient) {
    this.done = this.work();
    this.done.catch(() => undefined);
  }

  private async work(): Promise<void> {
    for (let offset = 0; !this.stopping; offset++) {
      // Of now: what is old would be deleted between one request and the next when retention comes round.
      const batch = { records: [`${offset}`], timestamp: Date.now() };
      const written = await this.client.send(PRODUCE, 9, produceRequest('witness', batch));
      expect(written.responses[0]!.partitionResponses[0]).toMatchObject({ errorCode: 0, baseOffset: offset });
      const read = await this.client.send(FETCH, 12, fetchRequest('witness', offset));
      expect(read.responses[0]!.partitions[0]!.errorCode).toBe(0);
      this.rounds++;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** It was served since, and is served now. */
  async expectServed(since: number): Promise<void> {
    const now = this.rounds;
    while (this.rounds < Math.max(since + 1, now + 2)) await Promise.race([this.done, new Promise(setImmediate)]);
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await this.done;
    this.client.close();
  }
}

const connected = (): Promise<RawClient> => RawClient.connect({ port: broker.port } as EmbeddedBroker);

async function socket(): Promise<Socket> {
  const opened = connect(broker.port, '127.0.0.1');
  opened.on('error', () => undefined);
  await once(opened, 'connect');
  return opened;
}

/** Errors of a connection that is cut are no news. */
const closed = (one: Socket): Promise<void> | void =>
  one.closed ? undefined : new Promise((resolve) => void one.once('close', () => resolve()));

/** Sends one frame with this after its length, and waits for the end of the connection, if need be by its own. */
async function sendAndLeave(body: Buffer): Promise<void> {
  const client = await connected();
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length, 0);
  client.socket.end(Buffer.concat([length, body]));
  await client.whenClosed();
}

function header(key: number, version: number, flexible: boolean): Buffer {
  const bytes = Buffer.alloc(flexible ? 11 : 10);
  bytes.writeInt16BE(key, 0);
  bytes.writeInt16BE(version, 2);
  bytes.writeInt16BE(-1, 8);
  return bytes;
}

beforeAll(async () => {
  broker = await startBrokerProcess({ memory: true, maxRequestBytes: MAX_REQUEST_BYTES, maxIdleMs: MAX_IDLE_MS });
  const client = await connected();
  await client.send(METADATA, 9, { topics: [{ name: 'witness' }, { name: 'large' }] });
  const batch = { records: ['x'.repeat(1_000_000)] };
  for (let i = 0; i < 16; i++) await client.send(PRODUCE, 9, produceRequest('large', batch));
  before = await broker.heldBytes();
  witness = new Witness(client);
});
afterAll(async () => {
  await witness?.stop();
  await broker?.stop();
});

let since: number;
beforeEach(() => (since = witness.rounds));
afterEach(async () => {
  await witness.expectServed(since);
  expect((await broker.heldBytes()) - before).toBeLessThan(MOST_GROWTH);
});

test('unknown APIs and versions', async () => {
  for (const key of [-32768, -1, 4, 5, 6, 7, 23, 53, 67, 92, 999, 32767]) {
    for (const version of [-1, 0, 99, 32767]) await sendAndLeave(header(key, version, false));
  }
  for (const { key, versions } of SERVED_APIS.values()) {
    for (const version of [-1, versions[0] - 1, versions[1] + 1]) await sendAndLeave(header(key, version, false));
  }
});

test.each([
  ['2^31 - 1, in old versions', 0, Buffer.from('7fffffff'.repeat(20), 'hex')],
  ['2^31 - 1, in new ones', 1, Buffer.from('ffffffff07'.repeat(20), 'hex')],
  ['2^32 - 1, in new ones', 1, Buffer.from('ffffffff0f'.repeat(20), 'hex')],
  ['more than five bytes long', 1, Buffer.alloc(100, 0xff)],
  ['below -1', 0, Buffer.alloc(100, 0xfe)],
  ['a million', 0, Buffer.concat([Buffer.from('000f4240', 'hex'), Buffer.alloc(3 << 20)])],
  ['as large as it may be', 0, Buffer.concat([Buffer.from('00030d40', 'hex'), Buffer.alloc(3 << 20)])],
])('lists and strings whose length is %s, in every API', async (_, which, body) => {
  for (const api of SERVED_APIS.values()) {
    const version = api.versions[which as 0 | 1];
    await sendAndLeave(Buffer.concat([header(api.key, version, isFlexible(api, version)), body]));
  }
});

test('requests that end at any of their bytes', async () => {
  const client = await connected();
  for (const frame of [
    client.frame(METADATA, 9, { topics: [{ name: 'witness' }] }),
    client.frame(FETCH, 12, fetchRequest('large', 0)),
    client.frame(PRODUCE, 9, produceRequest('large', { records: ['value'] })),
  ]) {
    for (let end = 4; end < frame.length; end += 3) await sendAndLeave(frame.subarray(4, end));
  }
  client.close();
});

test('400 valid requests with changed bytes', async () => {
  const client = await connected();
  const topic = { name: 'made', numPartitions: 1, replicationFactor: 1 };
  const join = { groupId: 'g', sessionTimeoutMs: 6_000, rebalanceTimeoutMs: 6_000, protocolType: 'consumer' };
  const frames = [
    client.frame(METADATA, 9, { topics: [{ name: 'witness' }] }),
    client.frame(FETCH, 12, fetchRequest('large', 0)),
    client.frame(PRODUCE, 9, produceRequest('large', { records: ['value'] })),
    client.frame(CREATE_TOPICS, 7, { topics: [topic], timeoutMs: 1_000, validateOnly: true }),
    client.frame(JOIN_GROUP, 7, { ...join, protocols: [{ name: 'range', metadata: Buffer.alloc(10) }] }),
  ];
  client.close();
  for (let i = 0; i < 400; i++) {
    const body = Buffer.from(frames[i % frames.length]!.subarray(4));
    const dice = garbage(`mutation ${i}`, 8);
    for (let n = 0; n < 1 + (i % 3); n++) body[dice.readUInt16BE(2 * n) % body.length] = dice[7 - n]!;
    await sendAndLeave(body);
  }
});

test('requests that arrive a byte at a time: the connection is closed after a timeout', async () => {
  const slow = await Promise.all(Array.from({ length: 100 }, socket));
  for (const one of slow) one.write(Buffer.from('00100000', 'hex'));
  const dripping = setInterval(() => {
    for (const one of slow) if (!one.destroyed) one.write('x');
  }, 50);
  try {
    await Promise.all(slow.map(closed));
  } finally {
    clearInterval(dripping);
  }
});

test('unfinished requests beyond the buffer limit', async () => {
  const announced = Buffer.alloc(MAX_REQUEST_BYTES);
  announced.writeInt32BE(MAX_REQUEST_BYTES, 0);
  const greedy = await Promise.all(Array.from({ length: 40 }, socket));
  for (const one of greedy) one.write(announced);
  // The largest go until four are left, and these when they have been idle for too long.
  await Promise.all(greedy.map(closed));
});

test('unread responses beyond the buffer limit', async () => {
  const request = fetchRequest('large', 0, {
    maxBytes: 16 << 20,
    topics: [{ topic: 'large', partitions: [{ partition: 0, fetchOffset: 0, partitionMaxBytes: 16 << 20 }] }],
  });
  const client = await connected();
  const frame = client.frame(FETCH, 12, request);
  client.close();
  const paused = await Promise.all(Array.from({ length: 60 }, socket));
  for (const one of paused) one.pause().write(frame);
  // A socket that is not read learns of its end only by writing.
  const writing = setInterval(() => {
    for (const one of paused) if (!one.destroyed) one.write(frame);
  }, 100);
  await Promise.all(paused.map(closed)).finally(() => clearInterval(writing));
});

test('1,000 silent connections, and 100 half-closed ones', async () => {
  const idle = await Promise.all(Array.from({ length: 1_000 }, socket));
  const half = await Promise.all(
    Array.from({ length: 100 }, async () => {
      const opened = connect({ port: broker.port, host: '127.0.0.1', allowHalfOpen: true });
      await once(opened, 'connect');
      opened.resume();
      opened.end(Buffer.from('0000'));
      // One may be answered before another is connected.
      await once(opened, 'end');
      return opened;
    }),
  );
  await witness.expectServed(witness.rounds);
  for (const one of [...idle, ...half]) one.destroy();
});
