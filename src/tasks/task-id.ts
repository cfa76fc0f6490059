import type { ConnectorTaskId } from '../connector-task-id';
import type { TaskSpec } from './host';

/** `name-0`, as Java prints it. Unique per worker. */
export function taskName(id: ConnectorTaskId): string {
  return `${id.connector}-${id.task}`;
}

/**
 * As in Java: the task's class, so that one level reaches all tasks of a kind; the lines themselves name connector and
 * task.
 */
export function taskLoggerName({ taskConfig, connectorClass }: TaskSpec): string {
  return taskConfig['task.class'] ?? connectorClass;
}
