/** Whether workers that return under their address get back what they had, and no other work stops. */
import { seeded } from '../../helpers/seeded';
import { items, SimulatedGroup } from './simulated-group';

const DELAY = 20_000;

/** Workers w1, w2… that share connectors with two tasks each. */
function group(workers: number, connectors: number): SimulatedGroup {
  const simulated = new SimulatedGroup(DELAY).create(connectors, 2);
  for (let n = 1; n <= workers; n++) simulated.start(`w${n}`).settle();
  simulated.settle();
  simulated.stops.length = 0;
  return simulated;
}

describe('a worker that returns within the delay', () => {
  test.each(['w1', 'w2', 'w3'])('%s gets its work at once, and nothing else moves', (name) => {
    const three = group(3, 20);
    const before = three.owners();
    three.stop(name).rebalance();
    expect(three.delay).toBe(DELAY);
    expect(three.isComplete).toBe(false);
    three.clock += 4_000;
    three.start(name).rebalance();
    expect(three.owners()).toEqual(before);
    expect(three.delay).toBe(0);
    expect(three.settle().owners()).toEqual(before);
    expect(three.stops).toEqual([]);
  });

  test('its return is in the same rebalance as its departure', () => {
    const three = group(3, 20);
    const before = three.owners();
    three.stop('w1').start('w1').rebalance();
    expect(three.owners()).toEqual(before);
    expect(three.delay).toBe(0);
  });

  test('leads at once, knowing only the status topic', () => {
    const three = group(3, 20);
    const before = three.owners();
    three
      .stop('w1')
      .start('w1')
      .rebalance(() => 'w1');
    expect(three.leaderName).toBe('w1');
    expect(three.owners()).toEqual(before);
    expect(three.stops).toEqual([]);
  });

  test('two of three are away, one of them the leader, and return one after the other', () => {
    const three = group(3, 20);
    const before = three.owners();
    three.stop('w2').rebalance();
    three.clock += 1_000;
    three.stop('w1').rebalance();
    expect(three.owners()).toEqual({ w3: before.w3 });
    three.clock += 3_000;
    three.start('w1').rebalance();
    expect(three.owners()).toEqual({ w1: before.w1, w3: before.w3 });
    expect(three.delay).toBeGreaterThan(0);
    three.start('w2').rebalance();
    expect(three.owners()).toEqual(before);
    expect(three.delay).toBe(0);
    expect(three.stops).toEqual([]);
  });

  test('its connectors were deleted and others created meanwhile: these start at once', () => {
    const three = group(3, 6);
    const [gone] = three.work('w2').connectors as [string];
    three.stop('w2').rebalance();
    three.connectors.delete(gone);
    three.connectors.set('new', 2);
    three.rebalance();
    expect(['w1', 'w3'].flatMap((name) => items(three.work(name)))).toEqual(
      expect.arrayContaining(['new', 'new-0', 'new-1']),
    );
    three.start('w2').settle();
    expect(three.isComplete).toBe(true);
    expect(three.settle().imbalance).toBeLessThanOrEqual(1);
  });

  test('its assignment is lost on the way: the next rebalance repeats it', () => {
    const three = group(3, 20);
    const before = three.owners();
    three.stop('w3').rebalance().start('w3').rebalance(undefined, ['w3']).rebalance();
    expect(three.owners()).toEqual(before);
    expect(three.stops).toEqual([]);
  });

  test('a revocation is lost meanwhile: its work stays reserved', () => {
    const three = group(3, 6);
    const mine = items(three.work('w3'));
    const [gone] = three.work('w2').connectors as [string];
    three.stop('w3').rebalance();
    three.connectors.delete(gone);
    three.rebalance(undefined, ['w2']).rebalance();
    expect(three.delay).toBeGreaterThan(0);
    const others = ['w1', 'w2'].flatMap((name) => items(three.work(name)));
    expect(others.filter((item) => mine.includes(item))).toEqual([]);
    expect(three.start('w3').settle().isComplete).toBe(true);
  });
});

