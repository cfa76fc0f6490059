/** Metrics of the process and of Node.js, with the names that prom-client gave them and that dashboards query. */
import { counter, gauge, type Attribute, type Group, type Sample } from './attribute';
import type { Delays } from './event-loop-lag';
import type { DurationHistogram } from './gc-durations';
import type { HeapSpace, HeapSize } from './heap-sizes';
import type { MemorySizes } from './process-memory';

/** Null: could not be read, or does not exist on this platform. */
export interface ProcessFigures {
  /** Seconds since the process started. */
  readonly cpu: { readonly user: number; readonly system: number } | null;
  /** Seconds since the epoch. */
  readonly startTime: number;
  readonly memory: MemorySizes;
  readonly openFiles: number | null;
  readonly maxFiles: number | null;
  /** Seconds that the event loop took to its next turn. */
  readonly lag: number;
  /** Null: none measured since the last scrape. */
  readonly delays: Delays | null;
  readonly active: Readonly<Record<Active, ReadonlyMap<string, number> | null>>;
  readonly heap: HeapSize | null;
  readonly heapSpaces: readonly HeapSpace[];
  /** As `process.version`. */
  readonly version: string;
  /** By kind of collection. */
  readonly collections: ReadonlyMap<string, DurationHistogram>;
}

/** What keeps the event loop alive, counted by type. */
export type Active = 'resources' | 'handles' | 'requests';

export const PROCESS: Group<ProcessFigures> = {
  domain: 'process',
  labels: () => ({}),
  attributes: [
    counter('cpu-user-seconds-total', 'Total user CPU time spent in seconds.', ({ cpu }) => cpu && cpu.user),
    counter('cpu-system-seconds-total', 'Total system CPU time spent in seconds.', ({ cpu }) => cpu && cpu.system),
    counter(
      'cpu-seconds-total',
      'Total user and system CPU time spent in seconds.',
      ({ cpu }) => cpu && cpu.user + cpu.system,
    ),
    gauge('start-time-seconds', 'Start time of the process since unix epoch in seconds.', (of) => of.startTime),
    gauge('resident-memory-bytes', 'Resident memory size in bytes.', ({ memory }) => memory.resident),
    gauge('virtual-memory-bytes', 'Virtual memory size in bytes.', ({ memory }) => memory.virtual),
    gauge('heap-bytes', 'Process heap size in bytes.', ({ memory }) => memory.data),
    gauge('open-fds', 'Number of open file descriptors.', ({ openFiles }) => openFiles),
    gauge('max-fds', 'Maximum number of open file descriptors.', ({ maxFiles }) => maxFiles),
  ],
};

export const NODEJS: Group<ProcessFigures> = {
  domain: 'nodejs',
  labels: () => ({}),
  attributes: [
    gauge('eventloop-lag-seconds', 'Lag of event loop in seconds.', ({ lag }) => lag),
    delay('min', 'The minimum recorded event loop delay.'),
    delay('max', 'The maximum recorded event loop delay.'),
    delay('mean', 'The mean of the recorded event loop delays.'),
    delay('stddev', 'The standard deviation of the recorded event loop delays.'),
    delay('p50', 'The 50th percentile of the recorded event loop delays.'),
    delay('p90', 'The 90th percentile of the recorded event loop delays.'),
    delay('p99', 'The 99th percentile of the recorded event loop delays.'),
    ...active(
      'resources',
      'active resources that are currently keeping the event loop alive, grouped by async resource type.',
    ),
    ...active('handles', 'active libuv handles grouped by handle type. Every handle type is C++ class name.'),
    ...active('requests', 'active libuv requests grouped by request type. Every request type is C++ class name.'),
    gauge('heap-size-total-bytes', 'Process heap size from Node.js in bytes.', ({ heap }) => heap && heap.total),
    gauge('heap-size-used-bytes', 'Process heap size used from Node.js in bytes.', ({ heap }) => heap && heap.used),
    gauge('external-memory-bytes', 'Node.js external memory size in bytes.', ({ heap }) => heap && heap.external),
    heapSpace('total'),
    heapSpace('used'),
    heapSpace('available'),
    {
      name: 'version-info',
      help: 'Node.js version info.',
      type: 'gauge',
      samples: ({ version }) => {
        const [major = '', minor = '', patch = ''] = version.slice(1).split('.');
        return [{ labels: { version, major, minor, patch }, value: 1 }];
      },
    },
    {
      name: 'gc-duration-seconds',
      help: 'Garbage collection duration by kind, one of major, minor, incremental or weakcb.',
      type: 'histogram',
      samples: ({ collections }) => [...collections].flatMap(([kind, durations]) => histogram({ kind }, durations)),
    },
  ],
};

function delay(name: keyof Delays, help: string): Attribute<ProcessFigures> {
  return gauge(`eventloop-lag-${name}-seconds`, help, ({ delays }) => delays && delays[name]);
}

function active(name: Active, help: string): Attribute<ProcessFigures>[] {
  const byType: Attribute<ProcessFigures> = {
    name: `active-${name}`,
    help: `Number of ${help}`,
    type: 'gauge',
    samples: (of) => [...(of.active[name] ?? [])].map(([type, value]) => ({ labels: { type }, value })),
  };
  const total = gauge<ProcessFigures>(`active-${name}-total`, `Total number of active ${name}.`, (of) => {
    const counts = of.active[name];
    return counts && [...counts.values()].reduce((sum, count) => sum + count, 0);
  });
  return [byType, total];
}

function heapSpace(size: 'total' | 'used' | 'available'): Attribute<ProcessFigures> {
  return {
    name: `heap-space-size-${size}-bytes`,
    help: `Process heap space size ${size} from Node.js in bytes.`,
    type: 'gauge',
    samples: ({ heapSpaces }) => heapSpaces.map(({ space, [size]: value }) => ({ labels: { space }, value })),
  };
}

function histogram(labels: Sample['labels'], { buckets, sum, count }: DurationHistogram): Sample[] {
  return [
    ...buckets.map(({ le, value }) => ({ suffix: '_bucket' as const, labels: { le: String(le), ...labels }, value })),
    { suffix: '_bucket', labels: { le: '+Inf', ...labels }, value: count },
    { suffix: '_sum', labels, value: sum },
    { suffix: '_count', labels, value: count },
  ];
}
