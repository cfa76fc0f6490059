/** Why a task did not accept a signal. */
import type { ConnectorTaskId } from '../connector-task-id';
import { taskName } from './task-id';

/** `rejected`: the plugin does not accept this signal. */
export type SignalFailure = 'not running' | 'unsupported' | 'rejected';

export class TaskSignalError extends Error {
  constructor(
    readonly failure: SignalFailure,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.name = 'TaskSignalError';
  }

  static notRunning(id: ConnectorTaskId): TaskSignalError {
    return new TaskSignalError('not running', `Task ${taskName(id)} is not running, so it accepts no signals`);
  }
}
