import { CooperativeAssignor, type CooperativeResult } from '../../../src/cluster/group/cooperative-assignor';
import { assignEagerly } from '../../../src/cluster/group/eager-assignor';
import { taskName } from '../../../src/tasks/task-id';
import { minus, NO_WORK, union, type Work } from '../../../src/cluster/group/work';

const MAX_DELAY = 300_000;

function configured(connectors: Record<string, number>): Work {
  return {
    connectors: Object.keys(connectors),
    tasks: Object.entries(connectors).flatMap(([connector, count]) =>
      Array.from({ length: count }, (_, task) => ({ connector, task })),
    ),
  };
}
const text = (work: Work | undefined): string =>
  [...(work?.connectors ?? []), ...(work?.tasks ?? []).map(taskName)].join(' ');

/** A group whose members follow the leader. */
class Group {
  clock = 1_000;
  readonly members = new Map<string, Work>();
  work: Work;
  private generation = 0;
  private completed = -1;
  private assignor: CooperativeAssignor;

  constructor(
    work: Work,
    private readonly maxDelay = MAX_DELAY,
  ) {
    this.work = work;
    this.assignor = new CooperativeAssignor(maxDelay, () => this.clock);
  }
  join(...names: string[]): this {
    for (const name of names) this.members.set(name, NO_WORK);
    return this;
  }
  leave(...names: string[]): this {
    for (const name of names) this.members.delete(name);
    return this;
  }
  newLeader(): this {
    this.assignor = new CooperativeAssignor(this.maxDelay, () => this.clock);
    return this;
  }
  /** `unreached`: members that never receive the result. */
  rebalance(...unreached: string[]): CooperativeResult {
    const result = this.assignor.assign({
      configured: this.work,
      members: new Map(this.members),
      lastCompletedGeneration: this.completed,
      generation: ++this.generation,
    });
    this.completed = this.generation;
    for (const [member, current] of this.members)
      if (!unreached.includes(member))
        this.members.set(
          member,
          union(minus(current, result.revoked.get(member) ?? NO_WORK), result.assigned.get(member) ?? NO_WORK),
        );
    return result;
  }
  /** Rebalances until nothing is revoked. */
  settle(): void {
    for (let round = 0; round < 10; round++) {
      const { revoked } = this.rebalance();
      if ([...revoked.values()].every((work) => text(work) === '')) return;
    }
    throw new Error('does not settle');
  }
  changes(result: CooperativeResult): Record<string, string> {
    const changes: Record<string, string> = {};
    for (const member of this.members.keys()) {
      const parts = [];
      const taken = text(result.revoked.get(member));
      const given = text(result.assigned.get(member));
      if (taken) parts.push(`-${taken}`);
      if (given) parts.push(`+${given}`);
      if (parts.length > 0) changes[member] = parts.join(' ');
    }
    return changes;
  }
  /** Every configured item is held exactly once. */
  complete(): boolean {
    const held = [...this.members.values()].map(text).join(' ').split(' ').filter(Boolean).sort();
    return held.join() === text(this.work).split(' ').filter(Boolean).sort().join();
  }
}

describe('connect-runtime 39: the reference trace', () => {
  test('rounds 1 to 12 and 14', () => {
    const group = new Group(configured({ c1: 4, c2: 4 })).join('w1');
    // 1
    expect(group.changes(group.rebalance())).toEqual({ w1: '+c1 c2 c1-0 c1-1 c1-2 c1-3 c2-0 c2-1 c2-2 c2-3' });
    // 2
    group.join('w2');
    let result = group.rebalance();
    expect(group.changes(result)).toEqual({ w1: '-c1 c1-0 c1-1 c1-2 c1-3' });
    expect(result.delay).toBe(0);
    // 3
    expect(group.changes(group.rebalance())).toEqual({ w2: '+c1 c1-0 c1-1 c1-2 c1-3' });
    // 4
    group.join('w3');
    expect(group.changes(group.rebalance())).toEqual({ w1: '-c2-0', w2: '-c1-0' });
    // 5
    expect(group.changes(group.rebalance())).toEqual({ w3: '+c1-0 c2-0' });
    group.rebalance();
    // 7
    group.leave('w2');
    result = group.rebalance();
    expect(group.changes(result)).toEqual({});
    expect(result.delay).toBe(300_000);
    // 8
    group.clock += 60_000;
    group.join('w2');
    result = group.rebalance();
    expect(group.changes(result)).toEqual({});
    expect(result.delay).toBe(240_000);
    // 9
    group.clock += 240_000;
    result = group.rebalance();
    expect(group.changes(result)).toEqual({ w2: '+c1 c1-1 c1-2 c1-3' });
    expect(result.delay).toBe(0);
    group.rebalance();
    // 11
    group.leave('w3');
    expect(group.rebalance().delay).toBe(300_000);
    // 12
    group.clock += 300_000;
    result = group.rebalance();
    expect(group.changes(result)).toEqual({ w1: '+c1-0', w2: '+c2-0' });
    expect(result.delay).toBe(0);
    expect(group.complete()).toBe(true);
    group.rebalance();
    // 14
    group.work = configured({ c1: 4 });
    result = group.rebalance();
    for (const [member, held] of [...result.owners]) {
      expect(text(held)).not.toContain('c2');
      expect(text(group.members.get(member))).not.toContain('c2');
    }
    group.settle();
    expect(group.complete()).toBe(true);
  });

  test('without a delay lost work is assigned in the same round and revocations are never deferred', () => {
    const group = new Group(configured({ c1: 4, c2: 4 }), 0).join('w1', 'w2');
    group.settle();
    group.leave('w2');
    expect(group.rebalance().delay).toBe(0);
    expect(group.complete()).toBe(true);
    group.join('w2');
    group.rebalance();
    group.join('w3');
    const result = group.rebalance();
    expect(result.delay).toBe(0);
    expect([...result.revoked.values()].some((work) => text(work) !== '')).toBe(true);
  });
});

