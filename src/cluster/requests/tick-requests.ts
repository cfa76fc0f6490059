/**
 * How requests from outside reach the tick, and what they are told when it takes too long. Source: connect-rest §0.6,
 * §2.6.
 */
import { startTimer, withDeadline, monotonicNow } from '@millrace/sdk';
import { isOvertaken, type OvertakenChange } from '../../storage/config-change';
import { CONFLICT, HerderError, NO_LEADER, NotHereError } from '../errors';
import type { Pulse } from '../group/pulse';
import type { RequestQueue } from '../queue/request-queue';
import type { TickStage } from '../queue/tick-stage';

/** Just under the REST layer's 90 s, so that its client reads what the worker was doing. */
export const REQUEST_TIMEOUT_MS = 89_000;

/** A request that a rebalance keeps waiting for longer is given back: its client's own patience may be no longer. */
const REBALANCE_PATIENCE_MS = 30_000;

const READ_TIMEOUT_MS = 30_000;

export interface Leadership {
  readonly isLeader: boolean;
  readonly leaderUrl: string | null;
  /** A rebalance is due or under way. */
  readonly needsJoin: boolean;
}

/** Of the config topic, as far as it has been read. */
export interface ReadConfigs {
  snapshot(): { readonly offset: number };
  readToEnd(timeoutMs: number): Promise<void>;
}

export interface TickRequestsOptions {
  readonly queue: RequestQueue;
  readonly stage: TickStage;
  readonly leadership: Leadership;
  readonly configs: ReadConfigs;
  /** Whether this process stands still from now on. */
  readonly pulse: () => Pick<Pulse, 'isSteady' | 'end'>;
  readonly rebalancePatienceMs?: number;
}

export class TickRequests {
  constructor(private readonly options: TickRequestsOptions) {}

  /**
   * `stage` completes the sentence "The worker is currently …". Requests run between rebalances; one that a rebalance
   * outlasts is refused with 409 and never run, nor is one whose turn does not come in time.
   */
  async run<T>(stage: string, run: () => Promise<T>, timeoutMs = REQUEST_TIMEOUT_MS): Promise<T> {
    const { queue, leadership, rebalancePatienceMs = REBALANCE_PATIENCE_MS } = this.options;
    const withdraw = new AbortController();
    const patience = startTimer(() => {
      if (!leadership.needsJoin) return;
      withdraw.abort(new HerderError(409, leadership.leaderUrl === null ? NO_LEADER : CONFLICT));
    }, rebalancePatienceMs);
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
      clearTimeout(patience);
    }
  }

  /**
   * The same, by the leader alone: other workers answer NotHereError with the leader's URL. What it decided and did not
   * write before its membership was lost is decided anew once the group is joined again, unless this process was
   * asleep: its client may be gone by then, and have asked somebody else for something else.
   */
  async runAsLeader<T>(stage: string, run: () => Promise<T>): Promise<T> {
    const pulse = this.options.pulse();
    const deadline = monotonicNow() + REQUEST_TIMEOUT_MS;
    const attempt = { doubt: null as OvertakenChange | null, offset: -1 };
    try {
      for (;;) {
        try {
          return await this.run(stage, async () => await this.lead(run, attempt), deadline - monotonicNow());
        } catch (error) {
          if (attempt.doubt !== null) throw attempt.doubt;
          if (!isOvertaken(error) || !pulse.isSteady || monotonicNow() >= deadline) throw error;
          if (error.code === 'CONFIG_WRITE_IN_DOUBT') attempt.doubt = error;
        }
      }
    } finally {
      pulse.end();
    }
  }

  /** What is in doubt was not written if nobody has written anything since it was decided. */
  private async lead<T>(run: () => Promise<T>, attempt: { doubt: unknown; offset: number }): Promise<T> {
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
