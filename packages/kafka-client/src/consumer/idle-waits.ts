/**
 * How long a fetch may wait at a broker. A response comes with the first record, so that a longer wait delays none;
 * while a consumer is idle, waits grow, and the lanes of a broker unite in one request. Pure.
 */
import type { FetchSettings } from './consumer-settings';

/** How long a request may wait for that of the other lane to end, so that both continue as one. */
const UNITE_MS = 10;

type Settings = Pick<FetchSettings, 'maxWaitMs' | 'maxIdleWaitMs'>;

export class IdleWaits {
  /** Per node, when records came last; absent: no request was sent yet. Milliseconds. */
  private readonly quietSince = new Map<number, number>();
  /** Per lane, `node/lane`, when the wait of its request ends. */
  private readonly due = new Map<string, number>();

  constructor(private readonly settings: Settings) {}

  /**
   * The wait of the next request.
   *
   * @param other the other lane of the node
   */
  next(node: number, other: string, now: number): number {
    const { maxWaitMs, maxIdleWaitMs } = this.settings;
    const quietMs = this.quietMs(node, now);
    if (quietMs < maxWaitMs * 2) return maxWaitMs;
    const due = this.due.get(other);
    // The other lane stays free for partitions that are assigned, sought or resumed meanwhile.
    if (due === undefined) return Math.round(Math.min(Math.max(quietMs / 2, maxWaitMs), maxIdleWaitMs));
    return Math.round(Math.min(Math.max(due - now, 1), maxWaitMs));
  }

  /** Until when a request should not be sent, because that of the other lane is about to end. Null: send it. */
  heldUntil(node: number, other: string, now: number): number | null {
    const due = this.due.get(other);
    if (due === undefined || this.quietMs(node, now) < this.settings.maxWaitMs * 2) return null;
    const until = due + UNITE_MS;
    return due - now < UNITE_MS && until > now ? until : null;
  }

  sent(lane: string, due: number): void {
    this.due.set(lane, due);
  }

  ended(lane: string): void {
    this.due.delete(lane);
  }

  received(node: number, now: number): void {
    this.quietSince.set(node, now);
  }

  private quietMs(node: number, now: number): number {
    const { maxWaitMs, maxIdleWaitMs } = this.settings;
    if (maxIdleWaitMs <= maxWaitMs) return 0;
    const since = this.quietSince.get(node);
    if (since === undefined) this.quietSince.set(node, now);
    return now - (since ?? now);
  }
}
