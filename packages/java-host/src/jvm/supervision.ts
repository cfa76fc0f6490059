/** What threads ask the supervisor, and how. */
import type { JvmFailure } from './jvm-errors';
import type { JvmKey } from './jvms';

/** A JVM that runs, to which a thread may connect soon. */
export interface Grant {
  readonly jvm: number;
  /** Of this grant: the JVM stays until `settled` is called with it, or a while has passed. */
  readonly hold: number;
  readonly socketPath: string;
}

export interface Supervision {
  /**
   * Starts the JVM if it does not run. Rejects with JvmError.
   * @param connector whose config is sent there; null: none
   */
  grant(key: JvmKey, connector: string | null): Promise<Grant>;
  /** The session of a grant has been opened, or will not be. */
  settled(jvm: number, hold: number): void;
  /** Why the JVM has ended or is about to; null: it runs, or is forgotten. */
  cause(jvm: number): Promise<JvmFailure | null>;
}
