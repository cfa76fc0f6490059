/** Debezium's metrics of streaming, and the lags that it lacks (cdc-postgres §8.1, §8.2). */
import type { Lsn } from '../database/lsn';
import type { Delivery } from './delivery';
import type { EventCounts } from './event-counts';
import { addCommonMetrics, EVENTS_SEEN, type QueueLimits } from './common-metrics';
import type { MetricGroup } from './metric-group';
import { WalLag } from './wal-lag';

/** The stream, as its reader sees it. */
export interface StreamState {
  readonly isConnected: boolean;
  readonly queuedMessages: number;
  readonly queuedBytes: number;
  /** Last position that the server reported, and the last one up to which everything was decoded. */
  readonly serverLsn: Lsn;
  readonly decodedLsn: Lsn;
  /** Confirmed to the server last; 0: never. */
  readonly flushedLsn: Lsn;
  /** Asks the server for a message. */
  requestKeepalive(): void;
}

interface StreamingFigures {
  readonly counts: EventCounts;
  readonly delivery: Delivery;
  /** Null while nothing streams. */
  readonly stream: () => StreamState | null;
  /** Position of the last offset that was stored; 0: none yet. */
  readonly storedLsn: () => Lsn;
  /** End of the server's WAL as read last; null: not yet. */
  readonly walEnd: () => Lsn | null;
  /** Milliseconds by which the server's clock is ahead of ours. */
  readonly clockAheadMs: () => number;
  /** The server does not answer, so that nothing is known of its WAL. */
  readonly isDown: () => boolean;
}

interface StreamingLimits extends QueueLimits {
  /** `skip.messages.without.change` */
  readonly skipUnchanged: boolean;
  /** `statistics.metrics.enabled` */
  readonly statistics: boolean;
}

export function addStreamingMetrics(debezium: MetricGroup, figures: StreamingFigures, limits: StreamingLimits): void {
  const { counts, stream } = figures;
  const { lags } = counts;
  const sum = (of: 'created' | 'updated' | 'deleted'): number => {
    let total = 0;
    for (const table of counts.all()) total += table[of];
    return total;
  };
  const queue = {
    messages: () => stream()?.queuedMessages ?? 0,
    bytes: () => stream()?.queuedBytes ?? 0,
  };
  const of = {
    read: () => 0,
    created: () => sum('created'),
    updated: () => sum('updated'),
    deleted: () => sum('deleted'),
    filtered: () => counts.filtered,
    erroneous: () => counts.erroneous,
  };
  addCommonMetrics(debezium, of, queue, limits);
  debezium.gauge('Connected', 'Whether changes are streamed: 1 or 0.', () =>
    stream()?.isConnected && !figures.isDown() ? 1 : 0,
  );
  debezium.gauge('TotalNumberOfEventsSeen', EVENTS_SEEN, () => {
    addTables(debezium, counts);
    return counts.streamed + counts.messages;
  });
  debezium.gauge(
    'TotalNumberOfLogicalMessageEventsSeen',
    'Events of logical decoding messages.',
    () => counts.messages,
  );
  debezium.gauge(
    'NumberOfUnchangedEventsSkipped',
    'Updates without a change that were skipped; -1 without skip.messages.without.change.',
    () => (limits.skipUnchanged ? counts.unchanged : -1),
  );
  debezium.gauge('NumberOfCommittedTransactions', 'Transactions with events.', () => counts.transactions);
  debezium.gauge('LastTransactionId', 'Id of the transaction of the last event.', () => counts.xid ?? NaN);
  debezium.gauge(
    'SourceEventPosition',
    'Position up to which the stream was decoded.',
    () => positionOf(stream()?.decodedLsn ?? 0),
    { key: 'lsn' },
  );
  debezium.gauge('MilliSecondsSinceLastEvent', 'Time since the last event; -1 before the first.', () =>
    since(counts.streamedAt),
  );
  debezium.gauge(
    'MilliSecondsBehindSource',
    'Time from the commit of the last event until it was read; -1 before the first.',
    () => counts.lagMs,
  );
  if (limits.statistics) {
    const lag = (name: string, what: string, read: () => number): void =>
      debezium.gauge(
        `MilliSecondsBehindSource${name}`,
        `${what} of the lags of all events; -1 before the first.`,
        read,
      );
    lag('MinValue', 'Minimum', () => lags.minimum);
    lag('MaxValue', 'Maximum', () => lags.maximum);
    lag('AverageValue', 'Average', () => lags.average);
    lag('P50', 'Median', () => lags.percentile(0.5));
    lag('P95', '95th percentile', () => lags.percentile(0.95));
    lag('P99', '99th percentile', () => lags.percentile(0.99));
  }
}

