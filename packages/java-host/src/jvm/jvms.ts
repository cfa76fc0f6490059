import type { HostSession } from '../connection/host-session';
import type { HostMap } from '../wire/host-value';

export type { HostSession } from '../connection/host-session';

/** The JVM that a session runs in. Equal keys share one. Plain data. */
export interface JvmKey {
  readonly location: string;
  readonly classPath: readonly string[];
  /** It has a JVM of its own, because its config sizes it. (Default: it shares that of the location) */
  readonly connector?: string;
  /** `-Xmx` in MB. (Default: the folder's or the worker's) */
  readonly heapMb?: number;
}

/** Sessions in JVMs, from any thread of the process. */
export interface Jvms {
  /**
   * Starts the JVM if it does not run. `session` is the argument of `open`.
   * Rejects with the host's error, or with the ConnectError of a JVM that cannot be started or has ended.
   * @param signal nobody waits any more: what is being opened is closed
   */
  open(key: JvmKey, session: HostMap, signal?: AbortSignal): Promise<HostSession>;
}
