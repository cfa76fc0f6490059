/** One batch of a partition from its first record to its acknowledgement, with the delivery callbacks. */
import { codecById } from '@millrace/record-codecs';
import type { KafkaError } from '../errors';
import type { DeliveryCallback, ProducerRecord } from '../port';
import type { BufferPool } from '../records/buffer-pool';
import { RecordBatchEncoder, type ProducerIdentity } from '../records/record-batch-encoder';

export class ProducerBatch {
  /** `open` accepts records; `sealed` can be sent; `done` was reported. */
  state: 'open' | 'compressing' | 'sealed' | 'done' = 'open';
  /** Requests that included it. */
  attempts = 0;
  inFlight = false;
  /** When its last attempt was sent, all earlier batches of the partition had an outcome. */
  isFirst = false;
  /** Set until it is reported, after those of earlier batches of the partition. */
  outcome: { readonly error: KafkaError | null; readonly baseOffset: number } | null = null;
  /** Kept for retries, so that the broker recognizes duplicates. */
  identity: ProducerIdentity | null = null;
  /** The outcome of an attempt is unknown: the broker may have appended the batch. */
  mayBeAppended = false;
  /** A socket may still read the memory, after an attempt without a response. */
  memoryInDoubt = false;
  lastError: KafkaError | null = null;
  /** Its share of the producer's `bufferedBytes`. */
  accountedBytes = 0;
  readonly encoder: RecordBatchEncoder;
  private readonly tokens: number[] = [];
  /** Usually all records share one callback; otherwise `callbacks` is set. */
  private callback: DeliveryCallback | undefined;
  private callbacks: (DeliveryCallback | undefined)[] | null = null;

  constructor(
    readonly topic: string,
    readonly partition: number,
    readonly createdAt: number,
    /** The epoch of its records' send permission. */
    readonly permissionEpoch: number,
    pool: BufferPool,
    headroom: number,
    sizeHint: number,
  ) {
    this.encoder = new RecordBatchEncoder(pool, headroom, sizeHint);
  }

  get recordCount(): number {
    return this.tokens.length;
  }

  /** @returns false when the batch would exceed `maxBytes`. */
  append(
    record: Pick<ProducerRecord, 'key' | 'value' | 'headers'>,
    timestamp: number,
    maxBytes: number,
    onDelivery: DeliveryCallback | undefined,
    token: number,
  ): boolean {
    if (!this.encoder.append(record.key, record.value, record.headers, timestamp, maxBytes)) return false;
    const index = this.tokens.length;
    if (index === 0) this.callback = onDelivery;
    else if (this.callbacks !== null) this.callbacks.push(onDelivery);
    else if (onDelivery !== this.callback) {
      this.callbacks = new Array<DeliveryCallback | undefined>(index).fill(this.callback);
      this.callbacks.push(onDelivery);
    }
    this.tokens.push(token);
    return true;
  }

  callbackOf(index: number): DeliveryCallback | undefined {
    return this.callbacks === null ? this.callback : this.callbacks[index];
  }

  tokenOf(index: number): number {
    return this.tokens[index]!;
  }

  /**
   * Closes the batch for records and compresses it.
   * @returns null when sealed at once, otherwise a promise of it.
   */
  seal(codec: number, level: number | undefined): Promise<void> | null {
    if (codec === 0) {
      this.state = 'sealed';
      return null;
    }
    this.state = 'compressing';
    const compressed = codecById(codec).compress(this.encoder.records(), level);
    if (Buffer.isBuffer(compressed)) {
      this.encoder.replaceRecords(compressed, codec);
      this.state = 'sealed';
      return null;
    }
    return compressed.then((bytes) => {
      if (this.state !== 'compressing') return;
      this.encoder.replaceRecords(bytes, codec);
      this.state = 'sealed';
    });
  }

  /** Releases the memory without calling callbacks: the records are in other batches now. */
  discard(): void {
    this.state = 'done';
    this.encoder.release(!this.memoryInDoubt);
  }

  /**
   * Calls every record's callback, once, and releases the memory. An exception in a callback is passed to
   * `onCallbackError`; the other callbacks are still called.
   */
  complete(error: KafkaError | null, baseOffset: number, onCallbackError: (error: unknown) => void): void {
    if (this.state === 'done') return;
    const wasCompressing = this.state === 'compressing';
    this.state = 'done';
    this.encoder.release(!this.memoryInDoubt && !wasCompressing);
    for (let i = 0; i < this.tokens.length; i++) {
      const callback = this.callbackOf(i);
      if (callback === undefined) continue;
      const offset = error !== null || baseOffset < 0 ? -1 : baseOffset + i;
      try {
        callback(error, this.tokens[i]!, this.topic, this.partition, offset);
      } catch (thrown) {
        onCallbackError(thrown);
      }
    }
  }
}
