/** Whether a task is connected to its external system, and what it waits for: part of its health. Plain data. */

export interface TaskProblem {
  /** `disconnected`: the plugin says so. `retrying`: its `poll` or `put` throws RetriableErrors. */
  readonly kind: 'disconnected' | 'retrying';
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** One sentence, without secrets. */
  readonly reason: string;
  readonly code: string | null;
  /** Milliseconds since the epoch; null: unknown. */
  readonly nextTryAt: number | null;
}

export interface TaskCondition {
  /** Null: the plugin does not say. */
  readonly isConnected: boolean | null;
  readonly problem: TaskProblem | null;
}

export const UNKNOWN_CONDITION: TaskCondition = { isConnected: null, problem: null };
