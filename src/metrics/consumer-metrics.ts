/** What a consumer does, counted per fetch, per poll and per commit. Source: connect-runtime §9. */
import { Figure, type Cells } from './cells';
import { GroupMetrics } from './group-metrics';
import { NetworkMetrics } from './network-metrics';
import type { PartitionLags } from './partition-lags';
import { SampledStat, type SampleWindows } from './sampled-stat';

export class ConsumerMetrics {
  readonly network: NetworkMetrics;
  /** Unused by a consumer without a group. */
  readonly group: GroupMetrics;
  /** 1: the client is closed, and its metrics are no longer reported. */
  readonly closed: Figure;
  /** 1: it is a member of a group. */
  readonly inGroup: Figure;
  readonly assigned: Figure;
  readonly fetches: Figure;
  readonly records: Figure;
  /** Of records, as they are in a batch without compression. */
  readonly bytes: Figure;
  readonly commits: Figure;
  /** Milliseconds since the epoch; 0: never. */
  readonly lastPollAt: Figure;
  readonly fetchTimes: SampledStat;
  /** Bytes of the record sets of each response that has records. */
  readonly fetchSizes: SampledStat;
  /** Milliseconds that the broker delayed each response because of a quota. */
  readonly throttleTimes: SampledStat;
  readonly consumedRecords: SampledStat;
  readonly consumedBytes: SampledStat;
  /** Records behind of a partition, each time that it was read from. */
  readonly lagsSeen: SampledStat;
  readonly commitTimes: SampledStat;
  readonly pollIntervals: SampledStat;
  /** Written by the consumer only; the reader has the tables. */
  lags: PartitionLags | null = null;

  constructor(cells: Cells, windows: SampleWindows) {
    const figure = (): Figure => new Figure(cells);
    const stat = (): SampledStat => new SampledStat(cells, windows);
    this.network = new NetworkMetrics(cells, windows);
    this.group = new GroupMetrics(cells, windows);
    this.closed = figure();
    this.inGroup = figure();
    this.assigned = figure();
    this.fetches = figure();
    this.records = figure();
    this.bytes = figure();
    this.commits = figure();
    this.lastPollAt = figure();
    this.fetchTimes = stat();
    this.fetchSizes = stat();
    this.throttleTimes = stat();
    this.consumedRecords = stat();
    this.consumedBytes = stat();
    this.lagsSeen = stat();
    this.commitTimes = stat();
    this.pollIntervals = stat();
  }

  polled(now: number): void {
    const last = this.lastPollAt.value;
    if (last > 0) this.pollIntervals.record(Math.max(0, now - last), now);
    this.lastPollAt.set(now);
  }

  /** @param bytes of the record sets */
  fetched(ms: number, bytes: number, throttleMs: number): void {
    this.fetches.add();
    this.fetchTimes.record(ms);
    this.throttleTimes.record(throttleMs);
    if (bytes > 0) this.fetchSizes.record(bytes);
  }

  consumed(records: number, bytes: number): void {
    this.records.add(records);
    this.bytes.add(bytes);
    this.consumedRecords.record(records);
    this.consumedBytes.record(bytes);
  }

  committed(ms: number): void {
    this.commits.add();
    this.commitTimes.record(ms);
  }
}
