/** The requests of a transactional producer to its coordinators, with retries. Source: kafka-client §3. */
import type { Api } from '@millrace/kafka-protocol';
import { sleep, backoffMs } from '@millrace/sdk';
import { KafkaError } from '../errors';
import type { TopicPartition, TopicPartitionOffset } from '../port';
import type { ProducerIdAndEpoch } from './producer-ids';
import type { ProducerSettings } from './producer-settings';
import { call } from '../protocol/api';
import { NO_ERROR, protocolError } from '../protocol/protocol-error';
import { INIT_PRODUCER_ID, initProducerIdRequest } from '../protocol/init-producer-id';
import * as txn from '../protocol/transactions';
import type { Wire, WireRequest } from '../wire';

/** The markers of the previous transaction are usually written within this time; attempts begin earlier. */
const CONCURRENT_TRANSACTIONS_BACKOFF_MS = 20;
const COORDINATOR_MOVED = new Set([
  'NOT_COORDINATOR',
  'COORDINATOR_NOT_AVAILABLE',
  'CONNECTION_FAILED',
  'REQUEST_TIMED_OUT_CLIENT',
]);
/** The broker may have the request and handle it later; or it was never sent. */
const UNANSWERED = new Set(['CONNECTION_FAILED', 'REQUEST_TIMED_OUT_CLIENT']);
const OPERATION_NOT_ATTEMPTED = 55;

interface CoordinatorRequest<T> {
  /** Completes "Kafka could not …". */
  readonly doing: string;
  readonly type: 'group' | 'transaction' | 'any';
  readonly key: string;
  readonly api: Api;
  readonly build: (version: number) => WireRequest<T>;
  codes(response: T): readonly number[];
  readonly timeoutMs: number;
}

export class TransactionCoordinator {
  private unanswered = false;

  constructor(
    private readonly wire: Wire,
    private readonly settings: ProducerSettings,
    /** Aborted when the producer closes. */
    private readonly signal: AbortSignal,
  ) {}

  /**
   * A broker may still handle a request with the current epoch that was repeated or given up. In a later transaction of
   * the same epoch it has an effect, e.g. it ends that transaction.
   */
  get mayHaveLateRequests(): boolean {
    return this.unanswered;
  }

  /** Without a transactional id any broker assigns a producer id. @param current -1 and -1 for a new producer. */
  async initProducerId(current: ProducerIdAndEpoch = { producerId: -1, epoch: -1 }): Promise<ProducerIdAndEpoch> {
    const { transactionalId, transactionTimeoutMs, maxBlockMs } = this.settings;
    const initialized = await this.send({
      doing: transactionalId === null ? 'assign a producer id' : `initialize transactional.id '${transactionalId}'`,
      type: transactionalId === null ? 'any' : 'transaction',
      key: transactionalId ?? '',
      api: INIT_PRODUCER_ID,
      build: (version) => initProducerIdRequest(version, transactionalId, transactionTimeoutMs, current),
      codes: (response) => [response.errorCode],
      timeoutMs: maxBlockMs,
    });
    // Brokers refuse requests with an earlier epoch.
    this.unanswered = false;
    return initialized;
  }

  /** Retries until the producer closes: batches that wait for it have a delivery timeout. */
  async addPartitions(producer: txn.TransactionalIdentity, partitions: readonly TopicPartition[]): Promise<void> {
    await this.send({
      doing: `add ${partitions.map((p) => `${p.topic}-${p.partition}`).join(', ')} to the transaction`,
      type: 'transaction',
      key: producer.transactionalId,
      api: txn.ADD_PARTITIONS_TO_TXN,
      build: (version) => txn.addPartitionsToTxnRequest(version, producer, partitions),
      codes: (response) => response.map((r) => r.errorCode),
      timeoutMs: Infinity,
    });
  }

  async commitOffsets(
    producer: txn.TransactionalIdentity,
    groupId: string,
    offsets: readonly TopicPartitionOffset[],
  ): Promise<void> {
    await this.send({
      doing: `add the offsets of group '${groupId}' to the transaction`,
      type: 'transaction',
      key: producer.transactionalId,
      api: txn.ADD_OFFSETS_TO_TXN,
      build: (version) => txn.addOffsetsToTxnRequest(version, producer, groupId),
      codes: (code) => [code],
      timeoutMs: this.settings.maxBlockMs,
    });
    await this.send({
      doing: `commit offsets of group '${groupId}' in the transaction`,
      type: 'group',
      key: groupId,
      api: txn.TXN_OFFSET_COMMIT,
      build: (version) => txn.txnOffsetCommitRequest(version, producer, groupId, offsets),
      codes: (response) => response.map((r) => r.errorCode),
      timeoutMs: this.settings.maxBlockMs,
    });
  }

  async end(producer: txn.TransactionalIdentity, commit: boolean): Promise<void> {
    await this.send({
      doing: `${commit ? 'commit' : 'abort'} the transaction of '${producer.transactionalId}'`,
      type: 'transaction',
      key: producer.transactionalId,
      api: txn.END_TXN,
      build: (version) => txn.endTxnRequest(version, producer, commit),
      codes: (code) => [code],
      timeoutMs: this.settings.maxBlockMs,
    });
  }

  private async send<T>(request: CoordinatorRequest<T>): Promise<T> {
    const deadline = performance.now() + request.timeoutMs;
    for (let failures = 1; ; failures++) {
      const outcome = await this.sendOnce(request);
      if (!(outcome instanceof KafkaError)) return outcome;
      if (!outcome.retriable) throw outcome;
      const wait =
        outcome.code === 'CONCURRENT_TRANSACTIONS'
          ? Math.min(2 ** (failures - 1), CONCURRENT_TRANSACTIONS_BACKOFF_MS)
          : backoffMs(failures, { firstMs: this.settings.retryBackoffMs, maxMs: this.settings.retryBackoffMaxMs });
      if (performance.now() + wait > deadline) throw outcome;
      await sleep(wait, this.signal);
      if (this.signal.aborted) {
        throw new KafkaError('PRODUCER_CLOSED', `The producer was closed before Kafka could ${request.doing}.`, {
          cause: outcome,
        });
      }
    }
  }

  private async sendOnce<T>(request: CoordinatorRequest<T>): Promise<T | KafkaError> {
    const { type, key } = request;
    let error: KafkaError;
    try {
      const node = type === 'any' ? await this.wire.anyNode() : await this.wire.coordinator(type, key);
      const response = await this.request(node, request);
      const code = mostSevere(request.codes(response));
      if (code === NO_ERROR) return response;
      error = protocolError(code, request.doing);
    } catch (thrown) {
      if (!(thrown instanceof KafkaError)) throw thrown;
      error = thrown;
    }
    if (type !== 'any' && COORDINATOR_MOVED.has(error.code)) this.wire.forgetCoordinator(type, key);
    return error;
  }

  private async request<T>(node: number, { api, build }: CoordinatorRequest<T>): Promise<T> {
    try {
      return await call(this.wire, node, api, build);
    } catch (error) {
      if (error instanceof KafkaError && UNANSWERED.has(error.code)) this.unanswered = true;
      throw error;
    }
  }
}

/** One code for the whole response: fatal errors before retriable ones, OPERATION_NOT_ATTEMPTED last. */
function mostSevere(codes: readonly number[]): number {
  const errors = codes.filter((code) => code !== NO_ERROR);
  const causes = errors.filter((code) => code !== OPERATION_NOT_ATTEMPTED);
  return causes.find((code) => !protocolError(code, '').retriable) ?? causes[0] ?? errors[0] ?? NO_ERROR;
}
