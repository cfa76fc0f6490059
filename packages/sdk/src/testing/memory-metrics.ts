import {
  ageOf,
  checkMetric,
  type Counter,
  type Gauge,
  type MetricOptions,
  type PluginMetrics,
} from '../plugin-metrics';

interface Metric {
  readonly type: 'counter' | 'gauge';
  value: number;
  read: (() => number) | undefined;
  age: boolean;
}

/** Keeps the metrics of a task in memory. */
export class MemoryMetrics implements PluginMetrics {
  private readonly metrics = new Map<string, Metric>();

  counter(name: string, options: MetricOptions): Counter {
    const metric = this.metric('counter', name, options, 0);
    return { add: (by = 1) => void (metric.value += by) };
  }

  gauge(name: string, options: MetricOptions, read?: () => number): Gauge {
    const metric = this.metric('gauge', name, options, NaN);
    metric.read = read;
    metric.age = options.age === true;
    return { set: (value) => void (metric.value = value) };
  }

  /** The current value; undefined if it is unknown or there is no such metric. */
  value(name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
    const metric = this.metrics.get(checkMetric(name, { help: '', labels }).key);
    const value = metric?.read === undefined ? metric?.value : metric.read();
    if (value === undefined || Number.isNaN(value)) return undefined;
    return metric?.age === true ? ageOf(value) : value;
  }

  private metric(type: Metric['type'], name: string, options: MetricOptions, initial: number): Metric {
    const { key } = checkMetric(name, options);
    const found = this.metrics.get(key) ?? { type, value: initial, read: undefined, age: false };
    if (found.type !== type) throw new TypeError(`the metric ${name} exists already as a ${found.type}`);
    this.metrics.set(key, found);
    return found;
  }
}
