/** A service or storage that does not answer, or is busy, as the connection of the task. */
import type { TaskConnection } from '@millrace/sdk';
import type { ServiceError } from './service-error';

/**
 * Errors that no retry can help are an answer: they change nothing.
 * @param doing what failed, as the start of a sentence
 * @param waitMs until the next attempt; null: there is none
 */
export function reportUnavailable(
  connection: Pick<TaskConnection, 'down'>,
  doing: string,
  { message, kind, code }: ServiceError,
  waitMs: number | null,
): void {
  if (kind === 'permanent') return;
  const reason = `${doing}: ${message}`;
  connection.down({ reason, code, ...(waitMs !== null && { nextTryAt: Date.now() + waitMs }) });
}
