/**
 * The process as dashboards for Node know it, under the names that prom-client has made usual. Loading that library took most of the time of a
 * first scrape.
 */
import { readdir, readFile } from 'node:fs/promises';
import {
  constants,
  monitorEventLoopDelay,
  performance,
  PerformanceObserver,
  type PerformanceEntry,
  type IntervalHistogram,
} from 'node:perf_hooks';
import { getHeapSpaceStatistics } from 'node:v8';
import type { Family } from './text-format';

const DELAY_RESOLUTION_MS = 10;
const GC_BUCKETS = [0.001, 0.01, 0.1, 1, 2, 5];
const GC_KINDS: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
};

interface Collections {
  /** By bucket; the last is everything. */
  readonly counts: number[];
  sum: number;
}

const one = (name: string, help: string, value: number | null, type: 'counter' | 'gauge' = 'gauge'): Family => ({
  name,
  help,
  type,
  samples: value === null ? [] : [{ labels: {}, value }],
});

const each = (name: string, help: string, label: string, values: ReadonlyMap<string, number>): Family => ({
  name,
  help,
  type: 'gauge',
  samples: [...values].map(([text, value]) => ({ labels: { [label]: text }, value })),
});

/** Watches the event loop and the garbage collector from when it is made; the rest is looked up when asked for. */
export class ProcessMetrics {
  private readonly delays: IntervalHistogram = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  private readonly collections = new Map<string, Collections>();

  constructor() {
    this.delays.enable();
    new PerformanceObserver((list) => {
      for (const { duration, detail } of list.getEntries() as readonly (PerformanceEntry & {
        detail?: { kind: number };
      })[])
        this.collected(GC_KINDS[detail?.kind ?? 0] ?? 'other', duration / 1000);
    }).observe({ entryTypes: ['gc'] });
  }

  async families(): Promise<Family[]> {
    return [
      ...cpu(),
      one('process_start_time_seconds', 'Start of the process, in seconds since 1970.', startedAt()),
      ...(await memory()),
      ...(await descriptors()),
      one('nodejs_eventloop_lag_seconds', 'How late the event loop is just now.', await lag()),
      ...this.delayFamilies(),
      ...resources(),
      ...heap(),
      version(),
      this.collectionFamily(),
    ];
  }

  /** Of the time since they were last asked for; none where nothing was measured since. */
  private delayFamilies(): Family[] {
    const { delays } = this;
    if (delays.count === 0) return [];
    const seconds = (kind: string, what: string, nanoseconds: number): Family =>
      one(
        `nodejs_eventloop_lag_${kind}_seconds`,
        `${what} of the event loop since the last scrape.`,
        nanoseconds / 1e9,
      );
    const families = [
      seconds('min', 'Least delay', delays.min),
      seconds('max', 'Greatest delay', delays.max),
      seconds('mean', 'Mean delay', delays.mean),
      seconds('stddev', 'Standard deviation of the delays', delays.stddev),
      ...[50, 90, 99].map((n) => seconds(`p${n}`, `${n}th percentile of the delays`, delays.percentile(n))),
    ];
    delays.reset();
    return families;
  }

  private collected(kind: string, seconds: number): void {
    let found = this.collections.get(kind);
    if (!found) this.collections.set(kind, (found = { counts: Array(GC_BUCKETS.length + 1).fill(0), sum: 0 }));
    for (const [index, bound] of [...GC_BUCKETS, Infinity].entries())
      if (seconds <= bound) found.counts[index] = (found.counts[index] ?? 0) + 1;
    found.sum += seconds;
  }

  private collectionFamily(): Family {
    return {
      name: 'nodejs_gc_duration_seconds',
      help: 'Garbage collections since the first scrape, by kind: major, minor, incremental or weakcb.',
      type: 'histogram',
      samples: [...this.collections].flatMap(([kind, { counts, sum }]) => [
        ...[...GC_BUCKETS, Infinity].map((bound, index) => ({
          suffix: '_bucket',
          labels: { le: bound === Infinity ? '+Inf' : String(bound), kind },
          value: counts[index] ?? 0,
        })),
        { suffix: '_sum', labels: { kind }, value: sum },
        { suffix: '_count', labels: { kind }, value: counts.at(-1) ?? 0 },
      ]),
    };
  }
}

