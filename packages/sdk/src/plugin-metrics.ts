/** Metrics that a task publishes in the worker's `GET /metrics`. */

export interface MetricOptions {
  /** One sentence; the first of a name is exported. */
  readonly help: string;
  /** Added to `connector` and `task`, which every metric has. (Default: none) */
  readonly labels?: Readonly<Record<string, string>>;
  /**
   * Of a gauge: its value is a time in milliseconds since the epoch, exported as the seconds since then, 0 as 0. The
   * age is computed when it is scraped, so it also grows while the task's thread is stuck. (Default: false)
   */
  readonly age?: boolean;
  /**
   * Of a gauge: it is how far the task is behind its source or target, in this unit. The console and `millrace top`
   * show the largest one of a unit as the task's lag, and the worker exports it as `millrace_task_lag_<unit>`. Of a
   * sink, the lag in its topics is shown instead, where it is known. (Default: it is no lag)
   */
  readonly lag?: LagUnit;
  /**
   * Of a counter: it counts records that the plugin itself gave up, for instance wrote to a dead letter queue of its
   * own. They count as failed records in the task's health, like those that the worker skips. (Default: false)
   */
  readonly failedRecords?: boolean;
}

export const LAG_UNITS = ['records', 'bytes', 'seconds'] as const;
export type LagUnit = (typeof LAG_UNITS)[number];

export interface Counter {
  /** `by` is not negative. (Default: 1) */
  add(by?: number): void;
}

export interface Gauge {
  /** NaN: unknown, which is not exported. */
  set(value: number): void;
}

/**
 * Metrics of one run of a task: they are removed when the task ends. A name and labels that exist already give the
 * existing metric. Writing one is as cheap as writing a number, also for each record. A task has at most
 * `MAX_METRIC_SERIES` of them; those beyond are not exported, and one warning is logged. Each method throws TypeError
 * for a name or label that Prometheus does not allow, for a help or label that is not a text, and for a name that has
 * the other type already, and for a lag without a known unit.
 */
export interface PluginMetrics {
  /** Starts at 0. */
  counter(name: string, options: MetricOptions): Counter;
  /**
   * Unknown until it is set. `read` is called about once a second instead of `set`: it returns the current value
   * without delay, or NaN while it is unknown.
   */
  gauge(name: string, options: MetricOptions, read?: () => number): Gauge;
}

/** Metrics of one task, each with its own labels. */
export const MAX_METRIC_SERIES = 10_000;
const MAX_NAME_LENGTH = 200;
const MAX_LABELS = 10;
/** Longer values are cut. */
const MAX_LABEL_VALUE_LENGTH = 250;

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LABEL = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
/** Names of the worker's own metrics. */
const WORKER_NAME = /^(?:kafka_(?:connect|producer|consumer)|millrace_(?:task|sink)|process|nodejs)_/;

/** What is exported for a value of a gauge with `age`, in seconds; NaN stays NaN. */
export function ageOf(time: number, now = Date.now()): number {
  return time === 0 ? 0 : Math.max(0, now - time) / 1000;
}

export interface CheckedMetric {
  /** The same for the same name and labels. */
  readonly key: string;
  /** As they are exported. */
  readonly labels: Readonly<Record<string, string>>;
}

/** What a worker accepts; throws TypeError for anything else. */
export function checkMetric(name: string, { help, labels = {}, lag }: MetricOptions): CheckedMetric {
  if (!NAME.test(name) || name.length > MAX_NAME_LENGTH)
    throw new TypeError(`"${name.slice(0, MAX_NAME_LENGTH)}" is not a valid name of a metric`);
  if (WORKER_NAME.test(name)) throw new TypeError(`the metric ${name} has a prefix of the worker's own metrics`);
  // JavaScript allows anything, and what is not a text would make every scrape of the worker fail.
  if (typeof help !== 'string') throw new TypeError(`the metric ${name} has no help text`);
  if (lag !== undefined && !LAG_UNITS.includes(lag))
    throw new TypeError(`the lag of the metric ${name} must be one of ${LAG_UNITS.join(', ')}`);
  const entries = Object.entries(labels);
  if (entries.length > MAX_LABELS) throw new TypeError(`the metric ${name} has more than ${MAX_LABELS} labels`);
  for (const [label, value] of entries) {
    if (!LABEL.test(label) || label.startsWith('__') || label === 'connector' || label === 'task')
      throw new TypeError(`"${label}" is not a valid label of the metric ${name}`);
    if (typeof value !== 'string') throw new TypeError(`the label ${label} of the metric ${name} is not a text`);
  }
  const cut = entries
    .map(([label, value]) => [label, value.slice(0, MAX_LABEL_VALUE_LENGTH)] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return { key: JSON.stringify([name, cut]), labels: Object.fromEntries(cut) };
}
