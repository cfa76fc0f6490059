/**
 * Inside a task thread: what would take the thread and all its tasks down is told of the one task whose code did it.
 */
import { ConnectError } from '@millrace/sdk';
import { answerOwner } from '../../threads/thread-view';
import type { ThreadServer } from './thread-server';

export function guardThread(server: ThreadServer): void {
  answerOwner(() => server.currentRun);
  process.exit = (code?: number | string | null): never => {
    const error = new ConnectError(`The code of this task called process.exit(${code ?? ''}).`, {
      code: 'TASK_THREAD_DIED',
    });
    server.crashed(error);
    // It must not return to its caller; the worker ends the thread once the other tasks have left it.
    throw error;
  };
  process.on('uncaughtException', (error) => server.crashed(error));
}
