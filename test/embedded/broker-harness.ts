/** Brokers, clients and records for the tests of the embedded broker. */
import { createHash, randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import {
  startEmbeddedBroker,
  type EmbeddedBroker,
  type EmbeddedBrokerOptions,
} from '../../packages/embedded/src/broker';
import {
  APIS,
  decode,
  encode,
  hasFlexibleResponseHeader,
  isFlexible,
  Reader,
  Writer,
  type Api,
  type MessageOf,
} from '@millrace/kafka-protocol';
import { Frames } from '../helpers/frames';
import { encodeRecordBatch, type BatchSpec } from './record-batches';

/** Starts brokers and stops them after each test. */
export function brokers(): (options?: EmbeddedBrokerOptions) => Promise<EmbeddedBroker> {
  const started: EmbeddedBroker[] = [];
  afterEach(async () => {
    for (const broker of started.splice(0)) await broker.stop();
  });
  return async (options = {}) => {
    // Records of any time stay, however long a test takes: housekeeping is for those that ask for it.
    const broker = await startEmbeddedBroker({ log: () => undefined, housekeepingMs: 86_400_000, ...options });
    started.push(broker);
    return broker;
  };
}

/** A client that speaks the protocol through the same layouts, from the other side; one request at a time. */
export class RawClient {
  private readonly frames = new Frames();
  private correlationId = 0;
  private wake: () => void = () => undefined;
  closed = false;

  private constructor(readonly socket: Socket) {
    socket.on('data', (chunk) => {
      this.frames.push(chunk as Buffer);
      this.wake();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.closed = true;
      this.wake();
    });
  }

  static async connect(broker: EmbeddedBroker): Promise<RawClient> {
    const socket = connect(broker.port, '127.0.0.1');
    const client = new RawClient(socket);
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return client;
  }

  /** The bytes of a request with its length. */
  frame<A extends Api>(api: A, version: number, body: object): Buffer {
    const to = new Writer();
    to.int16(api.key);
    to.int16(version);
    to.int32(++this.correlationId);
    to.int16(4);
    to.text('test', 4);
    if (isFlexible(api, version)) to.noTaggedFields();
    encode(api, 'request', version, body, to);
    const bytes = Buffer.concat(to.finish());
    const length = Buffer.alloc(4);
    length.writeInt32BE(bytes.length, 0);
    return Buffer.concat([length, bytes]);
  }

  /** The next response, with its correlation id; rejects when the connection closes first. */
  async read(): Promise<Buffer> {
    for (;;) {
      const frame = this.frames.next();
      if (frame !== null) return frame;
      if (this.closed) throw new Error('the connection was closed');
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  async send<A extends Api>(api: A, version: number, body: object): Promise<MessageOf<A['response']>> {
    this.socket.write(this.frame(api, version, body));
    const from = new Reader(await this.read());
    expect(from.int32()).toBe(this.correlationId);
    if (hasFlexibleResponseHeader(api, version)) from.skipTaggedFields();
    const response = decode(api, 'response', version, from) as MessageOf<A['response']>;
    expect(from.remaining).toBe(0);
    return response;
  }

  async whenClosed(): Promise<void> {
    while (!this.closed) await new Promise<void>((resolve) => (this.wake = resolve));
  }

  close(): void {
    this.socket.destroy();
  }
}

export const apiNamed = (name: string): Api => [...APIS.values()].find((api) => api.name === name)!;

/** A request to produce one batch. */
export function produceRequest(topic: string, batch: BatchSpec | Buffer, partition = 0, acks = -1): object {
  const records = Buffer.isBuffer(batch) ? batch : encodeRecordBatch(batch);
  return {
    acks,
    timeoutMs: 1_000,
    topicData: [{ name: topic, partitionData: [{ index: partition, records }] }],
  };
}

export function fetchRequest(topic: string, fetchOffset: number, more: object = {}, partition = 0): object {
  return {
    maxWaitMs: 0,
    minBytes: 1,
    maxBytes: 1 << 20,
    topics: [{ topic, partitions: [{ partition, fetchOffset, partitionMaxBytes: 1 << 20 }] }],
    ...more,
  };
}

/** The same garbage for the same seed. */
export function garbage(seed: string, bytes: number): Buffer {
  const blocks: Buffer[] = [];
  for (let i = 0; blocks.length * 32 < bytes; i++) blocks.push(createHash('sha256').update(`${seed} ${i}`).digest());
  return Buffer.concat(blocks).subarray(0, bytes);
}

export const unique = (name: string): string => `${name}-${randomBytes(4).toString('hex')}`;
