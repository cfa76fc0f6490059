import { backoffMs, HALF_JITTER } from '@millrace/sdk';

test('delays double up to a limit, with 20 % jitter', () => {
  const backoff = { firstMs: 100, maxMs: 1_000 };
  const middle = (failures: number): number => backoffMs(failures, backoff, 0.5);
  expect([0, 1, 2, 3, 4, 5, 50, 5_000].map(middle)).toEqual([100, 100, 200, 400, 800, 1_000, 1_000, 1_000]);
  expect(backoffMs(1, backoff, 0)).toBe(80);
  expect(backoffMs(9, backoff, 1)).toBeCloseTo(1_200);
});

test('a first delay of 0 stays 0', () => {
  expect([1, 2, 5_000].map((failures) => backoffMs(failures, { firstMs: 0, maxMs: 1_000 }, 0.5))).toEqual([0, 0, 0]);
});

test('growth and jitter are configurable', () => {
  const backoff = { firstMs: 100, maxMs: 1_000, multiplier: 3, jitter: HALF_JITTER };
  expect([1, 2, 3].map((failures) => backoffMs(failures, backoff, 0))).toEqual([50, 150, 450]);
  expect(backoffMs(3, backoff, 1)).toBe(900);
});
