/** What `GET /metrics` tells of JVMs: of each folder, and of each connector with a JVM of its own. */
import type { JvmSlot } from './jvm-slot';
import type { JvmMemory } from './jvm-vitals';
import type { MetricSeries } from './mbean-series';
import type { ProcessUsage } from './process-usage';

export interface JvmState {
  /** Where its jars are. */
  readonly folder: string;
  /** Null: its JVM is that of the folder. */
  readonly connector: string | null;
  /** Of its process. Null: it starts, or has ended. */
  readonly pid: number | null;
  readonly isUp: boolean;
  readonly sessions: number;
  /** Starts after an end that nobody wanted. */
  readonly restarts: number;
  /** Threads that do not end, also of those JVMs that get no new work because of them. */
  readonly hungThreads: number;
  /** How long it has not answered. Null: it is not up, so nobody asks. */
  readonly silentMs: number | null;
  /** Null: unknown. */
  readonly memory: JvmMemory | null;
  readonly usage: ProcessUsage | null;
}

export interface JvmFigures extends JvmState {
  readonly series: readonly MetricSeries[];
}

/** Folders and connectors are as many as an operator configures; this bounds what changing keys leave behind. */
const MAX_KNOWN = 1_000;

interface Known {
  readonly folder: string;
  readonly connector: string | null;
  restarts: number;
  hasFailed: boolean;
  /** The one that gets new sessions. */
  slot: JvmSlot | null;
  /** With those that end with their last session. */
  readonly running: Set<JvmSlot>;
}

export class JvmRecords {
  private readonly known = new Map<string, Known>();

  started(slot: JvmSlot): void {
    const { location: folder, connector = null } = slot.options.key;
    const id = JSON.stringify([folder, connector]);
    const known = this.known.get(id) ?? {
      folder,
      connector,
      restarts: 0,
      hasFailed: false,
      slot: null,
      running: new Set(),
    };
    if (known.hasFailed) known.restarts++;
    known.hasFailed = false;
    known.slot = slot;
    known.running.add(slot);
    this.known.delete(id);
    this.known.set(id, known);
    for (const oldest of this.known.keys()) {
      if (this.known.size <= MAX_KNOWN) break;
      this.known.delete(oldest);
    }
  }

  ended(slot: JvmSlot, isFault: boolean): void {
    for (const known of this.known.values()) {
      known.running.delete(slot);
      if (known.slot !== slot) continue;
      known.slot = null;
      known.hasFailed = isFault;
    }
  }

  states(): JvmState[] {
    return this.shown().map(stateOf);
  }

  figures(): JvmFigures[] {
    return this.shown().map((known) => ({ ...stateOf(known), series: known.slot?.vitals?.scrape() ?? [] }));
  }

  private shown(): Known[] {
    return [...this.known.values()].filter(({ slot, hasFailed }) => slot !== null || hasFailed);
  }
}

function stateOf({ folder, connector, restarts, slot, running }: Known): JvmState {
  return {
    ...{ folder, connector, restarts, isUp: slot?.isReady === true, sessions: slot?.sessions ?? 0 },
    ...{ pid: slot?.process?.pid ?? null, silentMs: slot?.vitals?.silentMs ?? null },
    hungThreads: [...running].reduce((count, { hung }) => count + (hung?.length ?? 0), 0),
    ...{ memory: slot?.vitals?.memory ?? null, usage: slot?.vitals?.usage ?? null },
  };
}
