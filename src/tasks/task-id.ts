import type { TaskId } from './host';

/** `name-0`, as Java prints it. Unique per worker. */
export function taskName(id: TaskId): string {
  return `${id.connector}-${id.task}`;
}
