import { PutBisection } from '../../../src/tasks/sink/put-bisection';

interface Outcome {
  /** After the call that failed for the whole batch. */
  calls: number;
  delivered: number[];
  rejected: number[];
}

/** Puts the records 0 to n-1 of which `accepts` is true for a whole part only if it is for each record. */
function bisect(n: number, accepts: (record: number, call: number) => boolean): Outcome {
  let left = Array.from({ length: n }, (_, i) => i);
  const outcome: Outcome = { calls: 0, delivered: [], rejected: [] };
  const bisection = new PutBisection(n, 'batch');
  let known = 0;
  while (!bisection.finished) {
    const { from, to } = bisection.next();
    outcome.calls++;
    const part = left.slice(from, to);
    if (part.length === 0) throw new Error('an empty part');
    const accepted = part.every((record) => accepts(record, outcome.calls));
    const { records, rejection } = accepted ? bisection.accepted() : bisection.rejected('part');
    if (accepted) outcome.delivered.push(...part);
    const decided = left.slice(0, records);
    if (rejection !== null) outcome.rejected.push(decided[0] as number);
    known += records;
    if (outcome.rejected.length + outcome.delivered.length < known) throw new Error('decided without an outcome');
    left = left.slice(records);
  }
  return outcome;
}

const callsForOne = (n: number): number => Math.ceil(Math.log2(n)) + 1;

test('one failing record of n: at most log2(n) + 1 further calls, and the others are delivered in order, once', () => {
  const wrong: string[] = [];
  for (let n = 1; n <= 2000; n++) {
    const positions = n <= 64 ? Array.from({ length: n }, (_, i) => i) : [0, 1, n >> 1, (n >> 1) - 1, n - 2, n - 1];
    for (const bad of positions) {
      const { calls, delivered, rejected } = bisect(n, (record) => record !== bad);
      const inOrder = delivered.every((record, i) => record === (i < bad ? i : i + 1));
      if (calls > callsForOne(n) || rejected.join() !== String(bad) || delivered.length !== n - 1 || !inOrder)
        wrong.push(`${calls} calls for record ${bad} of ${n}: ${rejected.join()}`);
    }
  }
  expect(wrong).toEqual([]);
});

test.each([
  ['at both ends', 2000, [0, 1999]],
  ['neighbors', 2000, [999, 1000]],
  ['the first three', 1500, [0, 1, 2]],
  ['the last three', 1500, [1497, 1498, 1499]],
  ['spread', 1024, [5, 300, 301, 777, 1023]],
  ['two of two', 2, [0, 1]],
  ['all of seven', 7, [0, 1, 2, 3, 4, 5, 6]],
])('several failing records, %s: each costs at most log2(n) + 2 calls', (_where, n, bad) => {
  const { calls, delivered, rejected } = bisect(n, (record) => !bad.includes(record));
  expect(rejected).toEqual(bad);
  expect(delivered).toEqual(Array.from({ length: n }, (_, i) => i).filter((i) => !bad.includes(i)));
  expect(calls).toBeLessThanOrEqual(bad.length * (callsForOne(n) + 1));
});

test.each([1, 2, 3, 100])('a failure that does not repeat rejects none of %d records', (n) => {
  const { delivered, rejected } = bisect(n, () => true);
  expect(rejected).toEqual([]);
  expect(delivered).toHaveLength(n);
});

test('a record that failed only together with another failing record is put alone before it counts as failing', () => {
  // The second call fails without a reason in its records; record 6 is the only one that always fails.
  const { delivered, rejected } = bisect(8, (record, call) => record !== 6 && call !== 1);
  expect(rejected).toEqual([6]);
  expect(delivered).toEqual([0, 1, 2, 3, 4, 5, 7]);
});

test('a record is rejected with the error of the smallest part that contained it', () => {
  const bisection = new PutBisection(2, 'batch');
  expect(bisection.next()).toEqual({ from: 0, to: 1 });
  expect(bisection.rejected('alone')).toEqual({ records: 0, rejection: null });
  expect(bisection.next()).toEqual({ from: 1, to: 2 });
  expect(bisection.accepted()).toEqual({ records: 2, rejection: { error: 'alone' } });
  expect(bisection.finished).toBe(true);
});
