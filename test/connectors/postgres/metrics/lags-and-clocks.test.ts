/** Lags do not depend on the server's clock. */
import { ageOf, type PluginMetrics } from '@millrace/sdk';
import { EventCounts } from '../../../../connectors/postgres/src/metrics/event-counts';
import { Delivery } from '../../../../connectors/postgres/src/metrics/delivery';
import { MetricGroup } from '../../../../connectors/postgres/src/metrics/metric-group';
import { clockAhead } from '../../../../connectors/postgres/src/metrics/slot-watch';
import { addLagMetrics } from '../../../../connectors/postgres/src/metrics/streaming-metrics';

test.each([
  ['equal clocks', 1_000_000, 999_990, 1_000_010, 0],
  ['tolerated', 1_000_900, 999_990, 1_000_010, 0],
  ['ahead', 1_600_000, 999_990, 1_000_010, 600_000],
  ['behind', 400_000, 999_990, 1_000_010, -600_000],
  ['explained by a late answer', 1_000_000, 1_000_000, 1_020_000, 0],
])('the clock of the server: %s', (_, serverMs, askedMs, answeredMs, ahead) => {
  expect(clockAhead(serverMs, askedMs, answeredMs)).toBe(ahead);
});

test.each([600_000, 0, -600_000])('a change that waits for 2 s has this lag, the server being %d ms ahead', (ahead) => {
  const now = Date.now();
  const delivery = new Delivery();
  delivery.returned({ lsn: 200, lsn_commit: 200, txId: 1 }, now - 2_000 + ahead, now - 2_000);
  const stream = {
    ...{ isConnected: true, queuedMessages: 0, queuedBytes: 0 },
    ...{ serverLsn: 200, decodedLsn: 200, flushedLsn: 100, requestKeepalive: () => undefined },
  };
  const read = new Map<string, () => number>();
  const metrics: PluginMetrics = {
    counter: () => ({ add: () => undefined }),
    gauge: (name, _options, value = () => NaN) => {
      read.set(name, value);
      return { set: () => undefined };
    },
  };
  const figures = {
    counts: new EventCounts(),
    delivery,
    stream: () => stream,
    storedLsn: () => 100,
    walEnd: () => 200,
  };
  addLagMetrics(new MetricGroup(metrics, '', {}), { ...figures, clockAheadMs: () => ahead, isDown: () => false });
  for (const name of ['wal_lag_seconds', 'replay_lag_seconds'])
    expect([name, ageOf(read.get(name)?.() ?? NaN, now)]).toEqual([name, 2]);
});
