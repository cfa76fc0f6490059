/** Explains why Kafka ended a task's transaction or refused its producer. */
import { ConfigError, ConnectError, RetriableError } from '@millrace/sdk';
import { KafkaError } from '@millrace/kafka-client';

/** The transactional id has a newer epoch: a newer producer's, or because the broker aborted the transaction. */
const EPOCH_ENDED: ReadonlySet<string> = new Set(['INVALID_PRODUCER_EPOCH', 'PRODUCER_FENCED', 'INVALID_TXN_STATE']);

export interface TransactionFacts {
  readonly task: string;
  readonly transactionalId: string;
  readonly timeoutMs: number;
  /** Age of the open transaction; 0: none was open. */
  readonly openMs: number;
}

/** Other errors are returned as they are. */
export function transactionError(error: unknown, facts: TransactionFacts): Error {
  if (!(error instanceof KafkaError)) return error instanceof Error ? error : new Error(String(error));
  const { task, transactionalId, timeoutMs, openMs } = facts;
  const options = { cause: error, place: { 'transactional.id': transactionalId } };
  if (EPOCH_ENDED.has(error.code)) {
    if (openMs >= timeoutMs) return transactionTimeout(facts, error);
    // The newer one may have been a start that is outdated by now: of a worker that was suspended, for instance. Its
    // restart fences nothing that a worker of the group still needs, see `open` of the delivery.
    return new RetriableError(
      `Task ${task} was fenced: a newer task with transactional.id '${transactionalId}' has started, so this one must not write any more. If it happens again and again, check whether another group has the same group.id.`,
      { code: 'TRANSACTIONAL_ID_FENCED', ...options },
    );
  }
  if (error.code === 'INVALID_PRODUCER_ID_MAPPING')
    return new RetriableError(
      `Kafka has deleted transactional.id '${transactionalId}' of task ${task}, which had written nothing for transactional.id.expiration.ms of the brokers (default: 7 days). A restart of the task registers it again.`,
      { code: 'TRANSACTIONAL_ID_EXPIRED', ...options },
    );
  if (error.code === 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED')
    return new ConnectError(
      `Kafka does not allow task ${task} to use transactional.id '${transactionalId}': grant the principal of its producer WRITE and DESCRIBE on it.`,
      { code: 'TRANSACTIONAL_ID_DENIED', ...options },
    );
  if (error.code === 'INVALID_TRANSACTION_TIMEOUT')
    return new ConfigError(
      `transaction.timeout.ms=${timeoutMs} of task ${task} is above transaction.max.timeout.ms of the brokers: lower producer.override.transaction.timeout.ms of the connector, or raise the brokers' limit.`,
      { code: 'TRANSACTION_TIMEOUT_TOO_LONG', ...options },
    );
  return error;
}

export function transactionTimeout({ task, timeoutMs, transactionalId }: TransactionFacts, cause?: unknown): Error {
  return new RetriableError(
    `Task ${task} did not finish its transaction within transaction.timeout.ms=${timeoutMs}, so Kafka aborted it. Raise producer.override.transaction.timeout.ms, write faster (larger producer batches, smaller polls), shorten transaction.boundary.interval.ms if the boundary is interval, or use transaction.boundary=poll.`,
    { code: 'TRANSACTION_TIMEOUT', cause, place: { 'transactional.id': transactionalId } },
  );
}
