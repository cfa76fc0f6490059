/** Signals sent to tasks in threads that have not answered yet. */
import type { TaskSignal } from '@millrace/sdk';
import { TaskSignalError } from '../task-signal-error';
import type { FromThread } from './task-thread-messages';
import type { Run } from './thread-handle';

interface Pending {
  readonly run: Run;
  resolve(): void;
  reject(error: TaskSignalError): void;
}

export class PendingSignals {
  private readonly pending = new Map<number, Pending>();
  private requests = 0;

  /** Rejects with a TaskSignalError. */
  async send(run: Run, signal: TaskSignal): Promise<void> {
    const request = ++this.requests;
    await new Promise<void>((resolve, reject) => {
      this.pending.set(request, { run, resolve, reject });
      run.thread.post({ type: 'signal', run: run.number, request, signal });
    });
  }

  answered({ request, failure }: Extract<FromThread, { type: 'signaled' }>): void {
    const pending = this.pending.get(request);
    this.pending.delete(request);
    if (failure === null) pending?.resolve();
    else pending?.reject(new TaskSignalError(failure.kind, failure.message));
  }

  /** The run answers no more. */
  ended(run: Run): void {
    for (const [request, pending] of this.pending) {
      if (pending.run !== run) continue;
      this.pending.delete(request);
      pending.reject(TaskSignalError.notRunning(run.spec.id));
    }
  }
}
