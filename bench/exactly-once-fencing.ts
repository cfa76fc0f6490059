/**
 * Changes the number of tasks of an exactly-once source again and again, and kills or suspends workers, mostly the
 * leader, in the rounds of fencing that follow. Lets a read_committed consumer count what is lost or repeated.
 * `npm run bench -- exactly-once-fencing [ROUNDS [SEED [SUPPORT,…]]]` (Default: 30 rounds, three workers with
 * `exactly.once.source.support=enabled`; with others, records may be repeated.)
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBroker } from '../dev/services/broker';
import { createAdmin } from '../packages/kafka-client/src/admin/admin';
import { createAssignedConsumer } from '../packages/kafka-client/src/consumer/assigned-consumer';
import { createWire } from '../packages/kafka-client/src/network/network-client';
import { silentLogger } from '../src/logging/logger';
import { seeded } from '../test/helpers/seeded';
import { countRecords } from './lib/counters-follower';
import { FencingRun } from './lib/fencing-run';
import { benchmark, figure, heading, whole } from './lib/report';

const ROUNDS = Number(process.argv[2] ?? 30);
const SEED = Number(process.argv[3] ?? Date.now() % 1_000_000);
const SUPPORT = (process.argv[4] ?? 'enabled,enabled,enabled').split(',');
const COUNTERS = 4;
/** Every so many rounds all tasks must run again. */
const SETTLE_EVERY = 3;

benchmark(async (atEnd) => {
  const broker = await startBroker();
  atEnd(() => broker.stop());
  const name = `fencing-${randomBytes(3).toString('hex')}`;
  const client = { 'bootstrap.servers': broker.bootstrapServers };
  const admin = createAdmin(createWire(client), { timeoutMs: 120_000, retryBackoffMs: 50, retryBackoffMaxMs: 500 });
  atEnd(() => admin.close());
  await admin.createTopics([{ name, partitions: COUNTERS, replicationFactor: 1, configs: {} }]);
  heading(`Rounds of fencing interrupted ${ROUNDS} times, workers ${SUPPORT.join()} (seed ${SEED})`);
  const { next: random } = seeded(SEED);
  let round = 0;
  const run = new FencingRun({
    ...{ bootstrapServers: broker.bootstrapServers, name, counters: COUNTERS, support: SUPPORT, random },
    log: (line) => console.log(`${round}: ${line}`),
  });
  atEnd(() => run.close());
  await run.begin();
  const began = performance.now();
  while (++round <= ROUNDS) {
    await run.interrupt();
    if (round % SETTLE_EVERY === 0) await run.settled();
    else await sleep(random() * 3000);
  }
  await run.end();

  const config = { ...client, 'isolation.level': 'read_committed', 'auto.offset.reset': 'earliest' };
  const consumer = createAssignedConsumer(createWire(config), config, silentLogger);
  atEnd(() => consumer.close());
  await consumer.connect();
  const { records, repeated, lost } = await countRecords(admin, consumer, name);
  figure('duration', `${((performance.now() - began) / 1000).toFixed(0)} s`);
  figure('interruptions', whole(ROUNDS));
  figure('of them after the begin of a round', whole(run.hits));
  figure('records', whole(records));
  figure('records repeated', whole(repeated), '0');
  figure('records lost', whole(lost), '0');
  const isExact = SUPPORT.every((support) => support === 'enabled');
  if (lost > 0 || (isExact && repeated > 0)) throw new Error('delivery was not as promised');
});
