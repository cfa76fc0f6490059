/** Debezium's metrics that snapshots and streams have (cdc-postgres §8.1). */
import type { MetricGroup } from './metric-group';

/** One text for both contexts: a name has one help text. */
export const EVENTS_SEEN = 'Events of changes, or of rows that snapshots read: see the label context.';

export interface QueueLimits {
  readonly maxMessages: number;
  /** Infinity for no limit. */
  readonly maxBytes: number;
}

type Read = () => number;

interface EventTotals {
  readonly read: Read;
  readonly created: Read;
  readonly updated: Read;
  readonly deleted: Read;
  readonly filtered: Read;
  readonly erroneous: Read;
}

/** What waits for the next poll. */
interface QueueFigures {
  readonly messages: Read;
  readonly bytes: Read;
}

export function addCommonMetrics(
  debezium: MetricGroup,
  totals: EventTotals,
  queue: QueueFigures,
  { maxMessages, maxBytes }: QueueLimits,
): void {
  debezium.gauge('TotalNumberOfReadEventsSeen', 'Events of rows that were read.', totals.read);
  debezium.gauge('TotalNumberOfCreateEventsSeen', 'Events of inserts.', totals.created);
  debezium.gauge('TotalNumberOfUpdateEventsSeen', 'Events of updates.', totals.updated);
  debezium.gauge('TotalNumberOfDeleteEventsSeen', 'Events of deletes.', totals.deleted);
  debezium.gauge('NumberOfEventsFiltered', 'Changes that the settings leave out.', totals.filtered);
  debezium.gauge(
    'NumberOfErroneousEvents',
    'Changes that could not be published and were left out; without event.processing.failure.handling.mode they fail the task.',
    totals.erroneous,
  );
  debezium.gauge('QueueTotalCapacity', 'Messages that may wait.', () => maxMessages);
  debezium.gauge('QueueRemainingCapacity', 'Free places among them.', () =>
    Math.max(0, maxMessages - queue.messages()),
  );
  debezium.gauge('MaxQueueSizeInBytes', 'Bytes that may wait; 0: no limit.', () =>
    Number.isFinite(maxBytes) ? maxBytes : 0,
  );
  debezium.gauge('CurrentQueueSizeInBytes', 'Bytes that wait.', queue.bytes);
}
