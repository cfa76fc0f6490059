/** When the transactions of an exactly-once task end: `transaction.boundary`. Source: connect-runtime §4.8. */
import { ConfigError, type ConnectorConfig, type SourceRecord, TransactionRequests } from '@millrace/sdk';

export type TransactionEnd = 'commit' | 'abort';

export interface TransactionBoundary {
  /** Null unless the connector defines its transactions. */
  readonly requests: TransactionRequests | null;
  afterRecord(record: SourceRecord): TransactionEnd | null;
  /**
   * Also after a poll without records.
   * @param openMs age of the open transaction; 0: none is open
   */
  afterBatch(now: number, openMs: number): TransactionEnd | null;
  /** When the task stops or pauses. Null: an open transaction stays open. */
  atEnd(): TransactionEnd | null;
  /** The task starts, or resumes after a pause. */
  begin(now: number): void;
}

/** @throws ConfigError INVALID_TRANSACTION_BOUNDARY */
export function transactionBoundary(
  config: ConnectorConfig,
  worker: { readonly offsetFlushIntervalMs: number },
  transactionTimeoutMs: number,
): TransactionBoundary {
  const value = config['transaction.boundary']?.trim().toLowerCase() || 'poll';
  if (value === 'poll') return new PollBoundary();
  if (value === 'connector') return new ConnectorBoundary();
  if (value !== 'interval')
    throw new ConfigError(`transaction.boundary must be poll, interval or connector, not "${value}".`, {
      code: 'INVALID_TRANSACTION_BOUNDARY',
    });
  const interval = config['transaction.boundary.interval.ms']?.trim();
  return new IntervalBoundary(interval ? Number(interval) : worker.offsetFlushIntervalMs, transactionTimeoutMs);
}

class PollBoundary implements TransactionBoundary {
  readonly requests = null;
  afterRecord = (): null => null;
  afterBatch = (): TransactionEnd => 'commit';
  atEnd = (): TransactionEnd => 'commit';
  begin = (): void => undefined;
}

class IntervalBoundary implements TransactionBoundary {
  readonly requests = null;
  afterRecord = (): null => null;
  atEnd = (): TransactionEnd => 'commit';
  private last = 0;
  /** Later, Kafka may abort the transaction: with Java's defaults, interval and timeout are equal. */
  private readonly longestMs: number;

  constructor(
    private readonly intervalMs: number,
    timeoutMs: number,
  ) {
    this.longestMs = timeoutMs / 2;
  }

  begin(now: number): void {
    this.last = now;
  }

  afterBatch(now: number, openMs: number): TransactionEnd | null {
    if (now < this.last + this.intervalMs && openMs < this.longestMs) return null;
    this.last = now;
    return 'commit';
  }
}

class ConnectorBoundary implements TransactionBoundary {
  readonly requests = new TransactionRequests();
  afterRecord = (record: SourceRecord): TransactionEnd | null => this.requests.takeForRecord(record);
  afterBatch = (): TransactionEnd | null => this.requests.takeForBatch();
  atEnd = (): TransactionEnd | null => this.requests.takeForBatch();
  begin = (): void => undefined;
}
