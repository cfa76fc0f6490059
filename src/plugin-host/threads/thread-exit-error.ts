/** Why a plugin thread ended, and the error for the callers that waited for it. */
import { ConnectError } from '@millrace/sdk';
import { errorFrom, type ErrorCopy } from '../protocol/error-copy';

export type PluginThreadExit =
  /** It did not return to its event loop. */
  | { readonly kind: 'silent'; readonly ms: number }
  /** It failed before its first turn of the event loop, without running plugin code. `reason` ends a sentence. */
  | { readonly kind: 'boot'; readonly reason: string }
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'memory' }
  | { readonly kind: 'crash'; readonly error: ErrorCopy; readonly owner: number; readonly call: number }
  /** The worker terminated it, because it was no longer needed. */
  | { readonly kind: 'closed' };

/** Retriable: a failed connector may be restarted. */
class PluginThreadError extends ConnectError {
  override readonly retriable = true;
}

export class ThreadExitError extends Error {
  constructor(
    readonly end: PluginThreadExit,
    /** What the thread was doing; empty: unknown. */
    readonly step: string,
    /** Number of the instance the step ran for; 0: unknown. */
    readonly owner: number,
    /** Number of the call the step ran for; 0: unknown. */
    readonly call = 0,
  ) {
    super(`The plugin thread has ended (${end.kind}).`);
    this.name = 'ThreadExitError';
  }

  /** No plugin caused the end of the thread. */
  get notCausedByPlugin(): boolean {
    return this.end.kind === 'closed' || this.end.kind === 'boot';
  }

  /** The error for users. `subject`: what was called; used when the step is unknown. */
  toConnectError(subject: string): ConnectError {
    const { end } = this;
    const step = this.step || subject;
    const capitalized = step.charAt(0).toUpperCase() + step.slice(1);
    switch (end.kind) {
      case 'silent':
        return new PluginThreadError(
          `${capitalized} did not return within ${end.ms} ms and was terminated (plugin.thread.silence.ms): correct the ` +
            'plugin, or simplify the value that it processes.',
          { code: 'PLUGIN_SILENT', place: { step } },
        );
      case 'boot':
        return new PluginThreadError(`A plugin thread could not start: ${end.reason}. No plugin caused this.`, {
          code: 'PLUGIN_THREAD_NOT_STARTED',
        });
      case 'exit':
        return threadDied(`${capitalized} called process.exit(${end.code}): correct the plugin.`, step);
      case 'memory':
        return threadDied(`${capitalized} ran out of memory: correct the plugin, or raise --max-old-space-size.`, step);
      case 'crash':
        return threadDied(
          `${capitalized} threw an uncaught error (${end.error.message}): correct the plugin.`,
          step,
          errorFrom(end.error),
        );
      case 'closed':
        return new ConnectError('The worker is stopping and no longer calls plugins.', {
          code: 'PLUGIN_CLOSED',
        });
    }
  }
}

function threadDied(message: string, step: string, cause?: Error): ConnectError {
  return new PluginThreadError(message, { code: 'PLUGIN_THREAD_DIED', place: { step }, cause });
}
