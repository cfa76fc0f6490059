/**
 * Of three brokers, the one that coordinates the transactions of an exactly-once PostgreSQL source is killed or frozen,
 * and another one replaces it: a read_committed consumer sees each change exactly once and in order.
 */
import { killWhileDelivering } from '../../../bench/lib/exactly-once-run';
import { startKafkaCluster } from '../../../dev/services/kafka';
import { TestDatabase } from '../../helpers/test-database';
import { uniqueName } from '../../helpers/unique-name';

test('connect-runtime 80: the coordinator of a transaction moves, and nothing is lost or repeated', async () => {
  const database = await TestDatabase.create();
  const cluster = await startKafkaCluster(3, {
    settings: { 'broker.session.timeout.ms': '3000', 'broker.heartbeat.interval.ms': '500' },
    heap: '-Xmx256m -XX:TieredStopAtLevel=1',
  });
  try {
    const { faults, committed, brokerKills, coordinatorMoves } = await killWhileDelivering({
      ...{ broker: cluster, rows: 1000, seed: 11, workers: 1, freezeEvery: 0, brokerEvery: 0 },
      // Two brokers, and the worker while the second one is away.
      ...{ snapshotKills: 0, streamKills: 3 },
      databaseUrl: database.url,
      name: uniqueName('exact'),
      connector: { 'snapshot.mode': 'no_data' },
    });
    expect(Object.entries(faults).filter(([, count]) => count > 0)).toEqual([]);
    expect(committed).toBeGreaterThan(0);
    expect(brokerKills).toBe(2);
    expect(coordinatorMoves).toBeGreaterThan(0);
  } finally {
    await cluster.stop();
    await database.drop();
  }
});
