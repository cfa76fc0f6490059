/**
 * The state of a transactional producer: which calls are allowed, which partitions are part of the transaction, and
 * whether an error ends the transaction (abortable) or the producer (fatal). Source: kafka-client §2 and §3,
 * connect-runtime §4.8.
 */
import type { PartitionQueue } from './partition-queue';
import { KafkaError } from '../errors';
import type { TopicPartitionOffset } from '../port';
import type { ProducerBatch } from './producer-batch';
import type { ProducerIdAndEpoch } from './producer-ids';
import type { Idempotence } from './idempotence';
import type { TransactionalIdentity } from '../protocol/transactions';
import type { TransactionCoordinator } from './transaction-coordinator';

type State = 'uninitialized' | 'ready' | 'open' | 'abortable' | 'ending' | 'commit-unknown' | 'fatal';

/** After these errors, including fencing, the producer cannot send any more. */
const FATAL = new Set([
  'INVALID_PRODUCER_EPOCH',
  'PRODUCER_FENCED',
  'TRANSACTION_COORDINATOR_FENCED',
  'INVALID_PRODUCER_ID_MAPPING',
  'INVALID_TXN_STATE',
  'TRANSACTIONAL_ID_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
  'UNSUPPORTED_VERSION',
  'UNSUPPORTED_VERSION_CLIENT',
]);
/** The sequences of broker and producer differ: the next transaction needs a new epoch. */
const SEQUENCE_LOST = new Set(['OUT_OF_ORDER_SEQUENCE_NUMBER', 'UNKNOWN_PRODUCER_ID']);

export interface TransactionHooks {
  /** Waiting partitions may have become sendable. */
  wake(): void;
  /** Sends everything buffered; resolves when each batch was reported. */
  flush(): Promise<void>;
}

export class TransactionManager implements Idempotence {
  readonly transactional = true;
  abandoned: KafkaError | null = null;
  private state: State = 'uninitialized';
  private identity: ProducerIdAndEpoch = { producerId: -1, epoch: -1 };
  private needsNewEpoch = false;
  /** The coordinator knows the transaction. */
  private startedAtCoordinator = false;
  private starting: Promise<void> | null = null;
  private readonly added = new Set<PartitionQueue>();
  private readonly pending = new Set<PartitionQueue>();
  /** Added with the first partition. */
  private expected: readonly PartitionQueue[] = [];
  private adding: Promise<void> | null = null;

  constructor(
    private readonly transactionalId: string,
    private readonly coordinator: TransactionCoordinator,
    private readonly hooks: TransactionHooks,
  ) {}

  async init(): Promise<void> {
    this.expect('initTransactions', 'uninitialized');
    this.identity = await this.fatalOnError(() => this.coordinator.initProducerId());
    this.state = 'ready';
  }

  begin(expected: readonly PartitionQueue[] = []): void {
    this.expect('beginTransaction', 'ready');
    this.state = 'open';
    this.expected = expected;
  }

  /** Called for each record, so it must be cheap. */
  expectOpen(): void {
    if (this.state !== 'open') this.expect('send', 'open');
  }

  get needsAbort(): boolean {
    return this.state === 'open' || this.state === 'abortable' || this.state === 'commit-unknown';
  }

  async sendOffsets(groupId: string, offsets: readonly TopicPartitionOffset[]): Promise<void> {
    this.expect('sendOffsetsToTransaction', 'open');
    if (offsets.length === 0) return;
    try {
      await this.startAtCoordinator();
      await this.coordinator.commitOffsets(this.producerIdentity(), groupId, offsets);
    } catch (error) {
      throw this.fail(error);
    }
  }

  /** After a retriable rejection the transaction may be committed: only another commit or an abort are possible. */
  async commit(): Promise<void> {
    this.expect('commitTransaction', 'open', 'commit-unknown');
    await this.hooks.flush();
    this.expect('commitTransaction', 'open', 'commit-unknown');
    this.state = 'ending';
    try {
      if (this.startedAtCoordinator) await this.coordinator.end(this.producerIdentity(), true);
    } catch (error) {
      this.state = 'commit-unknown';
      if (error instanceof KafkaError && error.retriable) throw error;
      throw this.fail(error);
    }
    this.reset();
  }

  async abort(): Promise<void> {
    this.expect('abortTransaction', 'open', 'abortable', 'commit-unknown');
    this.state = 'ending';
    this.abandoned ??= new KafkaError('ABORTED', 'The transaction was aborted before the record was sent.');
    this.hooks.wake();
    await this.hooks.flush();
    await this.adding;
    await this.fatalOnError(async () => {
      if (this.startedAtCoordinator) await this.coordinator.end(this.producerIdentity(), false);
      if (this.needsNewEpoch) await this.renewEpoch();
    });
    this.abandoned = null;
    this.reset();
  }

