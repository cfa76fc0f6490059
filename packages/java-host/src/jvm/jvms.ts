import type { HostMap, HostValue } from '../wire/host-value';

/** The JVM that a session runs in. Equal keys share one. */
export interface JvmKey {
  readonly location: string;
  readonly classPath: readonly string[];
  /** It has a JVM of its own, because its config sizes it. (Default: it shares that of the location) */
  readonly connector?: string;
  /** `-Xmx` in MB. (Default: the folder's or the worker's) */
  readonly heapMb?: number;
}

export interface HostSession {
  /** The result of `open`. */
  readonly opened: HostMap;
  /** Rejects with the host's error, or once the connection has ended with the reason. */
  call(method: string, ...args: readonly HostValue[]): Promise<HostValue>;
  event(method: string, ...args: readonly HostValue[]): void;
  /** For calls and events from the host; the result of a call's handler is its answer. One handler for each method. */
  handle(method: string, handler: (...args: readonly HostValue[]) => unknown): void;
  /** Ends the session and all that it runs in the host. */
  close(): void;
  /** Resolves when the connection has ended: why, or null after `close`. */
  readonly ended: Promise<Error | null>;
}

/** Sessions in JVMs, from any thread of the process. */
export interface Jvms {
  /**
   * Starts the JVM if it does not run. `session` is the argument of `open`.
   * Rejects with ConnectError: `JAVA_MISSING`, `JAVA_HOST_NOT_BUILT`, `JVM_START_FAILED`, `JVM_ENDED`.
   */
  open(key: JvmKey, session: HostMap): Promise<HostSession>;
}
