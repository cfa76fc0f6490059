/** Debezium's metrics of streaming, and the lags that it lacks (cdc-postgres §8.1, §8.2). */
import type { Lsn } from '../database/lsn';
import type { Delivery } from './delivery';
import type { EventCounts } from './event-counts';
import type { MetricGroup } from './metric-group';

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
}

export interface StreamingFigures {
  readonly counts: EventCounts;
  readonly delivery: Delivery;
  /** Null while nothing streams. */
  readonly stream: () => StreamState | null;
  /** Position of the last offset that was stored; 0: none yet. */
  readonly storedLsn: () => Lsn;
  /** End of the server's WAL as read last; null: not yet. */
  readonly walEnd: () => Lsn | null;
}

export interface StreamingLimits {
  readonly maxMessages: number;
  /** Infinity for no limit. */
  readonly maxBytes: number;
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
  const queued = (): number => stream()?.queuedMessages ?? 0;
  debezium.gauge('Connected', 'Whether changes are streamed: 1 or 0.', () => (stream()?.isConnected ? 1 : 0));
  debezium.gauge('TotalNumberOfEventsSeen', 'Events of changes since the start of the task.', () => {
    addTables(debezium, counts);
    return counts.streamed;
  });
  debezium.gauge('TotalNumberOfCreateEventsSeen', 'Events of inserts.', () => sum('created'));
  debezium.gauge('TotalNumberOfUpdateEventsSeen', 'Events of updates.', () => sum('updated'));
  debezium.gauge('TotalNumberOfDeleteEventsSeen', 'Events of deletes.', () => sum('deleted'));
  debezium.gauge('NumberOfEventsFiltered', 'Changes that the settings leave out.', () => counts.filtered);
  debezium.gauge(
    'NumberOfUnchangedEventsSkipped',
    'Updates without a change that were skipped; -1 without skip.messages.without.change.',
    () => (limits.skipUnchanged ? counts.unchanged : -1),
  );
  debezium.gauge(
    'NumberOfErroneousEvents',
    'Changes that could not be published and were left out; without event.processing.failure.handling.mode they fail the task.',
    () => counts.erroneous,
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
  debezium.gauge('QueueTotalCapacity', 'Messages that may wait to be decoded.', () => limits.maxMessages);
  debezium.gauge('QueueRemainingCapacity', 'Free places among them.', () => Math.max(0, limits.maxMessages - queued()));
  debezium.gauge('MaxQueueSizeInBytes', 'Bytes that may wait to be decoded; 0: no limit.', () =>
    Number.isFinite(limits.maxBytes) ? limits.maxBytes : 0,
  );
  debezium.gauge('CurrentQueueSizeInBytes', 'Bytes that wait to be decoded.', () => stream()?.queuedBytes ?? 0);
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

/** Lags that grow while Kafka or the stream is stalled. */
export function addLagMetrics(own: MetricGroup, figures: StreamingFigures): void {
  const { delivery, stream, storedLsn, walEnd } = figures;
  own.gauge('replay_lag_bytes', 'WAL between the last delivered position and the end of the WAL.', () => {
    const state = stream();
    if (state === null) return NaN;
    const end = greater(walEnd() ?? 0, state.serverLsn);
    const delivered = delivery.complete ? greater(storedLsn(), state.decodedLsn) : storedLsn();
    return end === 0 || delivered === 0 ? NaN : Math.max(0, Number(BigInt(end) - BigInt(delivered)));
  });
  own.gauge(
    'replay_lag_seconds',
    'Age of the oldest change that was read and whose offset is not stored yet; 0: none.',
    () => delivery.lagMs(Date.now()) / 1000,
  );
  own.gauge(
    'oldest_unacked_seconds',
    'Time since the oldest records whose offset is not stored yet were read; 0: none.',
    () => delivery.oldestMs(Date.now()) / 1000,
  );
  own.gauge('last_flush_lsn', 'Position that was confirmed to the server last.', () =>
    positionOf(stream()?.flushedLsn ?? 0),
  );
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
