/**
 * Work of departed workers, reserved until they return under their address or their delay is over. No I/O; holds the
 * leader's knowledge between rebalances.
 */
import { intersection, isEmpty, minus, NO_WORK, union, type Work } from './work';

/** What a group knows of its earlier generations, for a leader that did not lead the last one. */
export interface PastGenerations {
  /** Worker id of the worker that ran the connector (`task` null) or task last; null if unknown. */
  ranOn(connector: string, task: number | null): string | null;
  /** Worker id of each worker that was missing in the last generation → milliseconds until its delay is over. */
  readonly missing: ReadonlyMap<string, number>;
}

export interface SettledWork {
  /** Member id → the work of its worker, which has returned. */
  readonly returned: ReadonlyMap<string, Work>;
  /** Work whose delay is over. */
  readonly released: Work;
  /** When the next delay is over; absolute, milliseconds. Null: nothing is reserved. */
  readonly due: number | null;
}

/** Work and the worker that had it last. */
interface Home {
  /** Null: unknown. */
  readonly member: string | null;
  /** Null: unknown. */
  readonly worker: string | null;
  readonly work: Work;
  /** Absolute, milliseconds; null: the worker has not been missed yet. */
  readonly until: number | null;
}

export class Reservations {
  private homes: readonly Home[] = [];
  /** The members of the last rebalance. */
  private known: ReadonlySet<string> = new Set();

  constructor(
    private readonly maxDelay: number,
    private readonly now: () => number,
  ) {}

  /** Worker id of each missing worker → milliseconds until its delay is over. */
  get missing(): ReadonlyMap<string, number> {
    const now = this.now();
    const missing = new Map<string, number>();
    for (const { worker, until } of this.homes)
      if (worker !== null && until !== null) missing.set(worker, Math.max(0, Math.ceil(until - now)));
    return missing;
  }

  /** Reserved work, which no member has. */
  get reserved(): Work {
    return union(...this.homes.flatMap(({ until, work }) => (until === null ? [] : [work])));
  }

  forget(): void {
    this.homes = [];
    this.known = new Set();
  }

  /**
   * For a new leader: finds the departed workers' part of the work that no member reports, and returns it. The rest is
   * new, or was revoked from a member in the last generation.
   */
  adopt(
    unreported: Work,
    members: ReadonlyMap<string, Work>,
    workers: ReadonlyMap<string, string>,
    past: PastGenerations,
  ): Work {
    this.forget();
    const occupied = new Set([...workers].flatMap(([member, worker]) => (hasWork(members, member) ? [worker] : [])));
    const found = new Map<string, { connectors: string[]; tasks: { connector: string; task: number }[] }>();
    const of = (worker: string | null) => {
      if (worker === null || occupied.has(worker)) return null;
      const work = found.get(worker) ?? { connectors: [], tasks: [] };
      found.set(worker, work);
      return work;
    };
    for (const connector of unreported.connectors) of(past.ranOn(connector, null))?.connectors.push(connector);
    for (const id of unreported.tasks) of(past.ranOn(id.connector, id.task))?.tasks.push(id);
    const now = this.now();
    this.homes = [...found].map(([worker, work]) => {
      const delay = past.missing.get(worker);
      return { member: null, worker, work, until: delay === undefined ? null : now + Math.min(delay, this.maxDelay) };
    });
    return union(...found.values());
  }

  /**
   * Divides lost work.
   *
   * @param unknownUntil how long to keep work of unknown workers; absolute, milliseconds. (Default: for the delay)
   */
  settle(lost: Work, workers: ReadonlyMap<string, string>, unknownUntil: number | null = null): SettledWork {
    const now = this.now();
    const returned = new Map<string, Work>();
    if (isEmpty(lost)) {
      this.homes = [];
      return { returned, released: NO_WORK, due: null };
    }
    const held: Home[] = [];
    const released: Work[] = [];
    const ofUnknown = minus(lost, union(...this.homes.map(({ work }) => work)));
    const unknown: Home = { member: null, worker: null, work: ofUnknown, until: unknownUntil };
    for (const home of [...this.homes, unknown]) {
      const work = intersection(lost, home.work);
      if (isEmpty(work)) continue;
      const member = this.returnedMember(home, workers);
      const until = home.until ?? now + this.maxDelay;
      if (member !== null) returned.set(member, union(returned.get(member) ?? NO_WORK, work));
      else if (until <= now) released.push(work);
      else held.push({ ...home, work, until });
    }
    this.homes = held;
    const dues = held.map(({ until }) => until as number);
    return { returned, released: union(...released), due: dues.length === 0 ? null : Math.min(...dues) };
  }

  /** Keeps the result of a rebalance: each member's work, besides what is reserved. */
  record(shares: ReadonlyMap<string, Work>, workers: ReadonlyMap<string, string>): void {
    const present = [...shares].map(([member, work]) => ({
      ...{ member, worker: workers.get(member) ?? null, work },
      until: null,
    }));
    this.homes = [...present, ...this.homes.filter(({ until }) => until !== null)];
    this.known = new Set(shares.keys());
  }

  /** The member that the assignment did not reach, or the only new one under the address. */
  private returnedMember({ member, worker }: Home, workers: ReadonlyMap<string, string>): string | null {
    if (member !== null && workers.has(member)) return member;
    if (worker === null) return null;
    const [first, ...others] = [...workers].filter(([id, at]) => at === worker && !this.known.has(id));
    // Workers that share an address cannot be distinguished.
    return first !== undefined && others.length === 0 ? first[0] : null;
  }
}

function hasWork(members: ReadonlyMap<string, Work>, member: string): boolean {
  return !isEmpty(members.get(member) ?? NO_WORK);
}
