/** Measures the process and the event loop of this thread, from its construction on. */
import { activeCounts } from './active-counts';
import { EventLoopLag } from './event-loop-lag';
import { GcDurations } from './gc-durations';
import { heapSize, heapSpaces } from './heap-sizes';
import { maxFiles, openFiles } from './open-files';
import type { ProcessFigures } from './process-groups';
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

/** Null when it cannot be read, e.g. because /proc is hidden: the scrape must return the other metrics. */
function readable<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