function cpu(): Family[] {
  const { user, system } = process.cpuUsage();
  const seconds = (kind: string, microseconds: number): Family =>
    one(
      `process_cpu_${kind}seconds_total`,
      `CPU time of the process, ${kind || 'user and system '}in seconds.`,
      microseconds / 1e6,
      'counter',
    );
  return [seconds('user_', user), seconds('system_', system), seconds('', user + system)];
}

const startedAt = (): number => Math.round(Date.now() / 1000 - process.uptime());

/** A value of `/proc/self/<file>`; null where there is no such thing. */
async function ofSystem(file: string, pattern: RegExp): Promise<number | null> {
  const found = pattern.exec(await readFile(`/proc/self/${file}`, 'utf8').catch(() => ''))?.[1];
  return found === undefined ? null : Number(found);
}

async function memory(): Promise<Family[]> {
  const bytes = async (key: string): Promise<number | null> => {
    const kilobytes = await ofSystem('status', new RegExp(`^${key}:\\s+(\\d+) kB$`, 'm'));
    return kilobytes === null ? null : kilobytes * 1024;
  };
  return [
    one('process_resident_memory_bytes', 'Resident memory of the process.', process.memoryUsage.rss()),
    one('process_virtual_memory_bytes', 'Virtual memory of the process.', await bytes('VmSize')),
    one('process_heap_bytes', 'Data segments of the process.', await bytes('VmData')),
  ];
}

async function descriptors(): Promise<Family[]> {
  // One of them is that of the folder itself.
  const open = await readdir('/proc/self/fd').then(
    ({ length }) => length - 1,
    () => null,
  );
  return [
    one('process_open_fds', 'Open file descriptors.', open),
    one(
      'process_max_fds',
      'Most file descriptors that may be open.',
      await ofSystem('limits', /^Max open files\s+(\d+)/m),
    ),
  ];
}

async function lag(): Promise<number> {
  const asked = performance.now();
  await new Promise((resolve) => setImmediate(resolve));
  return (performance.now() - asked) / 1000;
}

function counted(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Node's own lists of handles and requests, by class; not everywhere there. */
interface Internals {
  readonly _getActiveHandles?: () => readonly object[];
  readonly _getActiveRequests?: () => readonly object[];
}

function resources(): Family[] {
  const internals = process as unknown as Internals;
  const kinds = [
    ['resources', 'type of resource', process.getActiveResourcesInfo()],
    ['handles', 'class of handle', classes(internals._getActiveHandles?.())],
    ['requests', 'class of request', classes(internals._getActiveRequests?.())],
  ] as const;
  return kinds.flatMap(([kind, by, names]) => [
    each(`nodejs_active_${kind}`, `What keeps the event loop alive, by ${by}.`, 'type', counted(names)),
    one(`nodejs_active_${kind}_total`, `What keeps the event loop alive: ${kind}.`, names.length),
  ]);
}

function classes(objects: readonly object[] = []): string[] {
  return objects.map((object) => object.constructor?.name ?? 'unknown');
}

function heap(): Family[] {
  const { heapTotal, heapUsed, external } = process.memoryUsage();
  const spaces = getHeapSpaceStatistics();
  const bySpace = (kind: 'size' | 'used_size' | 'available_size'): Map<string, number> =>
    new Map(spaces.map((space) => [space.space_name.replace(/_space$/, ''), space[`space_${kind}`]]));
  return [
    one('nodejs_heap_size_total_bytes', 'Heap of the main thread.', heapTotal),
    one('nodejs_heap_size_used_bytes', 'Used heap of the main thread.', heapUsed),
    one('nodejs_external_memory_bytes', 'Memory outside the heap that belongs to objects in it.', external),
    each('nodejs_heap_space_size_total_bytes', 'Heap of the main thread by space.', 'space', bySpace('size')),
    each('nodejs_heap_space_size_used_bytes', 'Used heap of the main thread by space.', 'space', bySpace('used_size')),
    each(
      'nodejs_heap_space_size_available_bytes',
      'Free heap of the main thread by space.',
      'space',
      bySpace('available_size'),
    ),
  ];
}

function version(): Family {
  const [major = '', minor = '', patch = ''] = process.version.slice(1).split('.');
  const labels = { version: process.version, major, minor, patch };
  return { name: 'nodejs_version_info', help: "Node's version.", type: 'gauge', samples: [{ labels, value: 1 }] };
}