describe('the delay', () => {
  test('is each worker’s own', () => {
    const three = group(3, 20);
    const before = three.owners();
    three.stop('w2').rebalance();
    three.clock += 15_000;
    three.stop('w3').rebalance();
    expect(three.delay).toBe(5_000);
    three.clock += 5_000;
    three.rebalance();
    expect(items(three.work('w1'))).toEqual([...(before.w1 ?? []), ...(before.w2 ?? [])].sort());
    expect(three.delay).toBe(15_000);
    three.start('w3').rebalance();
    expect(items(three.work('w3'))).toEqual(expect.arrayContaining(before.w3 ?? []));
    expect(three.delay).toBe(0);
  });

  test('continues under another leader', () => {
    const three = group(3, 20);
    three.stop('w3').rebalance();
    three.clock += 15_000;
    three.stop('w1').rebalance();
    expect(three.leaderName).toBe('w2');
    expect(three.delay).toBe(5_000);
    three.clock += 5_000;
    three.rebalance();
    expect(three.delay).toBe(15_000);
    three.clock += 15_000;
    three.rebalance();
    expect(three.delay).toBe(0);
    expect(three.isComplete).toBe(true);
  });

  test('is over: the work is spread, and a worker that returns later is balanced with few moves', () => {
    const three = group(3, 20);
    three.stop('w3').rebalance();
    three.clock += DELAY;
    three.rebalance();
    expect(three.isComplete).toBe(true);
    expect(three.imbalance).toBeLessThanOrEqual(1);
    three.start('w3').settle();
    expect(three.isComplete).toBe(true);
    expect(three.imbalance).toBeLessThanOrEqual(1);
    expect(three.stops).toHaveLength(6 + 13);
  });

  test('is over: a worker that came under another address receives the work', () => {
    const three = group(3, 20);
    const before = three.owners();
    three.stop('w3').rebalance();
    three.clock += 4_000;
    three.start('pod-2').rebalance();
    expect(three.owners()).toMatchObject({ w1: before.w1, w2: before.w2, 'pod-2': [] });
    expect(three.delay).toBe(DELAY - 4_000);
    three.clock += DELAY - 4_000;
    three.rebalance();
    expect(items(three.work('pod-2'))).toEqual(before.w3);
    expect(three.stops).toEqual([]);
  });

  test('of 0 reassigns lost work at once', () => {
    const two = new SimulatedGroup(0).create(4, 2).start('w1').start('w2').settle();
    two.stop('w1').rebalance();
    expect(two.delay).toBe(0);
    expect(two.isComplete).toBe(true);
  });
});

test('a group whose workers have all been restarted waits for none of them', () => {
  const three = group(3, 20);
  three.stop('w1', 'w2', 'w3');
  three.start('w2').rebalance();
  expect(three.delay).toBe(0);
  expect(three.isComplete).toBe(true);
});

test('workers that share an address cannot be distinguished: their work waits as under Java’s rules', () => {
  const shared = { url: 'http://localhost:8083/' };
  const three = new SimulatedGroup(DELAY).create(6, 2);
  for (const name of ['w1', 'w2', 'w3']) three.start(name, shared).settle();
  three.stop('w2', 'w3').rebalance();
  three.start('w2', shared).start('w3', shared).rebalance();
  expect(three.delay).toBe(DELAY);
  three.clock += DELAY;
  three.settle();
  expect(three.isComplete).toBe(true);
  expect(three.imbalance).toBeLessThanOrEqual(1);
});

describe('connect-runtime 40, 41: Java’s rules hold while a Java worker is a member', () => {
  test('a worker that returns waits for the end of the delay', () => {
    const three = group(2, 6).start('java', { kind: 'java' }).settle();
    const before = three.owners();
    three.stop('w2').rebalance();
    three.start('w2').rebalance();
    expect(three.owners()).toEqual({ ...before, w2: [] });
    expect(three.delay).toBe(DELAY);
    three.clock += DELAY;
    three.rebalance();
    expect(three.owners()).toEqual(before);
  });

  test('the last Java worker leaves and returns: its work waits for the end of the delay', () => {
    const two = new SimulatedGroup(DELAY).create(6, 2).start('w1').start('java', { kind: 'java' }).settle();
    const before = two.owners();
    two.stop('java').rebalance();
    expect(two.owners()).toEqual({ w1: before.w1 });
    expect(two.delay).toBe(DELAY);
    two.clock += 8_000;
    two.start('java', { kind: 'java' }).rebalance();
    expect(two.owners()).toEqual({ ...before, java: [] });
    expect(two.delay).toBe(DELAY - 8_000);
    two.clock += DELAY - 8_000;
    two.rebalance();
    expect(two.owners()).toEqual(before);
    two.stop('java').rebalance();
    two.clock += DELAY;
    two.rebalance();
    expect(two.isComplete).toBe(true);
  });

  test('a leader that follows a Java worker assigns its work at once', () => {
    const two = new SimulatedGroup(DELAY).create(6, 2).start('java', { kind: 'java' }).start('w1').settle();
    two.stop('java').rebalance();
    expect(two.delay).toBe(0);
    expect(two.isComplete).toBe(true);
  });

  test('a Java worker that joins during the delay does not end it', () => {
    const three = group(3, 6);
    three.stop('w3').rebalance();
    three.clock += 5_000;
    three.start('java', { kind: 'java' }).rebalance();
    expect(three.delay).toBe(DELAY - 5_000);
    three.stop('java').rebalance();
    expect(three.delay).toBeGreaterThan(0);
    three.clock += DELAY;
    three.settle();
    expect(three.isComplete).toBe(true);
  });
});

