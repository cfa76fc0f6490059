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
});
