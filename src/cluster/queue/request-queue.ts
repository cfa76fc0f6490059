/**
 * The tick's requests, run one at a time in order of due time and arrival. Source: connect-runtime §3.1.
 */
import { monotonicNow, settledWithin } from '@millrace/sdk';
import { HerderError } from '../errors';

interface Request {
  /** Absolute, milliseconds. */
  readonly due: number;
  run(): Promise<void>;
  reject(error: unknown): void;
}

export class RequestQueue {
  private readonly requests: Request[] = [];
  private closed = false;

  constructor(
    private readonly wake: () => void,
    private readonly now: () => number = monotonicNow,
  ) {}

  /**
   * Resolves with the result of `run`; rejects with its error, or when the worker shuts down first. `withdraw` cancels
   * a request that has not begun, which then rejects with the signal's reason.
   */
  async submit<T>(run: () => Promise<T>, delayMs = 0, withdraw?: AbortSignal): Promise<T> {
    return await new Promise<T>((resolve, reject) => {
      if (this.closed) {
        reject(shutdown());
        return;
      }
      const due = this.now() + delayMs;
      const request: Request = { due, reject, run: async () => await run().then(resolve, reject) };
      withdraw?.addEventListener('abort', () => {
        const at = this.requests.indexOf(request);
        if (at < 0) return;
        this.requests.splice(at, 1);
        reject(withdraw.reason);
      });
      const later = this.requests.findIndex((other) => other.due > due);
      this.requests.splice(later < 0 ? this.requests.length : later, 0, request);
      this.wake();
    });
  }

  /** Whether a request that does nothing runs within this time. It does not stay in the queue. */
  async isServed(withinMs: number): Promise<boolean> {
    const withdraw = new AbortController();
    const served = this.submit(async () => true, 0, withdraw.signal);
    const inTime = await settledWithin(served, withinMs, false);
    withdraw.abort();
    return inTime;
  }

  /** Runs the requests that are due, one by one, until `isInterrupted`. */
  async runDue(isInterrupted: () => boolean = () => false): Promise<void> {
    while (!isInterrupted() && this.requests[0] && this.requests[0].due <= this.now())
      await this.requests.shift()?.run();
  }

  /** Absolute, milliseconds; null when the queue is empty. */
  nextDue(): number | null {
    return this.requests[0]?.due ?? null;
  }

  close(): void {
    this.closed = true;
    for (const request of this.requests.splice(0)) request.reject(shutdown());
  }
}

function shutdown(): HerderError {
  return new HerderError(500, 'Worker is shutting down');
}
