/** The metrics that a plugin's task publishes. Its thread writes the values, the main thread reads them. */
import { AsyncResource } from 'node:async_hooks';
import {
  checkMetric,
  MAX_METRIC_SERIES,
  messageOf,
  startInterval,
  type Counter,
  type Gauge,
  type Logger,
  type MetricOptions,
  type PluginMetrics,
} from '@millrace/sdk';
import type { PublishedSeries } from '../metrics/published-series';

/** How often the functions of gauges are called. */
const READ_MS = 1_000;
/** Values per piece of shared memory. */
const PIECE = 256;

/** One timer of a thread for the gauges of all its tasks: an idle thread wakes up once, not once per task. */
class GaugeReads {
  private readonly reads = new Set<() => void>();
  private timer: NodeJS.Timeout | null = null;

  add(read: () => void): void {
    this.reads.add(read);
    this.timer ??= startInterval(() => this.readAll(), READ_MS).unref();
  }

  remove(read: () => void): void {
    this.reads.delete(read);
    if (this.reads.size > 0 || this.timer === null) return;
    clearInterval(this.timer);
    this.timer = null;
  }

  private readAll(): void {
    for (const read of this.reads) read();
  }
}

const GAUGE_READS = new GaugeReads();

class Metric implements Counter, Gauge {
  read: (() => number) | null = null;
  onAdded: ((by: number) => void) | null = null;

  constructor(
    readonly name: string,
    readonly type: PublishedSeries['type'],
    private readonly view: Float64Array,
    private readonly cell: number,
  ) {
    this.set(type === 'counter' ? 0 : NaN);
  }

  add(by = 1): void {
    // Anything else would break the counter for good.
    if (!(by > 0 && by < Infinity)) return;
    this.view[this.cell] = (this.view[this.cell] ?? 0) + by;
    this.onAdded?.(by);
  }

  set(value: number): void {
    this.view[this.cell] = value;
  }
}

export class PublishedMetrics implements PluginMetrics {
  private readonly metrics = new Map<string, Metric>();
  private readonly types = new Map<string, PublishedSeries['type']>();
  private memory = new SharedArrayBuffer(0);
  private unsent: PublishedSeries[] = [];
  /** In the context of the task, which names who blocks or ends the thread. */
  private readonly read = AsyncResource.bind((): void => this.readAll());
  private readonly failing = new WeakSet<Metric>();
  private ended = false;
  private complained = false;

  /** `publish` receives each series once, `onFailed` what is added to counters of failed records. */
  constructor(
    private readonly publish: (series: readonly PublishedSeries[]) => void,
    private readonly onFailed: (records: number) => void,
    private readonly logger: Logger,
  ) {}

  counter(name: string, options: MetricOptions): Counter {
    const metric = this.metric('counter', name, options);
    if (options.failedRecords === true) metric.onAdded = this.onFailed;
    return metric;
  }

  gauge(name: string, options: MetricOptions, read?: () => number): Gauge {
    const metric = this.metric('gauge', name, options);
    metric.read = read ?? null;
    if (read !== undefined && !this.ended) GAUGE_READS.add(this.read);
    return metric;
  }

  /** From now on no function of a gauge is called. */
  end(): void {
    this.ended = true;
    GAUGE_READS.remove(this.read);
  }

  private metric(type: PublishedSeries['type'], name: string, options: MetricOptions): Metric {
    const { key, labels } = checkMetric(name, options);
    const known = this.types.get(name);
    if (known !== undefined && known !== type) throw new TypeError(`the metric ${name} exists already as a ${known}`);
    const found = this.metrics.get(key);
    if (found) return found;
    if (this.metrics.size >= MAX_METRIC_SERIES) return this.unexported(name, type);
    const cell = this.metrics.size % PIECE;
    if (cell === 0) this.memory = new SharedArrayBuffer(PIECE * Float64Array.BYTES_PER_ELEMENT);
    const metric = new Metric(name, type, new Float64Array(this.memory), cell);
    this.metrics.set(key, metric);
    this.types.set(name, type);
    if (this.unsent.length === 0) queueMicrotask(() => this.send());
    const { help, age, lag } = options;
    this.unsent.push({ ...{ key, name, help, type, labels, age, lag }, memory: this.memory, cell });
    return metric;
  }

  private unexported(name: string, type: PublishedSeries['type']): Metric {
    if (!this.complained)
      this.logger.warn(`The task publishes more than ${MAX_METRIC_SERIES} metrics: ${name} and later ones are missing`);
    this.complained = true;
    return new Metric(name, type, new Float64Array(1), 0);
  }

  private send(): void {
    const { unsent } = this;
    this.unsent = [];
    if (this.ended) return;
    this.readAll();
    this.publish(unsent);
  }

  private readAll(): void {
    for (const metric of this.metrics.values()) {
      if (metric.read === null) continue;
      try {
        metric.set(metric.read());
      } catch (error) {
        metric.set(NaN);
        if (!this.failing.has(metric))
          this.logger.warn(`Metric ${metric.name} is not exported, because reading it failed: ${messageOf(error)}`);
        this.failing.add(metric);
      }
    }
  }
}
