/**
 * Where clients count what they do, for the caller's metrics: a call per request, batch, poll or commit, never per
 * record, and none of them may throw. Times are milliseconds.
 */
export interface Level {
  set(value: number): void;
}

export interface Counter {
  add(by: number): void;
}

export interface Samples {
  record(value: number): void;
}

export interface NetworkMetrics {
  /** @param bytes of a request */
  sent(bytes: number): void;
  /** @param bytes of a response */
  received(bytes: number): void;
}

/** Durations of a member's requests, and of its rebalances until the assignment is known. */
export interface GroupMetrics {
  readonly heartbeats: Samples;
  readonly joins: Samples;
  readonly syncs: Samples;
  readonly rebalances: Samples;
  readonly failedRebalances: Samples;
}

interface ClientMetrics {
  readonly network: NetworkMetrics;
  /** 1: the client is closed. */
  readonly closed: Level;
}

export interface ConsumerMetrics extends ClientMetrics {
  /** Unused by a consumer without a group. */
  readonly group: GroupMetrics;
  /** 1: it is a member of a group. */
  readonly inGroup: Level;
  /** Number of assigned partitions. */
  readonly assigned: Level;
  /** Records behind of a partition, each time that it was read from. */
  readonly lagsSeen: Samples;
  readonly lags: PartitionLags | null;
  /** @param now milliseconds since the epoch */
  polled(now: number): void;
  /** @param bytes of the record sets */
  fetched(ms: number, bytes: number, throttleMs: number): void;
  /** @param bytes of the records, as they are in a batch without compression */
  consumed(records: number, bytes: number): void;
  committed(ms: number): void;
}

/** How far the partitions of a consumer are behind. */
export interface PartitionLags {
  /** The owner of the consumer reports what it has processed, with `processedTo`. */
  trackProcessing(): void;
  /** Null: not measured. */
  of(partition: { readonly topic: string; readonly partition: number }): PartitionLag | null;
}

/** `now` and the times of records are milliseconds since the epoch. */
export interface PartitionLag {
  assign(): void;
  unassign(): void;
  /** A response has this end. */
  ended(end: number, now: number): void;
  /** The position was set. */
  sought(offset: number, now: number): void;
  /** Records were returned. Times are those of the first and the last one. @returns records behind */
  took(position: number, nextOffset: number, firstAt: number, lastAt: number, now: number): number;
  /** The position moved past offsets without records. */
  skipped(position: number, now: number): void;
  /** Everything before `nextOffset` is processed. */
  processedTo(nextOffset: number, now: number): void;
}

export interface ProducerMetrics extends ClientMetrics {
  /** `buffer.memory` in bytes. */
  readonly bufferBytes: Level;
  readonly bufferedBytes: Level;
  /** Milliseconds that the broker delayed each response because of a quota. */
  readonly throttleTimes: Samples;
  /** Total nanoseconds of each kind of call. */
  readonly flushNs: Counter;
  readonly initNs: Counter;
  readonly sendOffsetsNs: Counter;
  readonly commitNs: Counter;
  readonly abortNs: Counter;
  beganTransaction(ms: number): void;
  /** A batch is part of a request. `queuedMs`: since its first record; `now`: since the epoch. */
  batchSent(bytes: number, queuedMs: number, now: number): void;
  requestSent(records: number, now: number): void;
  /** `ms`: since the request; null without a response. */
  requestEnded(ms: number | null): void;
  retry(records: number): void;
  failure(records: number): void;
  batchSplit(): void;
  waitedForBuffer(ms: number): void;
}
