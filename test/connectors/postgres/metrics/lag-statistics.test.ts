import { LagStatistics } from '../../../../connectors/postgres/src/metrics/lag-statistics';

const figures = (of: LagStatistics): number[] => [of.minimum, of.maximum, of.average, of.percentile(0.5)];

test('cdc-postgres 112: -1 before the first event', () => {
  expect(figures(new LagStatistics())).toEqual([-1, -1, -1, -1]);
});

test('small lags are exact, and each event counts', () => {
  const lags = new LagStatistics();
  lags.record(3, 1);
  lags.record(20, 98);
  lags.record(30, 1);
  expect(figures(lags)).toEqual([3, 30, 19.93, 20]);
  expect([0, 0.01, 0.02, 0.99, 1].map((share) => lags.percentile(share))).toEqual([3, 3, 20, 20, 30]);
});

test('percentiles of large lags are at most a sixteenth too low, without a limit on their number', () => {
  const lags = new LagStatistics();
  for (let ms = 1; ms <= 100_000; ms++) lags.record(ms, 1);
  for (const share of [0.5, 0.95, 0.99]) {
    const exact = share * 100_000;
    expect(lags.percentile(share)).toBeLessThanOrEqual(exact);
    expect(lags.percentile(share)).toBeGreaterThan(exact * (15 / 16));
  }
});

test('a lag of years is the largest one', () => {
  const lags = new LagStatistics();
  lags.record(1e15, 1);
  expect(figures(lags)).toEqual([1e15, 1e15, 1e15, 1e15]);
});
