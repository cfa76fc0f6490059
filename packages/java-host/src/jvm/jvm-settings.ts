/** What the worker's settings say about JVMs. Their names there: docs/reference. */
export interface JvmSettings {
  /** `java.home`: where a JDK or JRE is. (Default: JAVA_HOME, or else the `java` on PATH) */
  readonly home: string | null;
  /** `jvm.options`: of all JVMs, before those of a folder. */
  readonly options: string;
  readonly heapMb: number;
  /** The largest `jvm.heap.mb` of a connector. */
  readonly maxHeapMb: number;
  /** `jvm.environment`: names of variables that JVMs get, too; a name may end with `*`. */
  readonly environment: readonly string[];
  readonly startTimeoutMs: number;
  /** How long a JVM without sessions stays. */
  readonly idleMs: number;
  /** How long a JVM may not answer before it is killed. 0: no limit. */
  readonly silenceMs: number;
  /** Null: no limit. */
  readonly maxJvms: number | null;
  /** Of MBeans, whose numbers are metrics: names; with `*` at the end, beginnings of names. */
  readonly mbeanDomains: readonly string[];
}
