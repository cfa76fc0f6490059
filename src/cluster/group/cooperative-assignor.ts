/**
 * Incremental cooperative assignment, for the protocols `compatible` and `sessioned`: moves as little work as possible
 * and delays the reassignment of a departed worker's work. No I/O; holds the leader's state between rebalances. Source:
 * connect-runtime §2.5.
 */
import type { ConnectorTaskId } from '../../connector-task-id';
import { balancingRevocations, placeItems, type Share } from './balance';
import { Reservations, type PastGenerations } from './reservations';
import { taskName } from '../../tasks/task-id';
import { intersection, isEmpty, minus, NO_WORK, union, type Work } from './work';

export interface CooperativeInput {
  readonly configured: Work;
  /** Member id → the work that it reports as running. */
  readonly members: ReadonlyMap<string, Work>;
  /** Generation of the last rebalance that this worker completed. */
  readonly lastCompletedGeneration: number;
  readonly generation: number;
  /** Null: a member may be Java's, so Java's rules hold. (Default: null) */
  readonly reserving?: ReservingGroup | null;
}

/** A group whose leader reserves the work of departed workers and returns it at once when they are back. */
export interface ReservingGroup {
  /** Member id → worker id. */
  readonly workers: ReadonlyMap<string, string>;
  /** Null: there was no earlier generation, so all work that no member reports is new. */
  readonly past: PastGenerations | null;
}

export interface CooperativeResult {
  readonly assigned: ReadonlyMap<string, Work>;
  readonly revoked: ReadonlyMap<string, Work>;
  /** Milliseconds until all members must rejoin; 0: none. */
  readonly delay: number;
  /** Member id → its work after this rebalance, for routing requests. */
  readonly owners: ReadonlyMap<string, Work>;
  /** Worker id of each worker whose work is reserved → milliseconds until its delay is over. */
  readonly missing: ReadonlyMap<string, number>;
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
  /** Members that joined during the delay, in order: they receive the lost work when it is over. */
  private readonly candidates = new Set<string>();
  private readonly reservations: Reservations;

  constructor(
    private readonly maxDelay: number,
    private readonly now: () => number,
  ) {
    this.reservations = new Reservations(maxDelay, now);
  }

  assign(input: CooperativeInput): CooperativeResult {
    const { configured, members, generation, reserving = null } = input;
    const active = union(...members.values());
    this.recall(input, active);

    const deleted = minus(this.previousAssignment, configured);
    const duplicated = ownedTwice(members.values());
    const lost = minus(minus(this.previousAssignment, active), deleted);
    const created = minus(minus(configured, this.previousAssignment), active);

    const revoked = new Map<string, Work>();
    const shares: Share[] = [];
    for (const [member, current] of members) {
      revoked.set(member, intersection(current, union(deleted, duplicated)));
      const next = minus(minus(current, deleted), duplicated);
      shares.push({ member, connectors: [...next.connectors], tasks: [...next.tasks] });
    }

    const reassign = reserving ? this.reserve(lost, shares, reserving) : this.reassignable(lost, shares);
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
    if (reserving) this.reservations.record(owners, reserving.workers);
    else this.reservations.forget();
    return { assigned, revoked, delay: this.delay, owners, missing: this.reservations.missing };
  }

  /** Corrects what this worker remembers of the last rebalance. */
  private recall({ configured, members, lastCompletedGeneration, reserving }: CooperativeInput, active: Work): void {
    // A member did not receive its revocation.
    const unrevoked = !isEmpty(intersection(this.previousRevocation, active));
    if (this.previousGeneration >= 0 && this.previousGeneration === lastCompletedGeneration) {
      if (unrevoked) this.previousAssignment = union(active, this.reservations.reserved);
      return;
    }
    // Another member led the last generation, if there was one.
    this.previousAssignment = unrevoked ? active : NO_WORK;
    if (!reserving?.past) this.reservations.forget();
    else {
      const adopted = this.reservations.adopt(minus(configured, active), members, reserving.workers, reserving.past);
      this.previousAssignment = union(this.previousAssignment, adopted);
    }
  }

