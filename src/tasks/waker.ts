/**
 * Waiting that can be cut short. One waiter at a time, and nothing stays attached to long-lived promises, so a loop may
 * wait through it for ever. A wake without a waiter is lost: look at the reason for waking before each wait.
 */
import { startTimer } from '@millrace/sdk';

export class Waker {
  private release: (() => void) | null = null;

  /** Resolves after the time or when woken. */
  async sleep(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    try {
      await new Promise<void>((resolve) => {
        this.release = resolve;
        timer = startTimer(resolve, ms);
      });
    } finally {
      clearTimeout(timer);
      this.release = null;
    }
  }

  /** Resolves with the promise or when woken; rejects with the promise. */
  async orWoken(promise: Promise<unknown>): Promise<void> {
    try {
      await new Promise<void>((resolve, reject) => {
        this.release = resolve;
        promise.then(() => resolve(), reject);
      });
    } finally {
      this.release = null;
    }
  }

  /** Resolves when woken. */
  async woken(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.release = resolve;
    });
    this.release = null;
  }

  wake(): void {
    this.release?.();
  }
}

/** Lets timers, sockets and messages have their turn. */
export function breathe(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The promise's value, or `late` after `ms`. What comes later is ignored, a rejection included. */
export async function within<T, L>(promise: Promise<T>, ms: number, late: L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<L>((resolve) => {
    timer = startTimer(() => resolve(late), ms);
  });
  promise.catch(() => undefined);
  try {
    return await Promise.race([promise, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
