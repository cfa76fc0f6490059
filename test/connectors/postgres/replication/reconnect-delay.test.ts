import { reconnectDelayMs } from '../../../../connectors/postgres/src/replication/reconnect-delay';

test('backoff doubles up to a minute, half of it random', () => {
  expect([1, 2, 3].map((attempt) => reconnectDelayMs(attempt, 1000, 0))).toEqual([500, 1000, 2000]);
  expect([1, 2, 3].map((attempt) => reconnectDelayMs(attempt, 1000, 1))).toEqual([1000, 2000, 4000]);
  expect(reconnectDelayMs(50, 1000, 1)).toBe(60_000);
});
