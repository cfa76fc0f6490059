/** How a task says whether it is connected to the system that it reads from or writes to. */

export interface ConnectionProblem {
  /** One sentence that names the system and the cause. Must not contain secrets. */
  readonly reason: string;
  /** Stable code of the error, for instance `PG_CONNECTION_LOST`. (Default: none) */
  readonly code?: string;
  /** When the task tries again, milliseconds since the epoch. (Default: unknown) */
  readonly nextTryAt?: number;
}

/**
 * Part of the task's health, which `GET /connectors/{name}/health`, the console, `millrace status` and the metric
 * `millrace_task_connected` show. While a task is disconnected, the lags that it publishes count as unknown. Until the
 * first call the connection is unknown. The worker itself reports calls that throw a RetriableError: a task need not.
 */
export interface TaskConnection {
  /** The system answers. As cheap as an assignment while nothing changes: call it after every success. */
  up(): void;
  /** The system does not answer. Repeat it for each attempt that fails: the first call of a row counts as its begin. */
  down(problem: ConnectionProblem): void;
}