  /** Reserves the work of departed workers. Returns the part that may be reassigned now. */
  private reserve(lost: Work, shares: readonly Share[], { workers }: ReservingGroup): Work {
    const now = this.now();
    // Of a Java worker, which this leader knows no address of.
    const unknownUntil = this.scheduledRebalance > 0 || this.allPresent(shares) ? this.scheduledRebalance : undefined;
    const { returned, released, due } = this.reservations.settle(lost, workers, unknownUntil);
    for (const share of shares) {
      const work = returned.get(share.member) ?? NO_WORK;
      share.connectors.push(...work.connectors);
      share.tasks.push(...work.tasks);
    }
    const rest = isEmpty(released) ? NO_WORK : this.assignToCandidates(released, shares);
    if (due === null) {
      const backsOff = this.revokedInPrevious && this.scheduledRebalance > 0;
      if (!this.revokedInPrevious) this.resetDelay();
      else if (backsOff && now >= this.scheduledRebalance) {
        this.resetDelay();
        this.revokedInPrevious = false;
      } else if (backsOff) this.delay = Math.ceil(this.scheduledRebalance - now);
      return rest;
    }
    if (!isEmpty(released)) this.candidates.clear();
    this.addCandidates(shares);
    this.delay = Math.min(Math.ceil(due - now), this.maxDelay);
    this.scheduledRebalance = now + this.delay;
    return rest;
  }

  /** Handles the work of departed workers. Returns the part that may be reassigned now. */
  private reassignable(lost: Work, shares: readonly Share[]): Work {
    const now = this.now();
    if (isEmpty(lost) && !this.revokedInPrevious) {
      this.resetDelay();
      return NO_WORK;
    }
    // No member left, so an assignment was not delivered.
    if (this.scheduledRebalance <= 0 && this.allPresent(shares)) return lost;
    if (this.maxDelay === 0) return lost;
    if (this.scheduledRebalance > 0 && now >= this.scheduledRebalance) {
      const rest = this.assignToCandidates(lost, shares);
      this.resetDelay();
      this.revokedInPrevious = false;
      return rest;
    }
    this.addCandidates(shares);
    // Members receive whole milliseconds. A fraction would become 0, and no member would rejoin.
    const remaining = Math.ceil(this.scheduledRebalance - now);
    this.delay = remaining > 0 ? Math.min(remaining, this.maxDelay) : this.maxDelay;
    this.scheduledRebalance = now + this.delay;
    return NO_WORK;
  }

  private allPresent(shares: readonly Share[]): boolean {
    const present = new Set(shares.map((share) => share.member));
    return [...this.previousMembers].every((member) => present.has(member));
  }

  private addCandidates(shares: readonly Share[]): void {
    for (const share of shares)
      if (share.connectors.length === 0 && share.tasks.length === 0) this.candidates.add(share.member);
  }

  private assignToCandidates(lost: Work, shares: readonly Share[]): Work {
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

function ownedTwice(works: Iterable<Work>): Work {
  const connectors = new Map<string, number>();
  const tasks = new Map<string, { task: ConnectorTaskId; owners: number }>();
  for (const work of works) {
    for (const connector of work.connectors) connectors.set(connector, (connectors.get(connector) ?? 0) + 1);
    for (const task of work.tasks) {
      const seen = tasks.get(taskName(task));
      if (seen) seen.owners++;
      else tasks.set(taskName(task), { task, owners: 1 });
    }
  }
  return {
    connectors: [...connectors].flatMap(([connector, owners]) => (owners > 1 ? [connector] : [])),
    tasks: [...tasks.values()].flatMap(({ task, owners }) => (owners > 1 ? [task] : [])),
  };
}
