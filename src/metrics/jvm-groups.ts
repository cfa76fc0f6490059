/** Metrics of the JVMs that run plugins in jars. What their MBeans tell is in `series`, under Java's names. */
import { counter, gauge, type Group } from './attribute';

export interface JvmState {
  /** Where its jars are. */
  readonly folder: string;
  /** Null: its JVM is that of the folder. */
  readonly connector: string | null;
  /** Null: it starts, or has ended. */
  readonly pid: number | null;
  readonly isUp: boolean;
  readonly sessions: number;
  readonly restarts: number;
  readonly hungThreads: number;
  /** Null: unknown. */
  readonly silentMs: number | null;
  /** Null: unknown. */
  readonly memory: {
    readonly heapUsed: number;
    readonly heapMax: number;
    readonly nonHeapUsed: number;
    readonly threads: number;
    readonly gcMs: number;
  } | null;
  readonly usage: { readonly cpuSeconds: number; readonly residentBytes: number } | null;
}

export interface JvmFigures extends JvmState {
  readonly series: readonly ReadSeries[];
}

/** A series that was read elsewhere. */
export interface ReadSeries {
  readonly name: string;
  readonly help: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Millrace only. */
export const JVM: Group<JvmFigures> = {
  domain: 'millrace',
  name: 'jvm',
  labels: ({ folder, connector }) => ({ folder, ...(connector !== null && { connector }) }),
  attributes: [
    gauge('up', '1 while the JVM runs; 0: it starts, or has failed and is needed no more.', ({ isUp }) =>
      isUp ? 1 : 0,
    ),
    gauge('sessions', 'Connectors, tasks, converters and questions that it runs.', ({ sessions }) => sessions),
    counter('restarts-total', 'Starts after a JVM that ended by a fault.', ({ restarts }) => restarts),
    gauge('silent-seconds', 'How long it has not answered, in steps of 10 s; 0: it answers.', ({ silentMs }) =>
      silentMs === null ? null : silentMs / 1000,
    ),
    gauge('hung-threads', 'Threads that do not end though their connector or task has.', (jvm) => jvm.hungThreads),
    gauge('heap-used-bytes', 'Heap in use.', ({ memory }) => memory && memory.heapUsed),
    gauge('heap-max-bytes', 'Limit of the heap.', ({ memory }) => memory && memory.heapMax),
    gauge('non-heap-used-bytes', 'Classes and compiled code.', ({ memory }) => memory && memory.nonHeapUsed),
    gauge('threads', 'Threads of the JVM.', ({ memory }) => memory && memory.threads),
    counter('gc-seconds-total', 'Time in garbage collections.', ({ memory }) => memory && memory.gcMs / 1000),
    gauge('resident-memory-bytes', 'Resident memory size of the process.', ({ usage }) => usage && usage.residentBytes),
    counter('cpu-seconds-total', 'User and system CPU time of the process.', ({ usage }) => usage && usage.cpuSeconds),
  ],
};
