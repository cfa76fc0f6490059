import type { SourcePartition } from '@millrace/sdk';
import { OffsetTracker } from '../../../src/tasks/source/offset-tracker';

const A = { file: 'a' };
const B = { file: 'b' };
const taken = (tracker: OffsetTracker): unknown[] => [...tracker.takeCommittable().values()];

describe('connect-runtime 68: only the acknowledged prefix of each source partition may be stored', () => {
  test('acknowledgements out of order', () => {
    const tracker = new OffsetTracker();
    const [one, two, three] = [1, 2, 3].map((n) => tracker.add(A, { n })) as [number, number, number];
    tracker.endBatch();
    tracker.acknowledge(two);
    tracker.acknowledge(three);
    expect(taken(tracker)).toEqual([]);
    tracker.acknowledge(one);
    expect(taken(tracker)).toEqual([{ partition: A, offset: { n: 3 } }]);
    expect(taken(tracker)).toEqual([]);
    expect(tracker.size).toBe(0);
  });

  test('partitions do not wait for each other, equal ones are one', () => {
    const tracker = new OffsetTracker();
    tracker.add(A, { n: 1 });
    const b = tracker.add(B, { n: 2 });
    const again = tracker.add({ file: 'b' }, { n: 3 });
    tracker.endBatch();
    tracker.acknowledge(again);
    expect(taken(tracker)).toEqual([]);
    tracker.acknowledge(b);
    expect(taken(tracker)).toEqual([{ partition: B, offset: { n: 3 } }]);
  });

  test('partitions are distinguished as in the offsets topic: member order and type count, 1n is 1, null is one', () => {
    const tracker = new OffsetTracker();
    const partitions: (SourcePartition | null)[] = [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
      { a: 1n },
      { a: 1 },
      { a: '1' },
      null,
    ];
    for (const partition of partitions) tracker.acknowledge(tracker.add(partition, { n: 1 }));
    tracker.endBatch();
    const distinct = (taken(tracker) as { partition: unknown }[]).map(({ partition }) => partition);
    const inOrder = distinct.map((p) => Object.entries(p ?? {}).join(' '));
    expect(inOrder.sort()).toEqual(['', 'a,1', 'a,1', 'a,1 b,2', 'b,2 a,1']);
  });

  test('records with one offset object: stored when all are acknowledged and no more can follow', () => {
    const tracker = new OffsetTracker();
    const first = { n: 1 };
    const a = tracker.add(A, first);
    tracker.acknowledge(a);
    expect(taken(tracker)).toEqual([]);
    const b = tracker.add(A, first);
    const c = tracker.add(A, { n: 2 });
    expect(taken(tracker)).toEqual([]);
    tracker.acknowledge(b);
    expect(taken(tracker)).toEqual([{ partition: A, offset: first }]);
    tracker.acknowledge(c);
    expect(taken(tracker)).toEqual([]);
    tracker.endBatch();
    expect(taken(tracker)).toEqual([{ partition: A, offset: { n: 2 } }]);
  });

  test('a withdrawn record blocks until it is sent after all', () => {
    const tracker = new OffsetTracker();
    const offset = { n: 2 };
    const one = tracker.add(A, { n: 1 });
    tracker.withdraw(tracker.add(A, offset));
    tracker.acknowledge(one);
    expect(taken(tracker)).toEqual([{ partition: A, offset: { n: 1 } }]);
    const two = tracker.add(A, offset);
    tracker.endBatch();
    expect(taken(tracker)).toEqual([]);
    tracker.acknowledge(two);
    expect(taken(tracker)).toEqual([{ partition: A, offset }]);
  });

  test('null offsets are values', () => {
    const tracker = new OffsetTracker();
    tracker.acknowledge(tracker.add(A, null));
    tracker.endBatch();
    expect(taken(tracker)).toEqual([{ partition: A, offset: null }]);
  });

  describe('under load, offsets share slots', () => {
    /** A thousand records of another source partition in flight. */
    function loaded(): OffsetTracker {
      const tracker = new OffsetTracker();
      for (let n = 0; n < 1000; n++) tracker.add(B, { n });
      tracker.endBatch();
      return tracker;
    }

    test('a slot is stored when all of its records are acknowledged, with the newest offset', () => {
      const tracker = loaded();
      const slots = Array.from({ length: 20 }, (_, n) => tracker.add(A, { n }));
      expect(new Set(slots).size).toBe(2);
      tracker.endBatch();
      for (const slot of slots.slice(1)) tracker.acknowledge(slot);
      expect(taken(tracker)).toEqual([]);
      tracker.acknowledge(slots[0] as number);
      expect(taken(tracker)).toEqual([{ partition: A, offset: { n: 19 } }]);
    });

    test('a record that is not sent leaves its slot, and what was sent before it is stored', () => {
      const tracker = loaded();
      const [one, two] = [1, 2].map((n) => tracker.add(A, { n })) as [number, number];
      const unsent = { n: 3 };
      tracker.withdraw(tracker.add(A, unsent));
      tracker.announce(A, unsent);
      tracker.acknowledge(one);
      expect(taken(tracker)).toEqual([]);
      tracker.acknowledge(two);
      expect(taken(tracker)).toEqual([{ partition: A, offset: { n: 2 } }]);
    });

    test('an acknowledged record does not wait for the ones after it', () => {
      const tracker = loaded();
      tracker.acknowledge(tracker.add(A, { n: 1 }));
      const two = tracker.add(A, { n: 2 });
      expect(taken(tracker)).toEqual([{ partition: A, offset: { n: 1 } }]);
      tracker.endBatch();
      tracker.acknowledge(two);
      expect(taken(tracker)).toEqual([{ partition: A, offset: { n: 2 } }]);
    });

    test('an offset without a record has a slot of its own', () => {
      const tracker = loaded();
      const one = tracker.add(A, { n: 1 });
      tracker.endBatch();
      const reached: string[] = [];
      tracker.addOffset(A, { n: 2 }, () => reached.push('2'));
      const three = tracker.add(A, { n: 3 });
      tracker.acknowledge(one);
      expect(taken(tracker)).toEqual([{ partition: A, offset: { n: 2 } }]);
      for (const stored of tracker.takeReached()) stored();
      expect(reached).toEqual(['2']);
      tracker.endBatch();
      tracker.acknowledge(three);
      expect(taken(tracker)).toEqual([{ partition: A, offset: { n: 3 } }]);
    });
  });

  test('a random history against a simple model; slots are reused', () => {
    const tracker = new OffsetTracker();
    let seed = 7;
    const random = (n: number): number => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
    const model = new Map<string, { offset: { n: number }; acked: boolean }[]>();
    const open: { slot: number; entry: { acked: boolean } }[] = [];
    let highest = 0;
    for (let n = 0; n < 20_000; n++) {
      const file = `f${random(5)}`;
      const entry = { offset: { n }, acked: false };
      const slot = tracker.add({ file }, entry.offset);
      highest = Math.max(highest, slot);
      model.set(file, [...(model.get(file) ?? []), entry]);
      open.push({ slot, entry });
      if (random(3) === 0) tracker.endBatch();
      while (open.length > random(60)) {
        const [one] = open.splice(random(open.length), 1) as [{ slot: number; entry: { acked: boolean } }];
        one.entry.acked = true;
        tracker.acknowledge(one.slot);
      }
      if (random(10) !== 0) continue;
      tracker.endBatch();
      const expected: unknown[] = [];
      for (const [f, list] of model) {
        const blocked = list.findIndex((e) => !e.acked);
        const prefix = blocked < 0 ? list.length : blocked;
        if (prefix > 0) expected.push({ partition: { file: f }, offset: list[prefix - 1]?.offset });
        model.set(f, list.slice(prefix));
      }
      const found = taken(tracker) as { partition: { file: string } }[];
      const byFile = (a: unknown, b: unknown): number => JSON.stringify(a).localeCompare(JSON.stringify(b));
      expect(found.sort(byFile)).toEqual(expected.sort(byFile));
    }
    expect(highest).toBeLessThan(2000);
  });

  test('a random history under load: no offset passes a record in flight, none is more than a group behind', () => {
    const tracker = new OffsetTracker();
    let seed = 11;
    const random = (n: number): number => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
    const acknowledged: boolean[][] = [[], [], []];
    const stored = acknowledged.map(() => -1);
    const open: { slot: number; source: number; n: number }[] = [];
    const check = (behind: number): void => {
      for (const { partition, offset } of tracker.takeCommittable().values())
        stored[Number(partition?.file)] = Number(offset?.n);
      acknowledged.forEach((list, source) => {
        const first = list.indexOf(false);
        const prefix = first < 0 ? list.length - 1 : first - 1;
        expect(stored[source]).toBeLessThanOrEqual(prefix);
        expect(stored[source]).toBeGreaterThanOrEqual(prefix - behind);
      });
    };
    let slots = 0;
    for (let i = 0; i < 20_000; i++) {
      const source = random(3);
      const list = acknowledged[source] as boolean[];
      const slot = tracker.add({ file: source }, { n: list.length });
      slots = Math.max(slots, slot);
      open.push({ slot, source, n: list.length });
      list.push(false);
      if (random(20) === 0) tracker.endBatch();
      while (open.length > 1500 + random(1500)) {
        const [one] = open.splice(random(40), 1) as [(typeof open)[number]];
        (acknowledged[one.source] as boolean[])[one.n] = true;
        tracker.acknowledge(one.slot);
      }
      if (random(100) !== 0) continue;
      tracker.endBatch();
      check(15);
    }
    for (const { slot, source, n } of open) {
      (acknowledged[source] as boolean[])[n] = true;
      tracker.acknowledge(slot);
    }
    tracker.endBatch();
    check(0);
    expect(slots).toBeLessThan(2000);
  });
});
