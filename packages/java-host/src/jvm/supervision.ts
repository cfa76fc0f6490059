/** What threads ask the supervisor, and how. */
import type { JvmFailure } from './jvm-errors';
import type { JvmKey } from './jvms';

/** A JVM that runs, to which a thread may connect soon. */
export interface Grant {
  readonly jvm: number;
  readonly socketPath: string;
}

export interface Supervision {
  /** Starts the JVM if it does not run. Rejects with JvmError. */
  grant(key: JvmKey): Promise<Grant>;
  /** Why the JVM has ended or is about to; null: it runs, or is forgotten. */
  cause(jvm: number): Promise<JvmFailure | null>;
}