  /**
   * The producer gives up its buffered records: a commit that waits for them must fail, although its transaction may
   * not have begun at the coordinator.
   */
  close(error: KafkaError): void {
    if (this.state === 'fatal') return;
    this.abandoned = error;
    this.state = 'fatal';
  }

  tryAssignIdentity(queue: PartitionQueue): boolean {
    if (!this.added.has(queue)) {
      this.pending.add(queue);
      // The partitions of one pass of the sender are added with one request.
      this.adding ??= Promise.resolve()
        .then(() => this.addPending())
        .finally(() => (this.adding = null));
      return false;
    }
    queue.useIdentity(this.identity.producerId, this.identity.epoch);
    return true;
  }

  onSequenceLost(): boolean {
    return false;
  }

  onBatchFailed(queue: PartitionQueue, batch: ProducerBatch, error: KafkaError): void {
    if (batch.mayBeAppended || SEQUENCE_LOST.has(error.code)) this.needsNewEpoch = true;
    else queue.rollBackSequence(batch);
    if (this.state === 'open' || this.state === 'ending') this.fail(error);
  }

  private async addPending(): Promise<void> {
    try {
      while (this.pending.size > 0 && this.abandoned === null) {
        const queues = [...new Set([...this.pending, ...this.expected])];
        this.expected = [];
        await this.startAtCoordinator();
        await this.coordinator.addPartitions(this.producerIdentity(), queues);
        for (const queue of queues) {
          this.pending.delete(queue);
          this.added.add(queue);
        }
      }
    } catch (error) {
      this.fail(error);
    }
    this.hooks.wake();
  }

  /**
   * Before the first request of a transaction. A new epoch fences the requests of earlier transactions that brokers
   * may still handle; `commit` does not wait for it, because the transaction is committed without it.
   */
  private startAtCoordinator(): Promise<void> {
    return (this.starting ??= (async () => {
      if (this.coordinator.mayHaveLateRequests) await this.renewEpoch();
      this.startedAtCoordinator = true;
    })());
  }

  private async renewEpoch(): Promise<void> {
    this.identity = await this.coordinator.initProducerId(this.identity);
    this.needsNewEpoch = false;
  }

  private producerIdentity(): TransactionalIdentity {
    return { transactionalId: this.transactionalId, ...this.identity };
  }

  private reset(): void {
    this.added.clear();
    this.pending.clear();
    this.startedAtCoordinator = false;
    this.starting = null;
    this.state = 'ready';
  }

  /** @returns the error to throw. */
  private fail(cause: unknown): KafkaError {
    const error = asKafkaError(cause);
    if (this.state === 'fatal') return this.abandoned ?? error;
    if (this.state === 'ending' && this.abandoned !== null && !FATAL.has(error.code)) return error;
    const isFatal = FATAL.has(error.code);
    this.abandoned = isFatal ? error : abortable(error);
    this.state = isFatal ? 'fatal' : 'abortable';
    this.hooks.wake();
    return this.abandoned;
  }

  private async fatalOnError<T>(action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (cause) {
      this.abandoned = asKafkaError(cause);
      this.state = 'fatal';
      this.hooks.wake();
      throw this.abandoned;
    }
  }

  private expect(call: string, ...states: State[]): void {
    if (states.includes(this.state)) return;
    if (this.abandoned !== null && (this.state === 'abortable' || this.state === 'fatal')) throw this.abandoned;
    const hint: Record<State, string> = {
      uninitialized: 'initTransactions has not been called',
      ready: 'no transaction is open',
      open: 'a transaction is open',
      abortable: 'the transaction has failed and must be aborted',
      ending: 'the transaction is being completed',
      'commit-unknown': 'Kafka may have committed the transaction, so the commit must be repeated',
      fatal: 'the producer has failed and must be closed',
    };
    throw new KafkaError('INVALID_TXN_STATE', `${call} is not possible: ${hint[this.state]}.`);
  }
}

function asKafkaError(cause: unknown): KafkaError {
  return cause instanceof KafkaError
    ? cause
    : new KafkaError('UNKNOWN_SERVER_ERROR', `The transaction failed: ${String(cause)}`, { cause });
}

function abortable(error: KafkaError): KafkaError {
  if (error.abortable) return error;
  return new KafkaError(error.code, error.message, {
    abortable: true,
    cause: error,
    topic: error.topic ?? undefined,
    partition: error.partition ?? undefined,
  });
}