describe('generated restarts', () => {
  test.each(Array.from({ length: 25 }, (_, seed) => seed))('seed %i: no task of a surviving worker stops', (seed) => {
    const random = seeded(seed);
    const elect = (names: string[]): string => random.one(names);
    const size = 2 + random.below(5);
    const cluster = group(size, 1 + random.below(40));
    const before = cluster.owners();
    const names = cluster.present;
    const away = new Map<string, number>();
    /** Have not been in a rebalance since their start. */
    const fresh = new Set<string>();
    for (let step = 0; step < 60; step++) {
      cluster.clock += random.below(4_000);
      for (const name of names) {
        const left = away.get(name);
        // At least one worker always stays, and none is away for the whole delay.
        if (left === undefined && away.size + fresh.size < size - 1 && random.chance(0.2)) {
          cluster.stop(name);
          fresh.delete(name);
          away.set(name, cluster.clock);
        } else if (left !== undefined && (random.chance(0.3) || cluster.clock - left > DELAY - 8_000)) {
          cluster.start(name);
          away.delete(name);
          fresh.add(name);
        }
      }
      // Several departures and returns may share one rebalance, or a worker restarts within it.
      if (fresh.size === 0 && random.chance(0.2)) continue;
      cluster.rebalance(elect);
      fresh.clear();
      for (const name of cluster.present) expect([[], before[name]]).toContainEqual(items(cluster.work(name)));
    }
    for (const name of away.keys()) cluster.start(name);
    cluster.rebalance(elect);
    expect(cluster.owners()).toEqual(before);
    expect(cluster.settle(elect).delay).toBe(0);
    expect(cluster.stops).toEqual([]);
  });

  test.each(Array.from({ length: 25 }, (_, seed) => seed))(
    'seed %i: all work runs once when all has settled',
    (seed) => {
      const random = seeded(1_000 + seed);
      const elect = (names: string[]): string => random.one(names);
      const cluster = group(3, 1 + random.below(20));
      for (let step = 0; step < 40; step++) {
        cluster.clock += random.below(15_000);
        const name = `w${1 + random.below(5)}`;
        if (!cluster.present.includes(name)) cluster.start(name, { kind: random.chance(0.1) ? 'java' : 'ours' });
        else if (cluster.present.length > 1) cluster.stop(name);
        if (random.chance(0.2)) cluster.create(1, random.below(4));
        const [deleted] = [...cluster.connectors.keys()];
        if (random.chance(0.1) && deleted !== undefined) cluster.connectors.delete(deleted);
        const unreached = random.chance(0.2) ? [elect(cluster.present)] : [];
        if (random.chance(0.8)) cluster.rebalance(elect, unreached);
        const held = cluster.present.flatMap((one) => items(cluster.work(one)));
        // A member that did not hear of its revocation may run work that another has, until the next rebalance.
        if (unreached.length === 0 && cluster.stops.length === 0) expect(new Set(held).size).toBe(held.length);
      }
      for (let round = 0; round < 10; round++) {
        cluster.rebalance(elect);
        cluster.clock += DELAY;
      }
      cluster.settle(elect);
      expect(cluster.isComplete).toBe(true);
      expect(cluster.imbalance).toBeLessThanOrEqual(1);
    },
  );
});
