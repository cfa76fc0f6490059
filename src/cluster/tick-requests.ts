/** How requests from outside reach the tick, and what they are told when it takes too long. Source: connect-rest §0.6, §2.6. */
import { startTimer } from '@millrace/sdk';
import { within } from '../storage/retry';
import { CONFLICT, HerderError, NO_LEADER, NotHereError } from './errors';
import type { RequestQueue } from './request-queue';
import type { TickStage } from './tick-stage';

/** Just under the REST layer's 90 s, so that its client reads what the worker was doing. */
export const REQUEST_TIMEOUT_MS = 89_000;

/** A request that a rebalance keeps waiting for longer is given back: its client's own patience may be no longer. */
const REBALANCE_PATIENCE_MS = 30_000;

export interface Leadership {
  readonly isLeader: boolean;
  readonly leaderUrl: string | null;
  /** A rebalance is due or under way. */
  readonly needsJoin: boolean;
}

export class TickRequests {
  constructor(
    private readonly queue: RequestQueue,
    private readonly stage: TickStage,
    private readonly leadership: Leadership,
    private readonly rebalancePatienceMs = REBALANCE_PATIENCE_MS,
  ) {}

  /**
   * `stage` completes the sentence "The worker is currently …". Requests run between rebalances; one that a rebalance outlasts is refused
   * with 409 and never run.
   */
  async run<T>(stage: string, run: () => Promise<T>): Promise<T> {
    const withdraw = new AbortController();
    const patience = startTimer(() => {
      if (!this.leadership.needsJoin) return;
      withdraw.abort(new HerderError(409, this.leadership.leaderUrl === null ? NO_LEADER : CONFLICT));
    }, this.rebalancePatienceMs);
    try {
      return await within(
        this.queue.submit(async () => await this.stage.during(stage, run), 0, withdraw.signal),
        REQUEST_TIMEOUT_MS,
        () => new HerderError(500, this.stage.timedOut()),
      );
    } finally {
      clearTimeout(patience);
    }
  }

  /** The same, by the leader alone: other workers answer NotHereError with the leader's URL. */
  async runAsLeader<T>(stage: string, run: () => Promise<T>): Promise<T> {
    return await this.run(stage, async () => {
      if (!this.leadership.isLeader) throw new NotHereError(() => this.leaderElsewhere());
      return await run();
    });
  }

  private leaderElsewhere(): string | null {
    return this.leadership.isLeader ? null : this.leadership.leaderUrl;
  }
}
