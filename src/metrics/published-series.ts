/** The metrics that plugins publish: their definitions, and their values in memory that threads share. */

export interface PublishedSeries {
  /** Two series of a task with the same key are the same series. */
  readonly key: string;
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  readonly labels: Readonly<Record<string, string>>;
  /** Written by the task's thread, one number per series. */
  readonly memory: SharedArrayBuffer;
  /** Index of its number. */
  readonly cell: number;
  /** The number is a time in milliseconds since the epoch, reported as the seconds since then; 0: as 0. */
  readonly age?: boolean;
}

/** NaN: unknown. */
export function valueOf({ memory, cell, age = false }: PublishedSeries, now: number): number {
  const value = new Float64Array(memory)[cell] ?? NaN;
  return age && value !== 0 ? Math.max(0, now - value) / 1000 : value;
}

interface PublishedSample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface PublishedFamily {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  readonly labelNames: readonly string[];
  readonly samples: readonly PublishedSample[];
}

interface Publisher {
  readonly connector: string;
  readonly task: number;
  readonly published: readonly PublishedSeries[];
}

/** All known values by name. A name that is a counter in one plugin and a gauge in another is a gauge. */
export function publishedFamilies(publishers: readonly Publisher[], now: number): PublishedFamily[] {
  const families = new Map<string, { help: string; type: PublishedSeries['type']; samples: PublishedSample[] }>();
  for (const { connector, task, published } of publishers) {
    for (const series of published) {
      const value = valueOf(series, now);
      if (Number.isNaN(value)) continue;
      const family = families.get(series.name) ?? { help: series.help, type: series.type, samples: [] };
      families.set(series.name, family);
      if (series.type === 'gauge') family.type = 'gauge';
      family.samples.push({ labels: { ...series.labels, connector, task: String(task) }, value });
    }
  }
  return [...families].map(([name, family]) => ({
    name,
    ...family,
    labelNames: [...new Set(family.samples.flatMap(({ labels }) => Object.keys(labels)))],
  }));
}