test('connect-runtime 40: a worker that returns gets its work when the delay has expired', () => {
  const group = new Group(configured({ a: 2, b: 2 })).join('w1', 'w2');
  group.settle();
  const before = text(group.members.get('w2'));
  group.leave('w2');
  group.rebalance();
  group.join('w2');
  group.clock += MAX_DELAY - 1;
  expect(group.rebalance().delay).toBe(1);
  group.clock += 1;
  group.rebalance();
  expect(text(group.members.get('w2'))).toBe(before);
});

test('connect-runtime 40: a delay is in whole milliseconds: members are sent nothing finer, and 0 means none', () => {
  const group = new Group(configured({ a: 2, b: 2 })).join('w1', 'w2');
  group.settle();
  group.leave('w2');
  group.rebalance();
  group.clock += MAX_DELAY - 0.4;
  expect(group.rebalance().delay).toBe(1);
  group.clock += 1;
  expect(group.rebalance().delay).toBe(0);
  expect(group.complete()).toBe(true);
});

test('connect-runtime 41: a new leader assigns missing work at once', () => {
  const group = new Group(configured({ a: 2, b: 2 })).join('w1', 'w2');
  group.settle();
  group.leave('w1').newLeader();
  expect(group.rebalance().delay).toBe(0);
  expect(group.complete()).toBe(true);
});

test('connect-runtime 42: work that two members hold is revoked from both and then assigned once', () => {
  const group = new Group(configured({ a: 1 })).join('w1', 'w2');
  group.members.set('w1', configured({ a: 1 }));
  group.members.set('w2', { connectors: [], tasks: [{ connector: 'a', task: 0 }] });
  expect(group.changes(group.rebalance())).toEqual({ w1: '-a-0', w2: '-a-0' });
  group.settle();
  expect(group.complete()).toBe(true);
});

test('a lost revocation is repeated', () => {
  const group = new Group(configured({ a: 4 })).join('w1');
  group.rebalance();
  group.join('w2');
  group.rebalance('w1');
  expect(text(group.members.get('w1'))).toContain('a-0');
  group.clock += MAX_DELAY;
  for (let round = 0; round < 6; round++) {
    group.rebalance();
    group.clock += MAX_DELAY;
  }
  expect(group.complete()).toBe(true);
  expect(group.members.get('w1')?.tasks).toHaveLength(2);
});

test('a lost assignment is repeated at once if no member left', () => {
  const group = new Group(configured({ a: 2 })).join('w1', 'w2');
  group.rebalance('w2');
  expect(group.complete()).toBe(false);
  expect(group.rebalance().delay).toBe(0);
  expect(group.complete()).toBe(true);
});

test('connect-runtime 48: consecutive revoking rebalances back off', () => {
  const group = new Group(configured({ a: 64 })).join('w0');
  group.rebalance();
  const delays: number[] = [];
  for (let n = 1; n <= 12; n++) {
    group.join(`w${n}`);
    const { delay } = group.rebalance();
    if (delay > 0) {
      delays.push(delay);
      group.clock += delay;
    }
  }
  expect(delays.slice(0, 4)).toEqual([40, 1600, 64000, 300000]);
});

test('connect-runtime 114: loads differ by at most one when the group is stable', () => {
  const work: Record<string, number> = {};
  for (let i = 0; i < 100; i++) work[`c${i}`] = 1 + (i % 4);
  const group = new Group(configured(work)).join('w1');
  group.settle();
  group.join('w2', 'w3', 'w4', 'w5', 'w6', 'w7');
  group.settle();
  expect(group.complete()).toBe(true);
  for (const kind of ['connectors', 'tasks'] as const) {
    const loads = [...group.members.values()].map((held) => held[kind].length);
    expect(Math.max(...loads) - Math.min(...loads)).toBeLessThanOrEqual(1);
  }
});

test('the eager assignor assigns everything round-robin', () => {
  const assigned = assignEagerly(configured({ b: 2, a: 1 }), ['m2', 'm1']);
  expect(text(assigned.get('m1'))).toBe('a a-0 b-1');
  expect(text(assigned.get('m2'))).toBe('b b-0');
  expect(text(assignEagerly(configured({}), ['m']).get('m'))).toBe('');
});
