export type MetricType = 'counter' | 'gauge' | 'histogram';

/** An attribute of one of Java's metric groups, and how its value is read from the measurements. */
export interface Attribute<T> {
  /** Java's name, e.g. `poll-batch-max-time-ms`. */
  readonly name: string;
  readonly help: string;
  readonly type: MetricType;
  /** Each sample may add labels to those of the group. */
  samples(of: T, now: number): readonly Sample[];
}

export interface Sample {
  /** Of histograms, appended to the name. */
  readonly suffix?: '_bucket' | '_sum' | '_count';
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/**
 * Prefixes of metric names: Java's JMX domains, `millrace` for what Java does not have, `process` and `nodejs` for what
 * every program on Node.js exports.
 */
type Domain = 'kafka_connect' | 'kafka_producer' | 'kafka_consumer' | 'millrace' | 'process' | 'nodejs';

export interface Group<T> {
  /** (Default: `kafka_connect`) */
  readonly domain?: Domain;
  /** Java's name, e.g. `source-task-metrics`; without one, the attributes' names follow the domain. */
  readonly name?: string;
  labels(of: T): Readonly<Record<string, string>>;
  readonly attributes: readonly Attribute<T>[];
}

/** Null (unknown) reports nothing. */
type Read<T> = (of: T, now: number) => number | null;

function numeric<T>(type: 'counter' | 'gauge', name: string, help: string, read: Read<T>): Attribute<T> {
  const samples = (of: T, now: number): Sample[] => {
    const value = read(of, now);
    return value === null ? [] : [{ labels: {}, value }];
  };
  return { name, help, type, samples };
}

export const counter = <T>(name: string, help: string, read: Read<T>): Attribute<T> =>
  numeric('counter', name, help, read);

export const gauge = <T>(name: string, help: string, read: Read<T>): Attribute<T> => numeric('gauge', name, help, read);

/** Reports a text as a label of a sample with value 1; null (unknown) reports nothing. */
export function text<T>(name: string, help: string, read: (of: T) => string | null): Attribute<T> {
  return {
    name,
    help,
    type: 'gauge',
    samples: (of) => {
      const value = read(of);
      return value === null ? [] : [{ labels: { [underscored(name)]: value }, value: 1 }];
    },
  };
}

/** One sample per possible text: 1 for the current one, 0 for the others. */
export function oneOf<T>(
  name: string,
  help: string,
  all: readonly string[],
  read: (of: T) => string | null,
): Attribute<T> {
  const label = underscored(name);
  const samples = (of: T): Sample[] => {
    const value = read(of);
    return all.map((possible) => ({ labels: { [label]: possible }, value: possible === value ? 1 : 0 }));
  };
  return { name, help, type: 'gauge', samples };
}

/** Name of an attribute in Prometheus, e.g. `kafka_connect_source_task_metrics_source_record_poll_total`. */
export function metricName<T>({ domain = 'kafka_connect', name }: Group<T>, attribute: Attribute<T>): string {
  return underscored([domain, ...(name === undefined ? [] : [name]), attribute.name].join('_'));
}

/** Prometheus names have underscores. */
export function underscored(name: string): string {
  return name.replaceAll('-', '_');
}
