import type { ConnectorTaskId } from '../../connector-task-id';

/** Java's: a Java worker that takes over the task fences this one, and the other way round. */
export function taskTransactionalId(groupId: string, { connector, task }: ConnectorTaskId): string {
  return `${groupId}-${connector}-${task}`;
}
