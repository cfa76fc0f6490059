/**
 * Writes to a storage topic in transactions of one transactional id. Claiming it fences the worker that claimed it
 * before. Source: connect-runtime §1.4.7.
 */
import { ConnectError, messageOf, withDeadline } from '@millrace/sdk';
import type { KafkaError, ClientConfig, KafkaClients, Producer, SendPermission } from '@millrace/kafka-client';
import type { Logger } from '../../logging/logger';
import type { LogEntry } from './compacted-log';

export interface TransactionalWriterOptions {
  readonly topic: string;
  readonly clients: KafkaClients;
  /** The worker's unprefixed client settings. */
  readonly client: ClientConfig;
  readonly clientId: string;
  readonly transactionalId: string;
  readonly permission: SendPermission;
  readonly logger: Logger;
}

/** For one transaction, and for claiming. Milliseconds. */
const TIMEOUT_MS = 30_000;
/** For aborting a failed transaction, whose records readers of committed records would otherwise wait for. */
const ABORT_MS = 1_000;

export class TransactionalWriter {
  /** Null: not claimed. */
  private producer: Producer | null = null;
  private claiming: Producer | null = null;
  private writing = false;
  private closed = false;

  constructor(private readonly options: TransactionalWriterOptions) {}

  get isClaimed(): boolean {
    return this.producer !== null;
  }

  /** From now on, no other worker that has claimed the transactional id can write. */
  async claim(): Promise<void> {
    const { client, clients, clientId, transactionalId, permission, topic } = this.options;
    await this.relinquish();
    if (this.closed) throw this.late('closed');
    const producer = clients.producer(
      {
        ...client,
        'client.id': clientId,
        'delivery.timeout.ms': '2147483647',
        acks: 'all',
        'max.in.flight.requests.per.connection': '5',
        'enable.idempotence': 'true',
        'transactional.id': transactionalId,
        'allow.auto.create.topics': 'false',
      },
      permission,
    );
    this.claiming = producer;
    try {
      const claimed = producer
        .connect()
        .then(async () => await producer.initTransactions())
        .then(async () => await producer.prepare([topic]));
      await withDeadline(claimed, TIMEOUT_MS, () => this.late(`not claimed within ${TIMEOUT_MS} ms`));
    } catch (error) {
      await producer.close(0);
      throw error;
    } finally {
      this.claiming = null;
    }
    this.producer = producer;
  }

  /** One transaction. After a failure the transactional id must be claimed again. */
  async write(records: readonly LogEntry[], epoch: number): Promise<void> {
    const { producer } = this;
    if (producer === null) throw this.late('not claimed');
    try {
      // A transaction that exceeded its change's timeout may still be committed: the next claim ends it.
      if (this.writing) throw this.late('completing an earlier transaction');
      this.writing = true;
      await withDeadline(this.transact(producer, records, epoch), TIMEOUT_MS, () =>
        this.late(`not written within ${TIMEOUT_MS} ms`),
      );
    } catch (error) {
      this.options.logger.warn(`Cannot write to topic '${this.options.topic}' as leader: ${messageOf(error)}`);
      await this.relinquish();
      throw error;
    } finally {
      this.writing = false;
    }
  }

  /** Aborts an open transaction. */
  async relinquish(): Promise<void> {
    const { producer } = this;
    this.producer = null;
    await producer?.close(ABORT_MS);
  }

  /** For good. */
  async close(): Promise<void> {
    this.closed = true;
    await Promise.all([this.claiming?.close(0), this.relinquish()]);
  }

  private async transact(producer: Producer, records: readonly LogEntry[], epoch: number): Promise<void> {
    const { topic } = this.options;
    await producer.prepare([topic]);
    producer.beginTransaction();
    let failure: KafkaError | null = null;
    for (const [key, value, headers = null] of records) {
      await producer.whenReady();
      producer.send({ topic, key, value, headers }, (error) => (failure ??= error), 0, epoch);
    }
    await producer.flush();
    // The error of the record: it names what the transaction's error does not, a lost session for instance.
    if (failure !== null) throw failure as KafkaError;
    await producer.commitTransaction();
  }

  private late(why: string): ConnectError {
    const { topic, transactionalId } = this.options;
    return new ConnectError(`The transactional id '${transactionalId}' for topic '${topic}' is ${why}.`, {
      code: 'STORAGE_NOT_CLAIMED',
      place: { topic },
    });
  }
}
