/**
 * Kills the workers of an exactly-once PostgreSQL source at random moments of its snapshot and its stream, and lets a
 * read_committed consumer count what is lost, repeated, out of order or stale.
 * `npm run bench -- exactly-once-kill [KILLS [ROWS [SEED [WORKERS [BOUNDARY [SETTING=VALUE…]]]]]]`
 * (Default: 50 kills, 100,000 rows in each of two tables, one worker, `poll`); the settings are the connector's, for
 * example `slot.count=2 tasks.max=2`. Half of the kills come before the end of the snapshot; every fifth is a SIGSTOP
 * for longer than the session, and every seventh a restart of the broker.
 */
import { randomBytes } from 'node:crypto';
import { startBroker } from '../dev/services/broker';
import { startPostgres } from '../dev/services/postgres';
import { killWhileDelivering } from './lib/exactly-once-run';
import { benchmark, figure, heading, whole } from './lib/report';

const KILLS = Number(process.argv[2] ?? 50);
const ROWS = Number(process.argv[3] ?? 100_000);
const SEED = Number(process.argv[4] ?? Date.now() % 1_000_000);
const WORKERS = Number(process.argv[5] ?? 1);
const BOUNDARY = process.argv[6] ?? 'poll';
const SETTINGS = Object.fromEntries(process.argv.slice(7).map((pair) => pair.split(/=(.*)/s, 2)));

benchmark(async (atEnd) => {
  const postgres = await startPostgres({ settings: { max_wal_size: '4GB' } });
  atEnd(postgres.stop);
  const broker = await startBroker({
    settings: { 'broker.session.timeout.ms': '3000', 'broker.heartbeat.interval.ms': '500' },
  });
  atEnd(() => broker.stop());
  heading(`Exactly-once PostgreSQL source, killed ${KILLS} times, ${WORKERS} worker(s), ${BOUNDARY} (seed ${SEED})`);
  const began = performance.now();
  const result = await killWhileDelivering({
    ...{ databaseUrl: postgres.url, broker, rows: ROWS, workers: WORKERS, seed: SEED },
    name: `exact-${randomBytes(3).toString('hex')}`,
    snapshotKills: Math.floor(KILLS / 2),
    streamKills: KILLS - Math.floor(KILLS / 2),
    freezeEvery: 5,
    brokerEvery: 7,
    connector: { 'transaction.boundary': BOUNDARY, 'transaction.boundary.interval.ms': '300', ...SETTINGS },
    log: (line) => console.log(line),
  });
  figure('duration', `${((performance.now() - began) / 1000).toFixed(0)} s`);
  figure('kills', whole(result.kills));
  figure('kills before the end of the snapshot', whole(result.duringSnapshot));
  figure('changes committed', whole(result.committed));
  figure('rows read', whole(result.reads));
  figure('changes streamed', whole(result.changes));
  const { faults } = result;
  figure('changes lost', whole(faults.lost), '0');
  figure('changes repeated', whole(faults.repeated), '0');
  figure('changes invented', whole(faults.invented), '0');
  figure('changes out of order', whole(faults.outOfOrder), '0');
  figure('rows read again', whole(faults.readAgain), '0');
  figure('rows read late', whole(faults.readLate), '0');
  figure('deleted rows still alive', whole(faults.ghosts), '0');
  figure('rows with another last state', whole(faults.stale), '0');
  if (Object.values(faults).some((count) => count > 0)) throw new Error('delivery was not exactly once');
});
