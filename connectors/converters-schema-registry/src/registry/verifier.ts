/**
 * Asks a registry now and then whether the answers in use still hold. Nobody waits for that: records go on with what is
 * known until the registry says otherwise. Without uses there are no timers, so that nothing outlives the tasks.
 */
import { isRetriable, monotonicNow, startTimer } from '@millrace/sdk';
import { VerifiedLease, type Finding } from './lease';

const INTERVAL_MS = 5 * 60_000;
/** Between two rounds, however often the registry goes and comes. */
const PAUSE_MS = 5_000;
const MOST_LEASES = 10_000;

export class Verifier {
  /** Those used since they were checked. */
  private readonly leases = new Set<VerifiedLease>();
  /** What was checked before may be of another registry. */
  private suspectAt = -Infinity;
  private notBefore = -Infinity;
  private isChecking = false;
  private timer: NodeJS.Timeout | null = null;
  private timerAt = Infinity;

  lease(check: () => Promise<Finding>): VerifiedLease {
    return new VerifiedLease(check, this.used);
  }

  /** The registry was away, or is asked at another address: it may be another one. */
  readonly suspect = (): void => {
    this.suspectAt = monotonicNow();
    this.schedule();
  };

  private readonly used = (lease: VerifiedLease): void => {
    const { leases } = this;
    if (leases.has(lease)) return;
    if (leases.size >= MOST_LEASES) this.forget(leases.values().next().value as VerifiedLease);
    leases.add(lease);
    if (!this.isChecking) this.startTimer(dueAt(lease, this.suspectAt));
  };

  private forget(lease: VerifiedLease): void {
    this.leases.delete(lease);
    lease.isUsed = false;
  }

  private schedule(): void {
    if (this.isChecking) return;
    let at = Infinity;
    for (const lease of this.leases) at = Math.min(at, dueAt(lease, this.suspectAt));
    this.startTimer(at);
  }

  private startTimer(dueTime: number): void {
    const at = Math.max(dueTime, this.notBefore);
    if (at >= this.timerAt) return;
    if (this.timer !== null) clearTimeout(this.timer);
    this.timerAt = at;
    this.timer = startTimer(() => void this.round(), at - monotonicNow()).unref();
  }

  private async round(): Promise<void> {
    this.timer = null;
    this.timerAt = Infinity;
    this.isChecking = true;
    // Those that would be due soon, too: so that rounds are few.
    const until = monotonicNow() + INTERVAL_MS / 2;
    const due = [...this.leases].filter((lease) => dueAt(lease, this.suspectAt) <= until);
    for (const lease of due) this.forget(lease);
    for (const lease of due) if (!(await this.check(lease))) break;
    this.isChecking = false;
    this.notBefore = monotonicNow() + PAUSE_MS;
    this.schedule();
  }

  /** False: the registry is away, and may be another one once it is back. */
  private async check(lease: VerifiedLease): Promise<boolean> {
    try {
      lease.found(await lease.check());
    } catch (error) {
      if (isRetriable(error)) {
        this.suspectAt = monotonicNow();
        return false;
      }
      // Other refusals say nothing about the answer.
    }
    lease.checkedAt = monotonicNow();
    return true;
  }
}

/** By `monotonicNow()`. */
function dueAt({ checkedAt }: VerifiedLease, suspectAt: number): number {
  return checkedAt < suspectAt ? -Infinity : checkedAt + INTERVAL_MS;
}
