/**
 * Inside a task thread: attributes uncaught errors and `process.exit` to the task whose code caused them, instead of
 * losing the thread with all its tasks.
 */
import { ConnectError } from '@millrace/sdk';
import { registerOwner } from '../../threads/inspect-thread';
import type { ThreadServer } from './thread-server';

export function guardThread(server: ThreadServer): void {
  registerOwner(() => server.currentRun);
  process.exit = (code?: number | string | null): never => {
    const error = new ConnectError(`The code of this task called process.exit(${code ?? ''}).`, {
      code: 'TASK_THREAD_DIED',
    });
    server.onCrash(error);
    // Must not return to its caller. The worker terminates the thread once the other tasks have left it.
    throw error;
  };
  process.on('uncaughtException', (error) => server.onCrash(error));
}
