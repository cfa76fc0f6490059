/**
 * Repeats a request while the page is visible: one at a time, less often while it fails, and none while it is hidden.
 */
import { RequestError } from '../api/request';

/** Event of the document: the caller has signed in, again or as another user. */
export const SIGNED_IN = 'millrace:signed-in';

export interface PollState<T> {
  readonly data: T | null;
  /** When `data` arrived, by the browser's clock. */
  readonly at: number | null;
  /** Of the last request, if it failed. */
  readonly error: Error | null;
  /** `data` is from before the failure. */
  readonly isStale: boolean;
}

export interface PollOptions<T> {
  readonly load: (signal: AbortSignal, previous: T | null) => Promise<T>;
  readonly intervalMs?: number;
  readonly onChange: (state: PollState<T>) => void;
}

export const POLL_INTERVAL_MS = 2000;
const MOST_BACKOFF_MS = 15_000;

export function backoffMs(intervalMs: number, failures: number): number {
  return failures === 0 ? intervalMs : Math.min(MOST_BACKOFF_MS, intervalMs * 2 ** (failures - 1));
}

export class Poll<T> {
  state: PollState<T> = { data: null, at: null, error: null, isStale: false };
  private readonly intervalMs: number;
  private timer: number | undefined;
  private inFlight: AbortController | null = null;
  private failures = 0;
  private isStopped = false;

  constructor(private readonly options: PollOptions<T>) {
    this.intervalMs = options.intervalMs ?? POLL_INTERVAL_MS;
  }

  start(): void {
    this.isStopped = false;
    document.addEventListener('visibilitychange', this.refresh);
    document.addEventListener(SIGNED_IN, this.refresh);
    addEventListener('online', this.refresh);
    this.refresh();
  }

  stop(): void {
    this.isStopped = true;
    document.removeEventListener('visibilitychange', this.refresh);
    document.removeEventListener(SIGNED_IN, this.refresh);
    removeEventListener('online', this.refresh);
    clearTimeout(this.timer);
    this.inFlight?.abort();
    this.inFlight = null;
  }

  /** Requests now, unless a request is in flight or the page is hidden. */
  readonly refresh = (): void => {
    clearTimeout(this.timer);
    if (!this.isStopped && document.visibilityState === 'visible' && this.inFlight === null) void this.request();
  };

  private async request(): Promise<void> {
    const controller = new AbortController();
    this.inFlight = controller;
    let state: PollState<T>;
    try {
      const data = await this.options.load(controller.signal, this.state.data);
      state = { data, at: Date.now(), error: null, isStale: false };
      this.failures = 0;
    } catch (error) {
      state = { ...this.state, error: error as Error, isStale: this.state.data !== null };
      this.failures++;
    }
    // Stopped meanwhile, or started again.
    if (this.inFlight !== controller) return;
    this.inFlight = null;
    this.state = state;
    this.options.onChange(state);
    // Without credentials, the next request waits for them.
    const needsSignIn = state.error instanceof RequestError && state.error.status === 401;
    if (document.visibilityState === 'visible' && !needsSignIn)
      this.timer = window.setTimeout(this.refresh, backoffMs(this.intervalMs, this.failures));
  }
}
