/** What a worker tells the others of its JVMs. */
import type { JvmState } from '../../metrics/jvm-groups';

export interface JvmReport {
  /** Of its jars. */
  readonly folder: string;
  /** Null: it is that of the folder. */
  readonly connector: string | null;
  readonly isUp: boolean;
  /** Null: unknown, as the following. */
  readonly pid: number | null;
  readonly restarts: number | null;
  readonly hungThreads: number | null;
  readonly silentMs: number | null;
  /** Bytes, as the following. */
  readonly heapUsed: number | null;
  readonly heapMax: number | null;
  readonly residentBytes: number | null;
}

const MOST = 1_000;
const LONGEST_TEXT = 2048;
const NUMBERS = ['pid', 'restarts', 'hungThreads', 'silentMs', 'heapUsed', 'heapMax', 'residentBytes'] as const;

export function jvmReports(jvms: readonly JvmState[]): readonly JvmReport[] {
  return jvms.slice(0, MOST).map((jvm) => ({
    ...{ folder: jvm.folder, connector: jvm.connector, isUp: jvm.isUp, pid: jvm.pid, restarts: jvm.restarts },
    ...{ hungThreads: jvm.hungThreads, silentMs: jvm.silentMs, residentBytes: jvm.usage?.residentBytes ?? null },
    ...{ heapUsed: jvm.memory?.heapUsed ?? null, heapMax: jvm.memory?.heapMax ?? null },
  }));
}

/** Of another worker, perhaps of another version: what is no JVM is left out. */
export function readJvmReports(value: unknown): readonly JvmReport[] {
  if (!Array.isArray(value)) return [];
  return (value as unknown[]).flatMap((one) => jvmOf(one) ?? []).slice(0, MOST);
}

function jvmOf(value: unknown): JvmReport | null {
  const jvm = (value ?? {}) as Partial<Record<keyof JvmReport, unknown>>;
  if (typeof jvm.folder !== 'string' || typeof jvm.isUp !== 'boolean') return null;
  const numbers = Object.fromEntries(NUMBERS.map((name) => [name, numberOf(jvm[name])])) as Record<
    (typeof NUMBERS)[number],
    number | null
  >;
  return {
    folder: jvm.folder.slice(0, LONGEST_TEXT),
    connector: typeof jvm.connector === 'string' ? jvm.connector : null,
    isUp: jvm.isUp,
    ...numbers,
  };
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}
