/**
 * A wire with brokers behind it that live in memory: they keep batches, check sequences as Kafka does and fail on
 * request. Only the requests of a producer are there.
 */
import { KafkaError } from '../../packages/kafka-client/src/errors';
import type { TopicPartition } from '../../packages/kafka-client/src/port';
import { ByteReader, ByteWriter } from './bytes';
import {
  DECOMPRESSED_BATCH_MAX_BYTES,
  decodeRecordBatches,
} from '../../packages/kafka-client/src/records/record-batch-decoder';
import * as layout from '../../packages/kafka-client/src/records/record-batch-layout';
import type { Wire, WirePartition, WireRequest } from '../../packages/kafka-client/src/wire';

export interface StoredBatch {
  readonly baseOffset: number;
  readonly producerId: number;
  readonly epoch: number;
  readonly baseSequence: number;
  readonly count: number;
  readonly bytes: Buffer;
  readonly values: string[];
}

export interface ProduceCall {
  readonly node: number;
  readonly version: number;
  readonly acks: number;
  readonly partitions: { topic: string; partition: number; batch: Buffer }[];
}

/**
 * What the broker does with one produce request: nothing special, an error code for every partition, a cut connection,
 * or it keeps the batches and answers with an error code all the same, `null` without the partitions.
 */
export type Fault = number | 'cut-before' | 'cut-after' | { readonly stored: number | null } | null;

interface ProducerState {
  epoch: number;
  recent: StoredBatch[];
}

export class FakePartition {
  readonly batches: StoredBatch[] = [];
  private readonly producers = new Map<number, ProducerState>();

  get end(): number {
    const last = this.batches.at(-1);
    return last === undefined ? 0 : last.baseOffset + last.count;
  }

  get values(): string[] {
    return this.batches.flatMap((b) => b.values);
  }

  forgetProducers(): void {
    this.producers.clear();
  }

  /** @returns error code and base offset. */
  append(bytes: Buffer): [number, number] {
    const producerId = layout.readInt64(bytes, layout.PRODUCER_ID_AT);
    const { records } = decodeRecordBatches(bytes, {
      fetchOffset: 0,
      isolation: 'read_uncommitted',
      abortedTransactions: [],
      checkCrcs: true,
      maxDecompressedBytes: DECOMPRESSED_BATCH_MAX_BYTES,
    });
    const batch: StoredBatch = {
      baseOffset: this.end,
      producerId,
      epoch: bytes.readInt16BE(layout.PRODUCER_EPOCH_AT),
      baseSequence: bytes.readInt32BE(layout.BASE_SEQUENCE_AT),
      count: records.length,
      bytes: Buffer.from(bytes),
      values: records.map((r) => String(r.value)),
    };
    if (producerId >= 0) {
      const known = this.producers.get(producerId);
      if (known && batch.epoch < known.epoch) return [47, -1];
      const last = known?.epoch === batch.epoch ? known.recent.at(-1) : undefined;
      const expected = last === undefined ? null : (last.baseSequence + last.count) % 2 ** 31;
      const duplicate = known?.recent.find(
        (b) => b.epoch === batch.epoch && b.baseSequence === batch.baseSequence && b.count === batch.count,
      );
      if (duplicate) return [0, duplicate.baseOffset];
      if (expected !== null ? batch.baseSequence !== expected : known !== undefined && batch.baseSequence !== 0)
        return [45, -1];
      this.producers.set(producerId, {
        epoch: batch.epoch,
        recent: [...(known?.epoch === batch.epoch ? known.recent : []), batch].slice(-5),
      });
    }
    this.batches.push(batch);
    return [0, batch.baseOffset];
  }
}

export class FakeWire implements Wire {
  readonly clientId = 'fake';
  readonly calls: ProduceCall[] = [];
  /** Partitions added to the transaction and how it ended, in order. */
  readonly transactionLog: string[] = [];
  refreshes = 0;
  maxProduceVersion = 8;
  maxMessageBytes = Infinity;
  /** Asked for each produce request, also a promise: to hold the answer back. */
  onProduce: (call: ProduceCall) => Fault | Promise<Fault> = () => null;
  /** Error code for a transactional request, by API name. */
  onTransactional: (apiName: string) => number = () => 0;
  nextProducerId = 100;
  epoch = 0;
  closed = false;
  private readonly topics = new Map<string, { info: WirePartition[]; logs: FakePartition[] }>();

  addTopic(name: string, partitions = 1, leaderOf: (partition: number) => number = () => 1): this {
    this.topics.set(name, {
      info: Array.from({ length: partitions }, (_, p) => ({ partition: p, leader: leaderOf(p), leaderEpoch: 0 })),
      logs: Array.from({ length: partitions }, () => new FakePartition()),
    });
    return this;
  }

  setLeader(topic: string, partition: number, leader: number): void {
    this.topics.get(topic)!.info[partition] = { partition, leader, leaderEpoch: 1 };
  }

  log(topic: string, partition = 0): FakePartition {
    return this.topics.get(topic)!.logs[partition]!;
  }

