/** How requests from outside reach the tick, and what they are told when it takes too long. Source: connect-rest §0.6, §2.6. */
import { within } from '../storage/retry';
import { HerderError, NotHereError } from './errors';
import type { RequestQueue } from './request-queue';
import type { TickStage } from './tick-stage';

/** Just under the REST layer's 90 s, so that its client reads what the worker was doing. */
export const REQUEST_TIMEOUT_MS = 89_000;

export interface Leadership {
  readonly isLeader: boolean;
  readonly leaderUrl: string | null;
}

export class TickRequests {
  constructor(
    private readonly queue: RequestQueue,
    private readonly stage: TickStage,
    private readonly leadership: Leadership,
  ) {}

  /** `stage` completes the sentence "The worker is currently …". */
  async run<T>(stage: string, run: () => Promise<T>): Promise<T> {
    return await within(
      this.queue.submit(async () => await this.stage.during(stage, run)),
      REQUEST_TIMEOUT_MS,
      () => new HerderError(500, this.stage.timedOut()),
    );
  }

  /** The same, by the leader alone: other workers answer NotHereError with the leader's URL. */
  async runAsLeader<T>(stage: string, run: () => Promise<T>): Promise<T> {
    return await this.run(stage, async () => {
      if (!this.leadership.isLeader) throw new NotHereError(this.leadership.leaderUrl);
      return await run();
    });
  }
}
