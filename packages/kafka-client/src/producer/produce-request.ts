import type { PartitionQueue } from './partition-queue';
import type { BufferPool } from '../records/buffer-pool';
import { KafkaError } from '../errors';
import type { SendPermission } from '../port';
import type { ProducerBatch } from './producer-batch';
import type { ProducerSettings } from './producer-settings';
import {
  produceHeader,
  produceRequest,
  writeProduceBody,
  PRODUCE,
  ZSTD_PRODUCE_VERSION,
  type ProduceResponse,
  type ProduceOptions,
} from '../protocol/produce';
import type { Wire } from '../wire';

const ZSTD = 4;

/** How many were made. */
let requests = 0;

/** The batches of one Produce request. */
export class ProduceRequest {
  readonly entries: { readonly queue: PartitionQueue; readonly batch: ProducerBatch }[] = [];
  private readonly number = ++requests;
  private bytes = 0;
  private readonly options: ProduceOptions;

  constructor(
    private readonly settings: ProducerSettings,
    private readonly pool: BufferPool,
    private readonly permission: SendPermission | null,
  ) {
    this.options = {
      transactionalId: settings.transactionalId,
      acks: settings.acks,
      timeoutMs: settings.requestTimeoutMs,
    };
  }

  get isEmpty(): boolean {
    return this.entries.length === 0;
  }

  /** A request has one batch of a partition at most. */
  hasRoom(queue: PartitionQueue, batch: ProducerBatch, maxBytes: number): boolean {
    return this.isEmpty || (queue.request !== this.number && this.bytes + sizeOf(queue, batch) <= maxBytes);
  }

  add(queue: PartitionQueue, batch: ProducerBatch): void {
    queue.request = this.number;
    this.bytes += sizeOf(queue, batch);
    this.entries.push({ queue, batch });
  }

  /** @returns null for acks=0, which has no response. Rejects with the error of `Wire.send`. */
  async send(wire: Wire, node: number): Promise<ProduceResponse | null> {
    const [lowest, highest] = PRODUCE.versions;
    const min = this.settings.codec === ZSTD ? ZSTD_PRODUCE_VERSION : lowest;
    const version = await wire.version(node, PRODUCE.key, min, highest);
    if (version === undefined) {
      throw new KafkaError(
        'UNSUPPORTED_VERSION_CLIENT',
        `Broker ${node} has no version of Produce between ${min} and ${highest}${min === lowest ? '' : ', which zstd needs'}.`,
      );
    }
    const body = this.body();
    const request = produceRequest(version, body.bytes, this.options);
    const response = await wire.send(
      node,
      this.permission === null ? request : { ...request, refusal: () => this.refusal() },
    );
    if (this.settings.acks === 0) return null;
    // After a response the socket no longer reads this memory. Without one it is left to the garbage collector.
    if (body.pooled) this.pool.release(body.pooled);
    return response;
  }

  /** The request may have waited for a connection while the process was suspended. */
  private refusal(): KafkaError | null {
    const { permission } = this;
    if (permission === null || this.entries.every(({ batch }) => permission.check(batch.permissionEpoch) === 'now'))
      return null;
    const text = 'Not sent yet: the worker had no heartbeat response for a session timeout.';
    return new KafkaError('SESSION_IN_DOUBT', text, { retriable: true });
  }

  private body(): { bytes: Buffer; pooled: Buffer | null } {
    const [first] = this.entries;
    if (this.entries.length === 1 && first) {
      const batch = first.batch.encoder.finish(first.batch.identity!);
      const header = produceHeader(first.queue, batch.length, this.options);
      return { bytes: first.batch.encoder.withPrefix(header), pooled: null };
    }
    const byTopic = new Map<string, { partition: number; batch: Buffer }[]>();
    for (const { queue, batch } of this.entries) {
      const part = { partition: queue.partition, batch: batch.encoder.finish(batch.identity!) };
      const list = byTopic.get(queue.topic);
      if (list) list.push(part);
      else byTopic.set(queue.topic, [part]);
    }
    const pooled = this.pool.acquire(this.bytes);
    return { bytes: pooled.subarray(0, writeProduceBody(pooled, byTopic, this.options)), pooled };
  }
}

/** Upper bound: each batch may be the only one of its topic. */
function sizeOf(queue: PartitionQueue, batch: ProducerBatch): number {
  return batch.encoder.byteLength + queue.headroom;
}
