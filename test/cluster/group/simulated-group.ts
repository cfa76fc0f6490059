/** A group of workers that rebalance through the bytes of the protocol, without a broker. */
import {
  decodeAssignment,
  decodeMetadata,
  encodeMetadata,
  type Assignment,
  type MemberMetadata,
} from '../../../src/cluster/group/connect-protocol';
import { configuredWork, LeaderAssignment } from '../../../src/cluster/group/leader-assignment';
import { workerIdOf } from '../../../src/cluster/group/group-workers';
import { minus, NO_WORK, union, type Work } from '../../../src/cluster/group/work';
import type { ConfigSnapshot } from '../../../src/storage/config/config-snapshot';
import { ConfigState } from '../../../src/storage/config/config-state';
import { taskName } from '../../../src/tasks/task-id';

function snapshotOf(connectors: ReadonlyMap<string, number>): ConfigSnapshot {
  const state = new ConfigState();
  const put = (key: string, value: unknown): void => void state.apply(0, key, Buffer.from(JSON.stringify(value)));
  for (const [connector, tasks] of connectors) {
    put(`connector-${connector}`, { properties: {} });
    for (let task = 0; task < tasks; task++) put(`task-${connector}-${task}`, { properties: {} });
    put(`commit-${connector}`, { tasks });
  }
  put('other', {});
  return state.snapshot();
}

/** Names of connectors, and `connector-task`. */
export function items(work: Work): string[] {
  return [...work.connectors, ...work.tasks.map(taskName)].sort();
}

class Worker {
  owned: Work = NO_WORK;
  current: Assignment | null = null;
  completed = -1;
  /** Of the last assignment. */
  appliedAt = 0;
  readonly assignment: LeaderAssignment;

  constructor(
    readonly memberId: string,
    readonly url: string,
    readonly kind: 'ours' | 'java',
    maxDelay: number,
    now: () => number,
  ) {
    this.assignment = new LeaderAssignment(maxDelay, now);
  }
}

export class SimulatedGroup {
  clock = 1_000;
  /** Connector → number of tasks. */
  readonly connectors = new Map<string, number>();
  /** Work that members had to stop, as `worker item`. */
  readonly stops: string[] = [];
  private readonly workers = new Map<string, Worker>();
  /** What the status topic says: item → worker id. */
  private readonly statuses = new Map<string, string>();
  /** Member id. */
  private leader: string | null = null;
  private generation = 0;
  private members = 0;
  private lastSnapshot: { of: string; snapshot: ConfigSnapshot } | null = null;

  constructor(private readonly maxDelay: number) {}

  get present(): string[] {
    return [...this.workers.keys()];
  }
  get leaderName(): string | null {
    return [...this.workers].find(([, { memberId }]) => memberId === this.leader)?.[0] ?? null;
  }
  /** Milliseconds until the members rejoin; 0: none. */
  get delay(): number {
    return Math.max(0, ...[...this.workers.values()].map(({ current }) => current?.delay ?? 0));
  }
  work(name: string): Work {
    return this.workers.get(name)?.owned ?? NO_WORK;
  }
  /** Every worker's items. */
  owners(): Record<string, string[]> {
    return Object.fromEntries([...this.workers].map(([name, { owned }]) => [name, items(owned)]).sort());
  }
  /** Whether everything runs, once. */
  get isComplete(): boolean {
    const held = [...this.workers.values()].flatMap(({ owned }) => items(owned)).sort();
    return held.join() === items(configuredWork(this.snapshot())).join();
  }
  /** The largest difference between two members' numbers of connectors, or of tasks. */
  get imbalance(): number {
    return Math.max(
      ...(['connectors', 'tasks'] as const).map((kind) => {
        const loads = [...this.workers.values()].map(({ owned }) => owned[kind].length);
        return Math.max(...loads) - Math.min(...loads);
      }),
    );
  }

  create(count: number, tasks: number): this {
    const begin = this.connectors.size;
    for (let i = begin; i < begin + count; i++) this.connectors.set(`c${i}`, tasks);
    return this;
  }

  /** A process starts: it remembers nothing. */
  start(name: string, { kind = 'ours' as 'ours' | 'java', url = `http://${name}:8083/` } = {}): this {
    const worker = new Worker(`m${this.members++}-${name}`, url, kind, this.maxDelay, () => this.clock);
    this.workers.set(name, worker);
    return this;
  }
  stop(...names: string[]): this {
    for (const name of names) this.workers.delete(name);
    return this;
  }

  /**
   * One rebalance.
   *
   * @param elect chooses the leader when the last one is missing. (Default: the member that joined first)
   * @param unreached workers that do not receive their assignment.
   */
  rebalance(
    elect: (names: string[]) => string = ([first]) => first as string,
    unreached: readonly string[] = [],
  ): this {
    const leader = this.workers.get(this.leaderName ?? elect(this.present)) as Worker;
    this.leader = leader.memberId;
    const snapshot = this.snapshot();
    const members = new Map([...this.workers.values()].map((worker) => [worker.memberId, this.metadata(worker)]));
    const { assignments } = leader.assignment.assign({
      ...{ protocol: 'sessioned', members, leaderId: leader.memberId, snapshot },
      freshSnapshot: () => snapshot,
      lastCompletedGeneration: leader.completed,
      generation: ++this.generation,
      ranOn: (connector, task) => this.statuses.get(task === null ? connector : taskName({ connector, task })) ?? null,
    });
    for (const [name, worker] of this.workers) {
      if (unreached.includes(name)) continue;
      const assignment = decodeAssignment(assignments.get(worker.memberId) as Buffer);
      worker.completed = this.generation;
      worker.current = assignment;
      worker.appliedAt = this.clock;
      for (const item of items(assignment.revoked)) this.stops.push(`${name} ${item}`);
      worker.owned = union(minus(worker.owned, assignment.revoked), assignment.assigned);
      for (const item of items(assignment.assigned)) this.statuses.set(item, workerIdOf(worker.url));
    }
    return this;
  }

  /** Rebalances until nothing is revoked, waiting out every delay. */
  settle(elect?: (names: string[]) => string): this {
    for (let round = 0; round < 20; round++) {
      const before = this.stops.length;
      this.rebalance(elect);
      if (this.stops.length === before && this.delay === 0) return this;
      this.clock += this.delay;
    }
    throw new Error('the group does not settle');
  }

  private snapshot(): ConfigSnapshot {
    const of = JSON.stringify([...this.connectors]);
    if (this.lastSnapshot?.of !== of) this.lastSnapshot = { of, snapshot: snapshotOf(this.connectors) };
    return this.lastSnapshot.snapshot;
  }

  private metadata({ url, current, owned, kind, appliedAt }: Worker): MemberMetadata {
    const remaining = (delay: number): number => Math.max(0, delay - (this.clock - appliedAt));
    const missing = current?.missing && new Map([...current.missing].map(([name, delay]) => [name, remaining(delay)]));
    const allocation = current && { ...current, assigned: owned, revoked: NO_WORK, delay: 0, missing };
    const reserves = kind === 'ours';
    return decodeMetadata(encodeMetadata('sessioned', { url, configOffset: 1, allocation, reserves }));
  }
}
