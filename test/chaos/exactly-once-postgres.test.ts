/**
 * The workers of an exactly-once PostgreSQL source are killed and frozen during its snapshot and its stream, and the
 * broker restarts: a read_committed consumer sees each change exactly once, in order, and each row at most once.
 */
import { killWhileDelivering, type KillPlan } from '../../bench/lib/exactly-once-run';
import { startBroker } from '../../dev/services/broker';
import { TestDatabase } from '../helpers/test-database';
import { uniqueName } from '../helpers/unique-name';

const NOTHING = {
  ...{ lost: 0, repeated: 0, invented: 0, outOfOrder: 0 },
  ...{ readAgain: 0, readLate: 0, ghosts: 0, stale: 0 },
};

/** On a busy machine, the snapshot may end before the consumer has seen the rows after which a kill is due. */
const MOST_CONNECTORS = 4;

type Plan = Pick<KillPlan, 'workers' | 'snapshotKills' | 'streamKills'> & Partial<KillPlan>;

/** Resolves to the number of kills between the first and the last row of the snapshot. */
async function killOneConnector(broker: KillPlan['broker'], plan: Plan, seed: number): Promise<number> {
  const database = await TestDatabase.create();
  try {
    const { faults, duringSnapshot, kills } = await killWhileDelivering({
      ...{ broker, rows: 20_000, seed, freezeEvery: 0, brokerEvery: 0, ...plan },
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
    return duringSnapshot;
  } finally {
    await database.drop();
  }
}

// They wait for sessions to expire most of the time.
test.concurrent.each<[string, Plan]>([
  ['connect-runtime 80: one worker, poll', { workers: 1, snapshotKills: 2, streamKills: 1, brokerEvery: 3 }],
  ['connect-runtime 80: two workers, interval', { workers: 2, snapshotKills: 1, streamKills: 1, freezeEvery: 2 }],
])('%s: nothing is lost, repeated or out of order', async (_, plan) => {
  // A restarted Kafka waits until the session of its predecessor expires.
  const broker = await startBroker({
    settings: { 'broker.session.timeout.ms': '3000', 'broker.heartbeat.interval.ms': '500' },
  });
  try {
    let duringSnapshot = 0;
    for (let i = 0; duringSnapshot === 0 && i < MOST_CONNECTORS; i++)
      duringSnapshot = await killOneConnector(broker, plan, 11 + i);
    expect(duringSnapshot).toBeGreaterThan(0);
  } finally {
    await broker.stop();
  }
});
