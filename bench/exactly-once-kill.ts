/**
 * Kills the workers of an exactly-once PostgreSQL source at random moments of its snapshot and its stream, and lets a
 * read_committed consumer count what is lost, repeated, out of order or stale.
 * `npm run bench -- exactly-once-kill [KILLS [ROWS [SEED [WORKERS [BOUNDARY [SETTING=VALUE…]]]]]]`
 * (Default: 50 kills, 100,000 rows in each of two tables, one worker, `poll`); the settings are the connector's, for
 * example `slot.count=2 tasks.max=2`, and `source=standby` is a standby of the server. At least half of the kills come
 * between the first and the last row of a snapshot: new connectors are killed, at most five times in each snapshot,
 * until there are so many. With `snapshot.mode=when_needed`, each loses its slot, too, and takes a second snapshot.
 * Every fifth kill is a SIGSTOP, usually for longer than the session, and every seventh a restart of the broker.
 * `brokers=3` runs so many brokers of Apache Kafka, with three replicas of each partition. Then up to two of three
 * kills are a SIGKILL, or a SIGSTOP for longer than its session, of the broker that coordinates the transactions of a
 * task or leads a partition that it writes to. Workers are killed while such a broker is away, too.
 */
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { startBroker } from '../dev/services/broker';
import { startKafkaCluster } from '../dev/services/kafka';
import { startPostgres, type RunningPostgres } from '../dev/services/postgres';
import { startStandby } from '../dev/services/postgres-standby';
import { killWhileDelivering, type KillResult } from './lib/exactly-once-run';
import { benchmark, figure, heading, whole } from './lib/report';

const KILLS = Number(process.argv[2] ?? 50);
const ROWS = Number(process.argv[3] ?? 100_000);
const SEED = Number(process.argv[4] ?? Date.now() % 1_000_000);
const WORKERS = Number(process.argv[5] ?? 1);
const BOUNDARY = process.argv[6] ?? 'poll';
const { source, brokers, ...SETTINGS } = Object.fromEntries(
  process.argv.slice(7).map((pair) => pair.split(/=(.*)/s, 2)),
);
const HAS_SNAPSHOT = SETTINGS['snapshot.mode'] !== 'no_data';
const HALF = Math.floor(KILLS / 2);
/** Of one snapshot: there must be rows to read between two of them. */
const KILLS_OF_SNAPSHOT = 5;

const FAULTS = [
  ['lost', 'changes lost'],
  ['repeated', 'changes repeated'],
  ['invented', 'changes invented'],
  ['outOfOrder', 'changes out of order'],
  ['readAgain', 'rows read again'],
  ['readLate', 'rows read late'],
  ['ghosts', 'deleted rows still alive'],
  ['stale', 'rows with another last state'],
] as const;

benchmark(async (atEnd) => {
  const postgres = await startPostgres({ settings: { max_wal_size: '4GB', max_replication_slots: '60' } });
  atEnd(postgres.stop);
  const standby = source === 'standby' ? await startStandby(postgres) : null;
  if (standby !== null) atEnd(standby.stop);
  const settings = { 'broker.session.timeout.ms': '3000', 'broker.heartbeat.interval.ms': '500' };
  const broker = await (brokers === undefined
    ? startBroker({ settings })
    : startKafkaCluster(Number(brokers), {
        settings,
        heap: process.env.KAFKA_HEAP ?? '-Xmx256m -XX:TieredStopAtLevel=1',
      }));
  atEnd(() => broker.stop());
  heading(`Exactly-once PostgreSQL source, killed ${KILLS} times, ${WORKERS} worker(s), ${BOUNDARY} (seed ${SEED})`);
  const began = performance.now();
  const results: KillResult[] = [];
  const sum = (of: (result: KillResult) => number): number => results.reduce((total, one) => total + of(one), 0);
  const inside = (): number => sum(({ duringSnapshot }) => duringSnapshot);
  const later = (): number => sum(({ kills }) => kills) - inside();
  // With few rows, no kill may fall inside.
  while (results.length < KILLS && (HAS_SNAPSHOT ? inside() < HALF : later() < KILLS)) {
    const name = `exact_${randomBytes(3).toString('hex')}`;
    const admin = new Client({ connectionString: postgres.url });
    await admin.connect();
    await admin.query(`CREATE DATABASE ${name}`);
    await admin.end();
    const inRound = HAS_SNAPSHOT ? Math.min(KILLS_OF_SNAPSHOT, HALF - inside()) : 0;
    const result = await killWhileDelivering({
      ...{ databaseUrl: urlOf(postgres, name), broker, rows: ROWS, workers: WORKERS, seed: SEED + results.length },
      ...(standby && { standbyUrl: urlOf(standby, name) }),
      name: name.replace('_', '-'),
      snapshotKills: inRound,
      streamKills: HAS_SNAPSHOT ? Math.max(0, Math.min(inRound, KILLS - HALF - later())) : KILLS,
      freezeEvery: 5,
      brokerEvery: 7,
      connector: { 'transaction.boundary': BOUNDARY, 'transaction.boundary.interval.ms': '300', ...SETTINGS },
      log: (line) => console.log(line),
    });
    results.push(result);
    console.log(`connector ${results.length}: ${result.duringSnapshot} of ${result.kills} kills inside a snapshot`);
    if (Object.values(result.faults).some((count) => count > 0)) break;
  }
  figure('duration', `${((performance.now() - began) / 1000).toFixed(0)} s`);
  figure('connectors', whole(results.length));
  figure('kills', whole(sum(({ kills }) => kills)));
  figure('kills inside a snapshot', whole(inside()), HAS_SNAPSHOT ? whole(HALF) : undefined);
  if (brokers !== undefined) {
    figure('kills of brokers', whole(sum(({ brokerKills }) => brokerKills)));
    figure('of them SIGSTOP', whole(sum(({ brokersFrozen }) => brokersFrozen)));
    figure('coordinators of transactions moved', whole(sum(({ coordinatorMoves }) => coordinatorMoves)));
  }
  figure('changes committed', whole(sum(({ committed }) => committed)));
  figure('rows read', whole(sum(({ reads }) => reads)));
  figure('changes streamed', whole(sum(({ changes }) => changes)));
  for (const [fault, what] of FAULTS) figure(what, whole(sum(({ faults }) => faults[fault])), '0');
  if (FAULTS.some(([fault]) => sum(({ faults }) => faults[fault]) > 0))
    throw new Error('delivery was not exactly once');
});

function urlOf(server: RunningPostgres, database: string): string {
  const url = new URL(server.url);
  url.pathname = database;
  return url.toString();
}
