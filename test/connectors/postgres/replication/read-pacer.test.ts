import { ReadPacer } from '../../../../connectors/postgres/src/replication/read-pacer';

/** Feeds reads of `size` bytes every `everyMs`; returns how many of them were followed by a hold. */
function holds(pacer: ReadPacer, size: number, everyMs: number, from: number, reads = 1000): number {
  let count = 0;
  for (let i = 0; i < reads; i++) if (pacer.holds(size, from + i * everyMs)) count++;
  return count;
}

test('a single transaction is read at once', () => {
  const pacer = new ReadPacer();
  expect(pacer.holds(60_000, 5000)).toBe(false);
  expect(pacer.holds(300, 5000.02)).toBe(false);
});

test('up to thousands of small transactions a second, nothing is held', () => {
  expect(holds(new ReadPacer(), 400, 0.2, 1000)).toBe(0);
  expect(holds(new ReadPacer(), 4000, 1, 1000)).toBe(0);
});

test('small reads of a fast sender are held, large ones are not', () => {
  const pacer = new ReadPacer();
  expect(holds(pacer, 300, 0.01, 1000)).toBeGreaterThan(0);
  expect(holds(new ReadPacer(), 65_536, 1.5, 1000)).toBe(0);
});

test('after the burst, the next transaction is not held', () => {
  const pacer = new ReadPacer();
  holds(pacer, 300, 0.01, 1000);
  expect(pacer.holds(300, 1020)).toBe(false);
});
