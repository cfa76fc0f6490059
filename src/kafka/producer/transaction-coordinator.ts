/**
 * The requests of a transactional producer, each sent until its coordinator has an answer that is not "again". Source:
 * kafka-client §3.
 */
import { sleep, backoffMs } from '@millrace/sdk';
import { KafkaError } from '../errors';
import type { TopicPartition, TopicPartitionOffset } from '../port';
import type { GivenProducerId } from './producer-ids';
import type { ProducerSettings } from './producer-settings';
import { call, type Api } from '../protocol/api';
import { NO_ERROR, protocolError } from '../protocol/protocol-error';
import { INIT_PRODUCER_ID, initProducerIdRequest } from '../protocol/init-producer-id';
import * as txn from '../protocol/transactions';
import type { Wire, WireRequest } from '../wire';

/** The previous transaction's markers are usually written within this time. */
const CONCURRENT_TRANSACTIONS_BACKOFF_MS = 20;
const MOVED = new Set([
  'NOT_COORDINATOR',
  'COORDINATOR_NOT_AVAILABLE',
  'CONNECTION_FAILED',
  'REQUEST_TIMED_OUT_CLIENT',
]);
const OPERATION_NOT_ATTEMPTED = 55;

interface Question<T> {
  /** Finishes "Kafka could not …". */
  readonly doing: string;
  readonly type: 'group' | 'transaction' | 'any';
  readonly key: string;
  readonly api: Api;
  build(version: number): WireRequest<T>;
  codes(answer: T): readonly number[];
  readonly timeoutMs: number;
}

export class TransactionCoordinator {
  constructor(
    private readonly wire: Wire,
    private readonly settings: ProducerSettings,
    /** Aborted when the producer closes. */
    private readonly signal: AbortSignal,
  ) {}

  /** Without a transactional id any broker gives an id. @param current -1 and -1 at the beginning. */
  initProducerId(current: GivenProducerId = { producerId: -1, epoch: -1 }): Promise<GivenProducerId> {
    const { transactionalId, transactionTimeoutMs, maxBlockMs } = this.settings;
    return this.ask({
      doing: transactionalId === null ? 'give a producer id' : `begin as transactional.id '${transactionalId}'`,
      type: transactionalId === null ? 'any' : 'transaction',
      key: transactionalId ?? '',
      api: INIT_PRODUCER_ID,
      build: (version) => initProducerIdRequest(version, transactionalId, transactionTimeoutMs, current),
      codes: (answer) => [answer.errorCode],
      timeoutMs: maxBlockMs,
    });
  }

  /** Tried until the producer closes: batches that wait for it have a delivery timeout of their own. */
  async addPartitions(who: txn.TransactionalIdentity, partitions: readonly TopicPartition[]): Promise<void> {
    await this.ask({
      doing: `add ${partitions.map((p) => `${p.topic}-${p.partition}`).join(', ')} to the transaction`,
      type: 'transaction',
      key: who.transactionalId,
      api: txn.ADD_PARTITIONS_TO_TXN,
      build: (version) => txn.addPartitionsToTxnRequest(version, who, partitions),
      codes: (answer) => answer.map((r) => r.errorCode),
      timeoutMs: Infinity,
    });
  }

  async commitOffsets(
    who: txn.TransactionalIdentity,
    groupId: string,
    offsets: readonly TopicPartitionOffset[],
  ): Promise<void> {
    await this.ask({
      doing: `add the offsets of group '${groupId}' to the transaction`,
      type: 'transaction',
      key: who.transactionalId,
      api: txn.ADD_OFFSETS_TO_TXN,
      build: (version) => txn.addOffsetsToTxnRequest(version, who, groupId),
      codes: (code) => [code],
      timeoutMs: this.settings.maxBlockMs,
    });
    await this.ask({
      doing: `commit offsets of group '${groupId}' in the transaction`,
      type: 'group',
      key: groupId,
      api: txn.TXN_OFFSET_COMMIT,
      build: (version) => txn.txnOffsetCommitRequest(version, who, groupId, offsets),
      codes: (answer) => answer.map((r) => r.errorCode),
      timeoutMs: this.settings.maxBlockMs,
    });
  }

  async end(who: txn.TransactionalIdentity, commit: boolean): Promise<void> {
    await this.ask({
      doing: `${commit ? 'commit' : 'abort'} the transaction of '${who.transactionalId}'`,
      type: 'transaction',
      key: who.transactionalId,
      api: txn.END_TXN,
      build: (version) => txn.endTxnRequest(version, who, commit),
      codes: (code) => [code],
      timeoutMs: this.settings.maxBlockMs,
    });
  }

  private async ask<T>(question: Question<T>): Promise<T> {
    const deadline = performance.now() + question.timeoutMs;
    for (let failures = 1; ; failures++) {
      const outcome = await this.askOnce(question);
      if (!(outcome instanceof KafkaError)) return outcome;
      if (!outcome.retriable) throw outcome;
      const wait =
        outcome.code === 'CONCURRENT_TRANSACTIONS'
          ? CONCURRENT_TRANSACTIONS_BACKOFF_MS
          : backoffMs(failures, { firstMs: this.settings.retryBackoffMs, maxMs: this.settings.retryBackoffMaxMs });
      if (performance.now() + wait > deadline) throw outcome;
      await sleep(wait, this.signal);
      if (this.signal.aborted) {
        throw new KafkaError('PRODUCER_CLOSED', `The producer was closed before Kafka could ${question.doing}.`, {
          cause: outcome,
        });
      }
    }
  }

  private async askOnce<T>(question: Question<T>): Promise<T | KafkaError> {
    const { type, key } = question;
    let error: KafkaError;
    try {
      const node = type === 'any' ? await this.wire.anyNode() : await this.wire.coordinator(type, key);
      const answer = await call(this.wire, node, question.api, (version) => question.build(version));
      const code = decisive(question.codes(answer));
      if (code === NO_ERROR) return answer;
      error = protocolError(code, question.doing);
    } catch (thrown) {
      if (!(thrown instanceof KafkaError)) throw thrown;
      error = thrown;
    }
    if (type !== 'any' && MOVED.has(error.code)) this.wire.forgetCoordinator(type, key);
    return error;
  }
}

/** One code for the whole answer: what cannot be cured before what can, "not attempted" only when nothing says why. */
function decisive(codes: readonly number[]): number {
  const errors = codes.filter((code) => code !== NO_ERROR);
  const causes = errors.filter((code) => code !== OPERATION_NOT_ATTEMPTED);
  return causes.find((code) => !protocolError(code, '').retriable) ?? causes[0] ?? errors[0] ?? NO_ERROR;
}
