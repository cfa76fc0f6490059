import { ConnectError } from './errors';
import type { SourceRecord } from './record';

/**
 * How a source task of a connector with `transaction.boundary=connector` defines its transactions. A transaction begins
 * with the first record after the last one, and readers with `isolation.level=read_committed` see all of its records or
 * none. Requesting both for the same record or the same batch fails the task.
 */
export interface TransactionContext {
  /**
   * Commits the transaction after `record`, which must be an object that `poll` returns later; without a record, after
   * the next batch that `poll` returns. Call it before `poll` returns the record or batch.
   */
  commitTransaction(record?: SourceRecord): void;
  /**
   * As `commitTransaction`, but consumers that read committed records never see those of the transaction. Their offsets
   * are stored all the same, so that the records are not read again.
   */
  abortTransaction(record?: SourceRecord): void;
}

/** Whether a connector can do something with a certain config. */
export type ConnectorSupport = 'supported' | 'unsupported';

type Request = 'commit' | 'abort';

/** The requests of a task, for its host. Records are compared by identity. */
export class TransactionRequests implements TransactionContext {
  private records = new WeakMap<SourceRecord, Request | 'both'>();
  private batch: Request | 'both' | null = null;

  commitTransaction(record?: SourceRecord): void {
    this.request('commit', record);
  }

  abortTransaction(record?: SourceRecord): void {
    this.request('abort', record);
  }

  /** @throws ConnectError `TRANSACTION_REQUESTS_CONFLICT` */
  takeForRecord(record: SourceRecord): Request | null {
    const request = this.records.get(record);
    if (request === undefined) return null;
    this.records.delete(record);
    return request === 'both' ? conflict(`for the same record of topic ${record.topic}`) : request;
  }

  /** @throws ConnectError `TRANSACTION_REQUESTS_CONFLICT` */
  takeForBatch(): Request | null {
    const { batch } = this;
    this.batch = null;
    return batch === 'both' ? conflict('for the same batch') : batch;
  }

  private request(request: Request, record: SourceRecord | undefined): void {
    if (record === undefined) this.batch = merged(this.batch, request);
    else this.records.set(record, merged(this.records.get(record), request));
  }
}

function merged(earlier: Request | 'both' | null | undefined, request: Request): Request | 'both' {
  return earlier === undefined || earlier === null || earlier === request ? request : 'both';
}

function conflict(what: string): never {
  throw new ConnectError(
    `The connector requested both a commit and an abort of its transaction ${what}, so the worker cannot tell whether consumers may see the records: this is a defect of the connector.`,
    { code: 'TRANSACTION_REQUESTS_CONFLICT' },
  );
}
