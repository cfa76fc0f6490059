/** The metrics that plugins publish: their definitions, and their values in memory that threads share. */
import type { ReadSeries } from './jvm-groups';
import { labelText } from './text-format';

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
  /** It is a lag of the task, in this unit. */
  readonly lag?: LagUnit;
}

export type LagUnit = 'records' | 'bytes' | 'seconds';

/** NaN: unknown. */
export function valueOf(series: PublishedSeries | ReadSeries, now: number): number {
  if ('value' in series) return series.value;
  const { memory, cell, age = false } = series;
  const value = new Float64Array(memory)[cell] ?? NaN;
  return age && value !== 0 ? Math.max(0, now - value) / 1000 : value;
}

/** The largest lag that a task publishes in a unit; null: none is known. */
export function publishedLag(published: readonly PublishedSeries[], unit: LagUnit, now: number): number | null {
  let largest: number | null = null;
  for (const one of published) {
    if (one.lag !== unit) continue;
    const value = valueOf(one, now);
    if (Number.isFinite(value) && value >= 0) largest = Math.max(largest ?? 0, value);
  }
  return largest;
}

interface OwnedSeries {
  /** Labels of the task, as text; empty: it is of none. */
  readonly owner: string;
  readonly one: PublishedSeries | ReadSeries;
}

export interface PublishedFamily {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  readonly series: readonly OwnedSeries[];
}

interface Publisher {
  readonly connector: string;
  readonly task: number;
  readonly published: readonly PublishedSeries[];
}

/** All series by name. A name that is a counter in one plugin and a gauge in another is a gauge. */
export class PublishedFamilies {
  private readonly families = new Map<
    string,
    { readonly name: string; readonly help: string; type: PublishedSeries['type']; readonly series: OwnedSeries[] }
  >();

  private readonly read = new Set<string>();

  /** The series of one task. */
  add({ connector, task, published }: Publisher): void {
    const owner = labelText({ connector, task: String(task) });
    for (const one of published) {
      const { name, help, type } = one;
      const family = this.families.get(name) ?? { name, help, type, series: [] };
      this.families.set(name, family);
      if (type === 'gauge') family.type = 'gauge';
      family.series.push({ owner, one });
    }
  }

  /** Gauges that were read elsewhere. A series that occurs twice counts once. */
  addRead(all: readonly ReadSeries[]): void {
    for (const one of all) {
      const { name, help } = one;
      const key = `${name}{${labelText(one.labels)}}`;
      if (this.read.has(key)) continue;
      this.read.add(key);
      const family = this.families.get(name) ?? { name, help, type: 'gauge', series: [] };
      this.families.set(name, family);
      family.type = 'gauge';
      family.series.push({ owner: '', one });
    }
  }

  all(): Iterable<PublishedFamily> {
    return this.families.values();
  }
}
