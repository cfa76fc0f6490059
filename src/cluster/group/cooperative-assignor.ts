/**
 * Keeps work where it is, moves only what must move, and waits a while for a worker that left: protocols `compatible`
 * and `sessioned`. No I/O; remembers what the leader must remember between rebalances. Source: connect-runtime §2.5.
 */
import type { ConnectorTaskId } from '../../connector-task-id';
import { balancingRevocations, placeItems, type Share } from './balance';
import { taskName } from '../../tasks/task-id';
import { intersection, isEmpty, minus, NO_WORK, union, type Work } from './work';

export interface CooperativeInput {
  readonly configured: Work;
  /** What each member says it runs. */
  readonly members: ReadonlyMap<string, Work>;
  /** Generation of the last rebalance that this worker saw to its end. */
  readonly lastCompletedGeneration: number;
  readonly generation: number;
}

export interface CooperativeResult {
  readonly assigned: ReadonlyMap<string, Work>;
  readonly revoked: ReadonlyMap<string, Work>;
  /** Milliseconds until everyone must rejoin; 0: none. */
  readonly delay: number;
  /** Who runs what once this rebalance is over, for routing requests. */
  readonly owners: ReadonlyMap<string, Work>;
}

export class CooperativeAssignor {
  private previousAssignment: Work = NO_WORK;
  private previousRevocation: Work = NO_WORK;
  private previousGeneration = -1;
  private previousMembers: ReadonlySet<string> = new Set();
  /** Absolute time, milliseconds; 0: none. */
  private scheduledRebalance = 0;
  private delay = 0;
  private revokedInPrevious = false;
  private successiveRevocations = 0;
  /** Members that came while work was lost, in order: they get it when the delay is over. */
  private readonly candidates = new Set<string>();

  constructor(
    private readonly maxDelay: number,
    private readonly now: () => number,
  ) {}

  assign({ configured, members, lastCompletedGeneration, generation }: CooperativeInput): CooperativeResult {
    // Somebody else led meanwhile: what this worker remembers is not what was assigned.
    if (this.previousGeneration !== lastCompletedGeneration) this.previousAssignment = NO_WORK;
    const active = union(...members.values());
    // Some member never heard of its revocation.
    if (!isEmpty(intersection(this.previousRevocation, active))) this.previousAssignment = active;

    const deleted = minus(this.previousAssignment, configured);
    const duplicated = heldTwice(members.values());
    const lost = minus(minus(this.previousAssignment, active), deleted);
    const created = minus(minus(configured, this.previousAssignment), active);

    const revoked = new Map<string, Work>();
    const shares: Share[] = [];
    for (const [member, current] of members) {
      revoked.set(member, intersection(current, union(deleted, duplicated)));
      const next = minus(minus(current, deleted), duplicated);
      shares.push({ member, connectors: [...next.connectors], tasks: [...next.tasks] });
    }

    const reassign = this.handleLost(lost, shares);
    if (this.delay === 0) this.balance(configured, shares, revoked);
    else this.revokedInPrevious = false;
    placeItems(created, reassign, shares);

    const assigned = new Map<string, Work>();
    const owners = new Map<string, Work>();
    for (const share of shares) {
      const current = members.get(share.member) ?? NO_WORK;
      assigned.set(share.member, minus(share, minus(current, deleted)));
      owners.set(share.member, minus(share, revoked.get(share.member) ?? NO_WORK));
    }
    const allRevoked = union(...revoked.values());
    this.previousAssignment = union(minus(union(...shares), allRevoked), lost);
    this.previousRevocation = allRevoked;
    this.previousGeneration = generation;
    this.previousMembers = new Set(members.keys());
    return { assigned, revoked, delay: this.delay, owners };
  }

  /** Decides what to do about work whose worker is gone; resolves to what may be assigned again now. */
  private handleLost(lost: Work, shares: readonly Share[]): Work {
    const now = this.now();
    if (isEmpty(lost) && !this.revokedInPrevious) {
      this.resetDelay();
      return NO_WORK;
    }
    const present = new Set(shares.map((share) => share.member));
    // Nobody left: an assignment did not arrive.
    if (this.scheduledRebalance <= 0 && [...this.previousMembers].every((member) => present.has(member))) return lost;
    if (this.maxDelay === 0) return lost;
    if (this.scheduledRebalance > 0 && now >= this.scheduledRebalance) {
      const rest = this.giveToCandidates(lost, shares);
      this.resetDelay();
      this.revokedInPrevious = false;
      return rest;
    }
    for (const share of shares)
      if (share.connectors.length === 0 && share.tasks.length === 0) this.candidates.add(share.member);
    // Whole milliseconds are what members are sent: of a fraction nothing would be left, and nobody would come back.
    const remaining = Math.ceil(this.scheduledRebalance - now);
    this.delay = remaining > 0 ? Math.min(remaining, this.maxDelay) : this.maxDelay;
    this.scheduledRebalance = now + this.delay;
    return NO_WORK;
  }

  private giveToCandidates(lost: Work, shares: readonly Share[]): Work {
    const workers = [...this.candidates].flatMap((member) => shares.find((share) => share.member === member) ?? []);
    if (workers.length === 0) return lost;
    lost.connectors.forEach((connector, i) => workers[i % workers.length]?.connectors.push(connector));
    lost.tasks.forEach((task, i) => workers[i % workers.length]?.tasks.push(task));
    return NO_WORK;
  }

  private resetDelay(): void {
    this.candidates.clear();
    this.scheduledRebalance = 0;
    this.delay = 0;
  }

  private balance(configured: Work, shares: readonly Share[], revoked: Map<string, Work>): void {
    const revocations = balancingRevocations(configured, shares);
    if (revocations.size === 0) {
      if (this.revokedInPrevious) {
        this.revokedInPrevious = false;
        this.successiveRevocations = 0;
      }
      return;
    }
    if (this.revokedInPrevious) {
      this.successiveRevocations++;
      this.delay = Math.min(40 ** this.successiveRevocations, this.maxDelay);
      if (this.delay !== 0) {
        this.scheduledRebalance = this.now() + this.delay;
        return;
      }
    } else this.revokedInPrevious = true;
    for (const share of shares) {
      const taken = revocations.get(share.member);
      if (!taken) continue;
      revoked.set(share.member, union(revoked.get(share.member) ?? NO_WORK, taken));
      const kept = minus(share, taken);
      share.connectors = [...kept.connectors];
      share.tasks = [...kept.tasks];
    }
  }
}

function heldTwice(works: Iterable<Work>): Work {
  const connectors = new Map<string, number>();
  const tasks = new Map<string, { task: ConnectorTaskId; holders: number }>();
  for (const work of works) {
    for (const connector of work.connectors) connectors.set(connector, (connectors.get(connector) ?? 0) + 1);
    for (const task of work.tasks) {
      const seen = tasks.get(taskName(task));
      if (seen) seen.holders++;
      else tasks.set(taskName(task), { task, holders: 1 });
    }
  }
  return {
    connectors: [...connectors].flatMap(([connector, holders]) => (holders > 1 ? [connector] : [])),
    tasks: [...tasks.values()].flatMap(({ task, holders }) => (holders > 1 ? [task] : [])),
  };
}
