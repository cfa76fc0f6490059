/** Counts the garbage collections of this thread by kind and duration. */
import { constants, PerformanceObserver } from 'node:perf_hooks';

/** Upper bounds in seconds. */
const BOUNDS = [0.001, 0.01, 0.1, 1, 2, 5];

const KINDS = new Map<unknown, string>([
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
]);

export interface DurationHistogram {
  /** `value` collections took at most `le` seconds. */
  readonly buckets: readonly { readonly le: number; readonly value: number }[];
  /** Seconds. */
  readonly sum: number;
  readonly count: number;
}

interface Collection {
  /** Milliseconds. */
  readonly duration: number;
  readonly detail?: unknown;
}

export class GcDurations {
  private readonly kinds = new Map<string, Histogram>();

  /** Starts the observation. */
  observe(): void {
    const observer = new PerformanceObserver((list) => this.add(list.getEntries()));
    observer.observe({ entryTypes: ['gc'] });
  }

  add(collections: readonly Collection[]): void {
    for (const { duration, detail } of collections) {
      const kind = KINDS.get((detail as { kind?: unknown } | null | undefined)?.kind);
      if (kind === undefined) continue;
      let histogram = this.kinds.get(kind);
      if (!histogram) this.kinds.set(kind, (histogram = new Histogram()));
      histogram.add(duration / 1000);
    }
  }

  /** Kinds of collections that have occurred. */
  all(): ReadonlyMap<string, DurationHistogram> {
    return this.kinds;
  }
}

class Histogram implements DurationHistogram {
  readonly buckets = BOUNDS.map((le) => ({ le, value: 0 }));
  sum = 0;
  count = 0;

  add(seconds: number): void {
    for (const bucket of this.buckets) if (seconds <= bucket.le) bucket.value++;
    this.sum += seconds;
    this.count++;
  }
}
