/** Why a plugin thread has ended, and the sentence for whoever was waiting for it. */
import { ConnectError } from '@millrace/sdk';
import { errorFrom, type ErrorCopy } from '../protocol/error-copy';

export type PluginThreadExit =
  /** It did not come back to its event loop. */
  | { readonly kind: 'silent'; readonly ms: number }
  /** It has not come to its first turn of the event loop: no plugin was in it yet. `reason` ends a sentence. */
  | { readonly kind: 'boot'; readonly reason: string }
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'memory' }
  | { readonly kind: 'crash'; readonly error: ErrorCopy; readonly owner: number; readonly call: number }
  /** The worker needs it no more. */
  | { readonly kind: 'closed' };

/** As after any accident, a connector may be started again. */
class PluginThreadError extends ConnectError {
  override readonly retriable = true;
}

export class ThreadExitError extends Error {
  constructor(
    readonly end: PluginThreadExit,
    /** What it was doing; empty: unknown. */
    readonly step: string,
    /** The instance that it was doing it for; 0: unknown. */
    readonly owner: number,
    /** The call that it was doing it for; 0: unknown. */
    readonly call = 0,
  ) {
    super(`The plugin thread has ended (${end.kind}).`);
    this.name = 'ThreadExitError';
  }

  /** No plugin has ended it. */
  get notCausedByPlugin(): boolean {
    return this.end.kind === 'closed' || this.end.kind === 'boot';
  }

  /** What a person is told. `subject` is what was asked for, where the thread left no note. */
  explained(subject: string): ConnectError {
    const { end } = this;
    const step = this.step || subject;
    const subjectUp = step.charAt(0).toUpperCase() + step.slice(1);
    switch (end.kind) {
      case 'silent':
        return new PluginThreadError(
          `${subjectUp} did not come back within ${end.ms} ms and was ended (plugin.thread.silence.ms): correct the plugin, or simplify ` +
            'the value that it works on.',
          { code: 'PLUGIN_SILENT', place: { step } },
        );
      case 'boot':
        return new PluginThreadError(
          `A thread for plugins could not start: ${end.reason}. The fault is not a plugin's.`,
          { code: 'PLUGIN_THREAD_NOT_STARTED' },
        );
      case 'exit':
        return died(`${subjectUp} called process.exit(${end.code}): correct the plugin.`, step);
      case 'memory':
        return died(`${subjectUp} ran out of memory: correct the plugin, or raise --max-old-space-size.`, step);
      case 'crash':
        return died(
          `${subjectUp} left an error that nobody caught (${end.error.message}): correct the plugin.`,
          step,
          errorFrom(end.error),
        );
      case 'closed':
        return new ConnectError('The worker is stopping and asks plugins for nothing more.', {
          code: 'PLUGIN_CLOSED',
        });
    }
  }
}

function died(message: string, step: string, cause?: Error): ConnectError {
  return new PluginThreadError(message, { code: 'PLUGIN_THREAD_DIED', place: { step }, cause });
}
