/** An attribute of one of Java's groups of metrics, and how it is read from what was measured. */
export interface Attribute<T> {
  /** Java's, e.g. `poll-batch-max-time-ms`. */
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  /** One sample each, with labels beyond those of the group. */
  samples(of: T, now: number): readonly Sample[];
}

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Group<T> {
  /** Java's, e.g. `source-task-metrics`. */
  readonly name: string;
  labels(of: T): Readonly<Record<string, string>>;
  readonly attributes: readonly Attribute<T>[];
}

type Read<T> = (of: T, now: number) => number;

function numeric<T>(type: 'counter' | 'gauge', name: string, help: string, read: Read<T>): Attribute<T> {
  return { name, help, type, samples: (of, now) => [{ labels: {}, value: read(of, now) }] };
}

export const counter = <T>(name: string, help: string, read: Read<T>): Attribute<T> =>
  numeric('counter', name, help, read);

export const gauge = <T>(name: string, help: string, read: Read<T>): Attribute<T> => numeric('gauge', name, help, read);

/** A text is a label of a sample of value 1. Null: it is not known. */
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

/** One sample for each possible text, 1 for the one that holds. */
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

/** As Prometheus wants names. */
export function underscored(name: string): string {
  return name.replaceAll('-', '_');
}
