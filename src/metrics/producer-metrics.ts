/** What a producer does, counted per batch and per request. Source: connect-runtime §9. */
import { Figure, type Cells } from './cells';
import { NetworkMetrics } from './network-metrics';
import { SampledStat, type SampleWindows } from './sampled-stat';

const NS_PER_MS = 1e6;

export class ProducerMetrics {
  readonly network: NetworkMetrics;
  /** 1: the client is closed, and its metrics are no longer reported. */
  readonly closed: Figure;
  /** Records in requests that were sent, also of repeated requests. */
  readonly sent: Figure;
  readonly retried: Figure;
  readonly failed: Figure;
  readonly split: Figure;
  /** `buffer.memory` in bytes. */
  readonly bufferBytes: Figure;
  readonly bufferedBytes: Figure;
  readonly inFlight: Figure;
  /** Total nanoseconds that calls waited for room in the buffer. */
  readonly bufferWaitNs: Figure;
  readonly flushNs: Figure;
  readonly initNs: Figure;
  readonly beginNs: Figure;
  readonly sendOffsetsNs: Figure;
  readonly commitNs: Figure;
  readonly abortNs: Figure;
  /** Records of each request. */
  readonly requestRecords: SampledStat;
  readonly retries: SampledStat;
  readonly errors: SampledStat;
  readonly splits: SampledStat;
  /** Bytes of each batch. */
  readonly batchSizes: SampledStat;
  /** Milliseconds from the first record of a batch until it was sent. */
  readonly queueTimes: SampledStat;
  readonly latencies: SampledStat;
  /** Milliseconds that the broker delayed each response because of a quota. */
  readonly throttleTimes: SampledStat;
  /** Milliseconds of each wait for room in the buffer. */
  readonly bufferWaits: SampledStat;

  constructor(cells: Cells, windows: SampleWindows) {
    const figure = (): Figure => new Figure(cells);
    const stat = (): SampledStat => new SampledStat(cells, windows);
    this.network = new NetworkMetrics(cells, windows);
    this.closed = figure();
    this.sent = figure();
    this.retried = figure();
    this.failed = figure();
    this.split = figure();
    this.bufferBytes = figure();
    this.bufferedBytes = figure();
    this.inFlight = figure();
    this.bufferWaitNs = figure();
    this.flushNs = figure();
    this.initNs = figure();
    this.beginNs = figure();
    this.sendOffsetsNs = figure();
    this.commitNs = figure();
    this.abortNs = figure();
    this.requestRecords = stat();
    this.retries = stat();
    this.errors = stat();
    this.splits = stat();
    this.batchSizes = stat();
    this.queueTimes = stat();
    this.latencies = stat();
    this.throttleTimes = stat();
    this.bufferWaits = stat();
  }

  /** A batch is part of a request. `queuedMs`: since its first record. */
  batchSent(bytes: number, queuedMs: number, now: number): void {
    this.batchSizes.record(bytes, now);
    this.queueTimes.record(queuedMs, now);
  }

  requestSent(records: number, now: number): void {
    this.sent.add(records);
    this.requestRecords.record(records, now);
    this.inFlight.add();
  }

  /** `ms`: since the request; null without a response. */
  requestEnded(ms: number | null): void {
    this.inFlight.add(-1);
    if (ms !== null) this.latencies.record(ms);
  }

  retry(records: number): void {
    this.retried.add(records);
    this.retries.record(records);
  }

  failure(records: number): void {
    this.failed.add(records);
    this.errors.record(records);
  }

  batchSplit(): void {
    this.split.add();
    this.splits.record(1);
  }

  beganTransaction(ms: number): void {
    this.beginNs.add(ms * NS_PER_MS);
  }

  waitedForBuffer(ms: number): void {
    this.bufferWaitNs.add(ms * NS_PER_MS);
    this.bufferWaits.record(ms);
  }
}
