/**
 * Signals that wait for the stream. A channel waits until its signals are applied before it reads more, so the inbox
 * holds one batch per channel, and the callers of REST.
 */
import { ConnectError } from '@millrace/sdk';
import type { Signal } from './signal';
import type { MarkedChannel, SignalMark } from './signal-mark';

export interface WaitingSignal {
  readonly signal: Signal;
  /** Becomes part of the offset that has the effect. Null: the signal does not arrive again. */
  readonly mark: SignalMark | null;
  /** The effect of the signal survives a restart. */
  applied(): void;
  /** It has no effect. */
  rejected(error: unknown): void;
}

const MAX_WAITING = 1000;

export class SignalInbox {
  private waiting: WaitingSignal[] = [];
  /** What waited and was rejected then may be sent again: the channels must not mark it as read. */
  closed = false;
  /** Called when a signal arrives. */
  onSignal: (() => void) | null = null;
  /** Called when no signal up to the mark of the channel can arrive again. */
  onForget: ((channel: MarkedChannel) => void) | null = null;

  get size(): number {
    return this.waiting.length;
  }

  /** Resolves when the effect of the signal survives a restart; rejects when it has none. */
  async add(signal: Signal, mark: SignalMark | null = null): Promise<void> {
    if (this.closed) throw notStreaming();
    if (this.waiting.length >= MAX_WAITING)
      throw new ConnectError(`${MAX_WAITING} signals are waiting already; send it again later.`, { code: 'PG_SIGNAL' });
    await new Promise<void>((applied, rejected) => {
      this.waiting.push({ signal, mark, applied, rejected });
      this.onSignal?.();
    });
  }

  take(): WaitingSignal[] {
    return this.waiting.splice(0);
  }

  /** Rejects what is waiting and what follows. */
  close(): void {
    this.closed = true;
    for (const { rejected } of this.take()) rejected(notStreaming());
  }
}

function notStreaming(): ConnectError {
  return new ConnectError('The task is stopping, so it accepts no signals.', { code: 'PG_SIGNAL' });
}
