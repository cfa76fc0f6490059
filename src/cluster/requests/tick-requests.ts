/**
 * Runs REST requests on the tick, and answers those that take too long. Source: connect-rest §0.6, §2.6.
 */
import { startTimer, withDeadline, monotonicNow } from '@millrace/sdk';
import { isOvertaken, type OvertakenChange } from '../../storage/config/config-change';
import { CONFLICT, HerderError, NO_LEADER, NotHereError } from '../errors';
import type { SuspensionDetector } from '../group/suspension-detector';
import type { RequestQueue } from '../queue/request-queue';
import type { TickStage } from '../queue/tick-stage';

/** Just below the REST layer's 90 s, so that the client receives the stage that the worker is in. */
export const REQUEST_TIMEOUT_MS = 89_000;

/** How long a request waits for a rebalance. The client's own timeout may not be longer. */
const REBALANCE_WAIT_MS = 30_000;

const READ_TIMEOUT_MS = 30_000;

export interface LeaderView {
  readonly isLeader: boolean;
  readonly leaderUrl: string | null;
  /** A rebalance is due or in progress. */
  readonly needsJoin: boolean;
}

/** The config topic, as far as it has been read. */
export interface ReadConfigs {
  snapshot(): { readonly offset: number };
  readToEnd(timeoutMs: number): Promise<void>;
}

export interface TickRequestsOptions {
  readonly queue: RequestQueue;
  readonly stage: TickStage;
  readonly leadership: LeaderView;
  readonly configs: ReadConfigs;
  /** Detects suspensions of this process from now on. */
  readonly detectSuspension: () => Pick<SuspensionDetector, 'wasSuspended' | 'end'>;
  readonly rebalanceWaitMs?: number;
}

export class TickRequests {
  constructor(private readonly options: TickRequestsOptions) {}

  /**
   * `stage` completes the sentence "The worker is currently …". Requests run between rebalances. One that waits too
   * long for a rebalance is refused with 409, one that waits too long for other requests with 500; neither runs later.
   */
  async run<T>(stage: string, run: () => Promise<T>, timeoutMs = REQUEST_TIMEOUT_MS): Promise<T> {
    const { queue, leadership, rebalanceWaitMs = REBALANCE_WAIT_MS } = this.options;
    const withdraw = new AbortController();
    const timer = startTimer(() => {
      if (!leadership.needsJoin) return;
      withdraw.abort(new HerderError(409, leadership.leaderUrl === null ? NO_LEADER : CONFLICT));
    }, rebalanceWaitMs);
    try {
      return await withDeadline(
        queue.submit(async () => await this.options.stage.during(stage, run), 0, withdraw.signal),
        timeoutMs,
        () => {
          const late = new HerderError(500, this.options.stage.timedOut());
          withdraw.abort(late);
          return late;
        },
      );
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * The same, on the leader alone: other workers throw NotHereError with the leader's URL. A change that was decided
   * but not written before the membership was lost is decided again after the rejoin, unless the process was suspended:
   * by then, the client may have sent another request to another worker.
   */
  async runAsLeader<T>(stage: string, run: () => Promise<T>): Promise<T> {
    const suspension = this.options.detectSuspension();
    const deadline = monotonicNow() + REQUEST_TIMEOUT_MS;
    const attempt = { doubt: null as OvertakenChange | null, offset: -1 };
    try {
      for (;;) {
        try {
          return await this.run(stage, async () => await this.decide(run, attempt), deadline - monotonicNow());
        } catch (error) {
          if (attempt.doubt !== null) throw attempt.doubt;
          if (!isOvertaken(error) || suspension.wasSuspended || monotonicNow() >= deadline) throw error;
          if (error.code === 'CONFIG_WRITE_IN_DOUBT') attempt.doubt = error;
        }
      }
    } finally {
      suspension.end();
    }
  }

  /** A write in doubt did not happen if no worker has written to the config topic since it was decided. */
  private async decide<T>(run: () => Promise<T>, attempt: { doubt: unknown; offset: number }): Promise<T> {
    const { leadership, configs } = this.options;
    if (!leadership.isLeader) throw new NotHereError(() => this.leaderElsewhere());
    if (attempt.doubt !== null) {
      await configs.readToEnd(READ_TIMEOUT_MS);
      if (configs.snapshot().offset !== attempt.offset) throw attempt.doubt;
      attempt.doubt = null;
    }
    attempt.offset = configs.snapshot().offset;
    return await run();
  }

  private leaderElsewhere(): string | null {
    const { leadership } = this.options;
    return leadership.isLeader ? null : leadership.leaderUrl;
  }
}