/** Tables with events of an operation, once they have one: most installations change few of their tables. */
function addTables(debezium: MetricGroup, counts: EventCounts): void {
  for (const table of counts.all()) {
    const labels = { table: table.table };
    if (table.created > 0)
      debezium.gaugeOnce('NumberOfCreateEventsSeen', 'Inserts of a table.', () => table.created, labels);
    if (table.updated > 0)
      debezium.gaugeOnce('NumberOfUpdateEventsSeen', 'Updates of a table.', () => table.updated, labels);
    if (table.deleted > 0)
      debezium.gaugeOnce('NumberOfDeleteEventsSeen', 'Deletes of a table.', () => table.deleted, labels);
    if (table.truncated > 0)
      debezium.gaugeOnce('NumberOfTruncateEventsSeen', 'Truncations of a table.', () => table.truncated, labels);
  }
}

/** Lags that grow while Kafka, the stream or the task's thread is stalled. */
export function addLagMetrics(own: MetricGroup, figures: StreamingFigures): void {
  const { delivery, stream, storedLsn, walEnd, clockAheadMs, isDown } = figures;
  const wal = new WalLag();
  /** By our clock, because the age is computed with it. */
  const oldestCommitted = (): number => {
    const at = delivery.oldestCommitted;
    return at === 0 ? 0 : at - clockAheadMs();
  };
  /** End of the server's WAL, and the position up to which all of it is delivered; null: one is unknown. */
  const positions = (): { readonly end: Lsn; readonly delivered: Lsn } | null => {
    const state = stream();
    if (state === null || isDown()) return null;
    const end = greater(walEnd() ?? 0, state.serverLsn);
    const delivered = delivery.complete ? greater(storedLsn(), state.decodedLsn) : storedLsn();
    return end === 0 || delivered === 0 ? null : { end, delivered };
  };
  const replayLag = (): number => {
    const at = positions();
    return at === null ? NaN : Math.max(0, Number(BigInt(at.end) - BigInt(at.delivered)));
  };
  own.gauge(
    'replay_lag_bytes',
    'WAL between the last delivered position and the end of the WAL.',
    replayLag,
    {},
    'bytes',
  );
  own.age(
    'wal_lag_seconds',
    "Time since the server's WAL has something that is not delivered, read or not; 0: all is delivered.",
    () => {
      const at = positions();
      return at === null ? NaN : earlier(wal.since(at.end, at.delivered, Date.now()), oldestCommitted());
    },
    'seconds',
  );
  own.age(
    'replay_lag_seconds',
    'Age of the oldest change that was read and whose offset is not stored yet; 0: none; unknown while the server does not answer and there is none.',
    () => {
      const at = oldestCommitted();
      return at === 0 && isDown() ? NaN : at;
    },
  );
  own.age(
    'oldest_unacked_seconds',
    'Time since the oldest records whose offset is not stored yet were read; 0: none.',
    () => delivery.oldestReturned,
  );
  own.gauge('last_flush_lsn', 'Position that was confirmed to the server last.', () =>
    positionOf(stream()?.flushedLsn ?? 0),
  );
}

/** 0: none. */
function earlier(one: number, other: number): number {
  return one === 0 || other === 0 ? Math.max(one, other) : Math.min(one, other);
}

function since(at: number): number {
  return at === 0 ? -1 : Math.max(0, Date.now() - at);
}

function positionOf(lsn: Lsn): number {
  return lsn === 0 ? NaN : Number(lsn);
}

function greater(one: Lsn, other: Lsn): Lsn {
  return one > other ? one : other;
}
