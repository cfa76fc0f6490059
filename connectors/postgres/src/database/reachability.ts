/** Whether the server answers: what a task reports as its connection, and without which its figures are unknown. */
import { monotonicNow, type ConnectionProblem, type TaskConnection } from '@millrace/sdk';
import { databaseError, errorText } from './errors';

/** `stream`: the replication connection. `queries`: the others; any of them may find that the server answers. */
export type Link = 'stream' | 'queries';

interface Attempt {
  /** Until the next attempt, in milliseconds. (Default: unknown) */
  readonly waitMs?: number;
  /** (Default: that of the error) */
  readonly code?: string;
}

export class Reachability {
  private readonly problems = new Map<Link, ConnectionProblem>();
  private answeredAt = -Infinity;
  private isReported = false;

  constructor(private readonly connection: TaskConnection) {}

  /** One of them does not work. */
  get isDown(): boolean {
    return this.problems.size > 0;
  }

  /** Whether anything has arrived since this time of `monotonicNow`. */
  answeredSince(at: number): boolean {
    return this.answeredAt > at;
  }

  /** Something has arrived. Cheap while nothing changes. */
  up(link: Link): void {
    this.answeredAt = monotonicNow();
    if (!this.problems.delete(link) && this.isReported) return;
    this.report();
  }

  /** @param what has happened, as the start of a sentence */
  down(link: Link, what: string, error: unknown, { waitMs, code }: Attempt = {}): void {
    this.problems.set(link, {
      reason: `${what}: ${errorText(error)}`,
      code: code ?? databaseError(what, error).code,
      ...(waitMs !== undefined && { nextTryAt: Date.now() + waitMs }),
    });
    this.report();
  }

  private report(): void {
    this.isReported = true;
    // The stream's has the next attempt.
    const problem = this.problems.get('stream') ?? this.problems.get('queries');
    if (problem === undefined) this.connection.up();
    else this.connection.down(problem);
  }
}
