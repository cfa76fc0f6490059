/** When the transactions of an exactly-once task end: `transaction.boundary`. Source: connect-runtime §4.8. */
import { ConfigError, type ConnectorConfig, type SourceRecord, TransactionRequests } from '@millrace/sdk';
import { SOURCE_KEYS } from '../../config/connector-config';
import { readKey } from '../../config/framework-key';

export type TransactionEnd = 'commit' | 'abort';

/**
 * With boundary poll, a transaction has several polls if they follow one another at once: it is filled for this
 * multiple of the time that Kafka took to commit the last one, so that short polls do not wait for a commit each.
 */
const FILL = 8;
/** Limit of that time: consumers wait for it. Milliseconds. */
const LONGEST_FILL_MS = 250;
/** How long a transaction that may take more waits for the next batch. Milliseconds. */
const SOON_MS = 5;
/** Records of a transaction in memory that `commitRecord` gets when it is committed. */
const KEPT_LIMIT = 100_000;

/** The end of a batch. */
export interface BatchEnd {
  readonly now: number;
  /** Age of the open transaction; 0: none is open. */
  readonly openMs: number;
  /** How long Kafka took to commit the last transaction. */
  readonly commitMs: number;
  /** Records in memory until the transaction is committed, for `commitRecord`. */
  readonly kept: number;
  /** Records or offsets are not committed yet. Offsets of filtered records need no open transaction. */
  readonly uncommitted: boolean;
  /** The poll returned no records. */
  readonly isEmpty: boolean;
}

export interface TransactionBoundary {
  /** Null unless the connector defines its transactions. */
  readonly requests: TransactionRequests | null;
  afterRecord(record: SourceRecord): TransactionEnd | null;
  /** A number: commit after so many milliseconds, unless the next batch follows earlier. */
  afterBatch(end: BatchEnd): TransactionEnd | number | null;
  /** When the task stops or pauses. Null: an open transaction stays open. */
  atEnd(): TransactionEnd | null;
  /** The task starts, resumes after a pause, or commits because no batch has followed in time. */
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
  const intervalMs = readKey(SOURCE_KEYS.transactionIntervalMs, config) ?? worker.offsetFlushIntervalMs;
  return new IntervalBoundary(intervalMs, transactionTimeoutMs);
}

class PollBoundary implements TransactionBoundary {
  readonly requests = null;
  afterRecord = (): null => null;
  afterBatch = ({ openMs, commitMs, isEmpty }: BatchEnd): 'commit' | number =>
    isEmpty || openMs >= Math.min(FILL * commitMs, LONGEST_FILL_MS) ? 'commit' : SOON_MS;
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

  /** The next poll may take longer than Kafka permits. */
  afterBatch({ now, openMs, kept, uncommitted }: BatchEnd): TransactionEnd | number | null {
    const leftMs = Math.min(this.last + this.intervalMs - now, this.longestMs - openMs);
    if (leftMs > 0 && kept < KEPT_LIMIT) return uncommitted ? leftMs : null;
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
