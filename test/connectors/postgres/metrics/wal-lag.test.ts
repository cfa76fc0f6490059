import { WalLag } from '../../../../connectors/postgres/src/metrics/wal-lag';

test('cdc-postgres 112: nothing beyond the delivered position', () => {
  const lag = new WalLag();
  expect([lag.since(10, 10, 1000), lag.since(10, 12, 2000)]).toEqual([0, 0]);
});

test('cdc-postgres 112: since the WAL was first seen beyond the delivered position, until all is delivered', () => {
  const lag = new WalLag();
  lag.since(10, 10, 1000);
  expect(lag.since(20, 10, 2000)).toBe(2000);
  expect(lag.since(20, 10, 9000)).toBe(2000);
  expect(lag.since(30, 10, 10_000)).toBe(2000);
  expect(lag.since(30, 20, 11_000)).toBe(10_000);
  expect(lag.since(30, 30, 12_000)).toBe(0);
  expect(lag.since(40, 30, 13_000)).toBe(13_000);
});

test('a long stall takes bounded memory, and the start of the lag stays known', () => {
  const lag = new WalLag();
  for (let i = 1; i <= 100_000; i++) lag.since(10 + i, 10, i * 1000);
  expect((lag as unknown as { samples: unknown[] }).samples.length).toBeLessThanOrEqual(512);
  expect(lag.since(200_000, 10, 200_000_000)).toBe(1000);
});
