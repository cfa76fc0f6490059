/**
 * The workers of an exactly-once PostgreSQL source are killed and frozen during its snapshot and its stream, and the
 * broker restarts: a read_committed consumer sees each change exactly once, in order, and each row at most once.
 */
import { killWhileDelivering } from '../../bench/lib/exactly-once-run';
import { startBroker } from '../../dev/services/broker';
import { TestDatabase } from '../helpers/test-database';
import { uniqueName } from '../helpers/unique-name';

const NOTHING = {
  ...{ lost: 0, repeated: 0, invented: 0, outOfOrder: 0 },
  ...{ readAgain: 0, readLate: 0, ghosts: 0, stale: 0 },
};

// They wait for sessions to expire most of the time.
test.concurrent.each([
  ['connect-runtime 80: one worker, poll', { workers: 1, snapshotKills: 2, streamKills: 1, brokerEvery: 3 }],
  ['connect-runtime 80: two workers, interval', { workers: 2, snapshotKills: 1, streamKills: 1, freezeEvery: 2 }],
])(
  '%s: nothing is lost, repeated or out of order',
  async (_, plan) => {
    const database = await TestDatabase.create();
    // A restarted Kafka waits until the session of its predecessor expires.
    const broker = await startBroker({
      settings: { 'broker.session.timeout.ms': '3000', 'broker.heartbeat.interval.ms': '500' },
    });
    try {
      const { faults, duringSnapshot, kills } = await killWhileDelivering({
        ...{ broker, rows: 20_000, seed: 11, freezeEvery: 0, brokerEvery: 0, ...plan },
        databaseUrl: database.url,
        name: uniqueName('exact'),
        connector: {
          // Slow enough to be killed.
          'snapshot.fetch.size': '1',
          ...(plan.workers > 1 && { 'transaction.boundary': 'interval', 'transaction.boundary.interval.ms': '200' }),
        },
      });
      expect(faults).toEqual(NOTHING);
      expect(kills).toBe(plan.snapshotKills + plan.streamKills);
      expect(duringSnapshot).toBeGreaterThan(0);
    } finally {
      await broker.stop();
      await database.drop();
    }
  },
  300_000,
);
