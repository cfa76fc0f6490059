/** Measures the process and the event loop of this thread, from its construction on. */
import { readdirSync, readFileSync } from 'node:fs';
import { EventLoopLag } from './event-loop-lag';
import { GcDurations } from './gc-durations';
import { heapSize, heapSpaces } from './heap-sizes';
import type { Active, ProcessFigures } from './process-groups';
import { processMemory } from './process-memory';

const START_TIME = Math.round(Date.now() / 1000 - process.uptime());

export class ProcessMonitor {
  private readonly lag = new EventLoopLag();
  private readonly collections = new GcDurations();
  private readonly maxFiles = readable(maxFiles);

  constructor() {
    this.collections.observe();
  }

  /** The readings of /proc block for microseconds: it is memory of the kernel. Delays are those since the last call. */
  async read(): Promise<ProcessFigures> {
    const lag = await this.lag.current();
    return {
      cpu: readable(cpuSeconds),
      startTime: START_TIME,
      memory: readable(() => processMemory()) ?? { resident: null, virtual: null, data: null },
      openFiles: readable(openFiles),
      maxFiles: this.maxFiles,
      lag,
      delays: readable(() => this.lag.take()),
      active: {
        resources: readable(() => activeCounts('resources')),
        handles: readable(() => activeCounts('handles')),
        requests: readable(() => activeCounts('requests')),
      },
      heap: readable(heapSize),
      heapSpaces: readable(heapSpaces) ?? [],
      version: process.version,
      collections: this.collections.all(),
    };
  }
}

function cpuSeconds(): ProcessFigures['cpu'] {
  const { user, system } = process.cpuUsage();
  return { user: user / 1e6, system: system / 1e6 };
}

/** Undocumented in Node.js, but what the metrics of these names count in every program. */
interface Internals {
  _getActiveHandles?(): readonly (object | null)[];
  _getActiveRequests?(): readonly (object | null)[];
}

/**
 * What keeps the event loop of this thread alive, by type.
 * @returns null where Node.js does not have the list
 * @throws Error of Node.js
 */
function activeCounts(of: Active): ReadonlyMap<string, number> | null {
  const internals = process as unknown as Internals;
  if (of === 'resources') return countsOf(process.getActiveResourcesInfo());
  const found = of === 'handles' ? internals._getActiveHandles?.() : internals._getActiveRequests?.();
  return found === undefined ? null : countsOf(found.map((one) => one?.constructor?.name ?? ''));
}

function countsOf(types: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const type of types) counts.set(type, (counts.get(type) ?? 0) + 1);
  return counts;
}

/**
 * File descriptors of the process, on Linux.
 * @throws Error where there is no /proc
 */
function openFiles(): number {
  // One of them is open for this reading only.
  return readdirSync('/proc/self/fd').length - 1;
}

/**
 * @returns the soft limit; null: unlimited
 * @throws Error where there is no /proc
 */
export function maxFiles(): number | null {
  return maxFilesIn(readFileSync('/proc/self/limits', 'utf8'));
}

/** @param limits text of /proc/PID/limits */
export function maxFilesIn(limits: string): number | null {
  const [, limit] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
  return limit === undefined ? null : Number(limit);
}

/** Null when it cannot be read, e.g. because /proc is hidden: the scrape must return the other metrics. */
function readable<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