  connect = () => Promise.resolve();
  close = () => {
    this.closed = true;
    return Promise.resolve();
  };
  partitions(topic: string): Promise<readonly WirePartition[]> {
    const info = this.topics.get(topic)?.info;
    if (info) return Promise.resolve(info);
    return Promise.reject(new KafkaError('INVALID_TOPIC_EXCEPTION', `no topic ${topic}`));
  }
  cachedPartitions = (topic: string) => this.topics.get(topic)?.info;
  refresh = () => {
    this.refreshes++;
    return Promise.resolve();
  };
  allTopics = () => Promise.resolve([...this.topics.keys()]);
  leader = (tp: TopicPartition) => this.topics.get(tp.topic)?.info[tp.partition]?.leader;
  version = (_node: number, apiKey: number, min: number, max: number) => {
    const best = apiKey === 0 ? Math.min(max, this.maxProduceVersion) : max;
    return Promise.resolve(best >= min ? best : undefined);
  };
  anyNode = () => Promise.resolve(1);
  controller = () => Promise.resolve(1);
  coordinator = () => Promise.resolve(1);
  forgetCoordinator = () => undefined;
  clusterId = () => Promise.resolve('fake');
  nodes = () => [{ id: 1, host: 'fake', port: 9092 }];

  async send<T>(node: number, request: WireRequest<T>): Promise<T> {
    const refusal = request.refusal?.() ?? null;
    if (refusal !== null) throw refusal;
    const body = Buffer.from(request.encode());
    const reader = new ByteReader(body, request.flexible);
    const answer =
      request.apiName === 'Produce'
        ? await this.produce(node, request, reader)
        : await this.transactional(request, reader);
    return request.noResponse ? (undefined as T) : request.decode(answer);
  }

  private async produce<T>(node: number, request: WireRequest<T>, r: ByteReader): Promise<Buffer> {
    r.nullableString();
    const acks = r.int16();
    r.int32();
    const partitions = r
      .array(() => {
        const topic = r.string();
        return r.array(() => ({ topic, partition: r.int32(), batch: r.bytes() }));
      })
      .flat();
    const call: ProduceCall = { node, version: request.apiVersion, acks, partitions };
    this.calls.push(call);
    const fault = await this.onProduce(call);
    const cut = new KafkaError('CONNECTION_FAILED', 'the connection was cut', { retriable: true });
    if (fault === 'cut-before') throw cut;
    const stored = typeof fault === 'object' ? fault : null;
    const w = new ByteWriter();
    w.array(stored?.stored === null ? [] : partitions, ({ topic, partition, batch }) => {
      const tooLarge = batch.length > this.maxMessageBytes;
      const [code, offset] =
        typeof fault === 'number'
          ? [fault, -1]
          : stored !== null
            ? [stored.stored ?? 0, -1]
            : tooLarge
              ? [10, -1]
              : this.log(topic, partition).append(batch);
      w.string(topic).array([0], () => {
        w.int32(partition).int16(code).int64(offset).int64(-1);
        if (request.apiVersion >= 5) w.int64(0);
        if (request.apiVersion >= 8) w.int32(0).nullableString(null);
      });
    });
    if (stored !== null) for (const { topic, partition, batch } of partitions) this.log(topic, partition).append(batch);
    if (fault === 'cut-after') throw cut;
    return w.int32(0).finish();
  }

  private async transactional<T>(request: WireRequest<T>, r: ByteReader): Promise<Buffer> {
    await Promise.resolve();
    const code = this.onTransactional(request.apiName);
    const w = new ByteWriter(request.flexible);
    w.int32(0);
    switch (request.apiName) {
      case 'InitProducerId': {
        const transactional = r.nullableString() !== null;
        if (transactional) this.epoch++;
        else this.nextProducerId++;
        return w
          .int16(code)
          .int64(this.nextProducerId)
          .int16(transactional ? this.epoch : 0)
          .tags()
          .finish();
      }
      case 'AddPartitionsToTxn': {
        r.string();
        r.int64();
        r.int16();
        const topics = r.array(() => ({ topic: r.string(), partitions: r.array(() => r.int32()) }));
        if (code === 0)
          for (const t of topics) for (const p of t.partitions) this.transactionLog.push(`add ${t.topic}-${p}`);
        w.array(topics, (t) => w.string(t.topic).array(t.partitions, (p) => w.int32(p).int16(code)));
        return w.finish();
      }
      case 'TxnOffsetCommit': {
        r.string();
        const group = r.string();
        r.int64();
        r.int16();
        const topics = r.array(() => {
          const topic = r.string();
          return r.array(() => ({
            topic,
            partition: r.int32(),
            offset: r.int64(),
            epoch: r.int32(),
            meta: r.nullableString(),
          }));
        });
        for (const o of topics.flat())
          this.transactionLog.push(`offset ${group} ${o.topic}-${o.partition}=${o.offset}`);
        w.array(topics, (list) => w.string(list[0]!.topic).array(list, (o) => w.int32(o.partition).int16(code)));
        return w.finish();
      }
      case 'AddOffsetsToTxn':
        if (code === 0) this.transactionLog.push('add offsets');
        return w.int16(code).finish();
      case 'EndTxn': {
        r.string();
        r.int64();
        const fenced = r.int16() !== this.epoch;
        const commit = r.boolean();
        if (code === 0 && !fenced) this.transactionLog.push(commit ? 'commit' : 'abort');
        return w.int16(code === 0 && fenced ? 90 : code).finish();
      }
      default:
        throw new Error(`unexpected ${request.apiName}`);
    }
  }
}
