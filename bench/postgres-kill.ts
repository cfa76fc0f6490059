/**
 * Kills and freezes a worker at random moments while the PostgreSQL source takes its snapshot, streams, and takes an
 * incremental snapshot, with rows changing all the time. Then compares the topics with the database and with every
 * committed change. `npm run bench -- postgres-kill [KILLS [ROWS [SEED [PHASES]]]]` (Default: 50 kills, 100,000 rows in
 * each of two tables, `snapshot,streaming,incremental`). Each phase has the same number of kills; every fifth is
 * preceded by SIGSTOP for longer than the session.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Kafka, logLevel } from 'kafkajs';
import { Client } from 'pg';
import { useOrStartKafka } from '../dev/services/kafka';
import { startPostgres } from '../dev/services/postgres';
import { postgresSource } from '../dev/services/postgres-source';
import { waitFor } from '../dev/services/wait-for';
import type { StartedWorker } from '../dev/services/worker';
import { seeded } from '../test/helpers/seeded';
import { freezeBeside, startKillable } from './lib/killable-worker';
import { benchmark, figure, heading, whole } from './lib/report';
import { readHistory } from './lib/topic-history';
import { GONE, TABLES, VersionedWriter } from './lib/versioned-rows';

const KILLS = Number(process.argv[2] ?? 50);
const ROWS = Number(process.argv[3] ?? 100_000);
const SEED = Number(process.argv[4] ?? Date.now() % 1_000_000);
const PHASES = (process.argv[5] ?? 'snapshot,streaming,incremental').split(',');

benchmark(async (atEnd) => {
  const postgres = await startPostgres({ settings: { max_wal_size: '4GB' } });
  atEnd(postgres.stop);
  const kafka = await useOrStartKafka({});
  atEnd(kafka.stop);
  heading(`PostgreSQL source, killed ${KILLS} times (seed ${SEED})`);

  const random = seeded(SEED).next;
  const database = new Client({ connectionString: postgres.url });
  await database.connect();
  atEnd(() => database.end());
  await database.query(
    'CREATE TABLE signals (id varchar(42) PRIMARY KEY, type varchar(32) NOT NULL, data varchar(2048) NULL)',
  );
  for (const { create, insert } of TABLES) {
    await database.query(create);
    await database.query(insert('0', String(ROWS - 1)));
  }
  await database.query('ANALYZE');

  const run = `kill-${randomBytes(3).toString('hex')}`;
  const tables = TABLES.map(({ name }) => name);
  const client = new Kafka({ brokers: kafka.bootstrapServers.split(','), logLevel: logLevel.NOTHING });
  const admin = client.admin();
  await admin.connect();
  atEnd(() => admin.disconnect());
  await admin.createTopics({
    topics: tables.map((table) => ({ topic: `${run}.public.${table}`, numPartitions: 3 })),
    waitForLeaders: true,
  });
  const inTopics = async (): Promise<number> => {
    let sum = 0;
    for (const table of tables)
      for (const { high } of await admin.fetchTopicOffsets(`${run}.public.${table}`)) sum += Number(high);
    return sum;
  };

  const start = (): Promise<StartedWorker> =>
    startKillable(kafka.bootstrapServers, run, { 'offset.flush.interval.ms': '1000' });
  let worker = await start();
  atEnd(async () => await worker.stop());
  await worker.register({
    name: 'killed',
    config: postgresSource(postgres.url, {
      'topic.prefix': run,
      'publication.autocreate.mode': 'filtered',
      'table.include.list': [...tables, 'signals'].map((table) => `public.${table}`).join(','),
      'signal.data.collection': 'public.signals',
      'incremental.snapshot.chunk.size': '500',
      'snapshot.max.threads': '2',
      'slot.max.retries': '600',
      'slot.retry.delay.ms': '100',
    }),
  });
  const writerClient = new Client({ connectionString: postgres.url });
  await writerClient.connect();
  atEnd(() => writerClient.end());
  const writer = new VersionedWriter(writerClient, ROWS, random, 200);
  await worker.running('killed');
  writer.start();

  /** Kills the worker, sometimes after a pause. */
  const kill = async (afterMs: number, count: number): Promise<void> => {
    await sleep(afterMs);
    if (count % 5 === 4) {
      worker = await freezeBeside(worker, start, random);
    } else {
      await worker.crash();
      worker = await start();
    }
    await worker.running('killed');
  };

  const kills = (phase: string): number => {
    const at = PHASES.indexOf(phase);
    return at < 0 ? 0 : Math.floor(KILLS / PHASES.length) + (at < KILLS % PHASES.length ? 1 : 0);
  };
  let count = 0;
  let ended = 0;
  const began = performance.now();
  for (; count < kills('snapshot'); count++) {
    if ((await inTopics()) >= ROWS * TABLES.length) ended++;
    await kill(random() * 800, count);
  }
  await waitFor('the snapshot to end', async () => (await inTopics()) >= ROWS * TABLES.length, { timeoutMs: 600_000 });
  figure('snapshot, kills before its end', whole(kills('snapshot') - ended));
  const snapshotRecords = (await readHistory(kafka.bootstrapServers, run, tables)).snapshotRows;
  figure('snapshot rows : rows', (snapshotRecords / (ROWS * TABLES.length)).toFixed(2));

  for (let i = 0; i < kills('streaming'); i++, count++) await kill(random() * 3000, count);

  if (kills('incremental') > 0) {
    const asked = JSON.stringify({ type: 'incremental', 'data-collections': tables.map((table) => `public.${table}`) });
    await database.query("INSERT INTO signals VALUES ('ask', 'execute-snapshot', $1)", [asked]);
    for (let i = 0; i < kills('incremental'); i++, count++) await kill(random() * 1500, count);
    await waitFor(
      'the incremental snapshot to end',
      async () =>
        (await readHistory(kafka.bootstrapServers, run, tables)).snapshotRows - snapshotRecords >=
        0.9 * ROWS * TABLES.length,
      { timeoutMs: 600_000, everyMs: 3000 },
    );
  }
  await writer.stop();
  await database.query(`INSERT INTO plain VALUES (${Number.MAX_SAFE_INTEGER - 1}, 0, 'the end')`);
  let history = await readHistory(kafka.bootstrapServers, run, tables);
  await waitFor(
    'the last change',
    async () => {
      history = await readHistory(kafka.bootstrapServers, run, tables);
      return history.last.has(`plain ${Number.MAX_SAFE_INTEGER - 1}`);
    },
    { timeoutMs: 300_000, everyMs: 2000, detail: () => worker.process.log().slice(-4000) },
  );

  let stale = 0;
  const held = new Set<string>();
  for (const table of tables)
    for (const { id, v } of (await database.query(`SELECT id::float8, v::float8 FROM ${table}`)).rows as {
      id: number;
      v: number;
    }[]) {
      held.add(`${table} ${id}`);
      if (history.last.get(`${table} ${id}`) !== v) stale++;
    }
  const ghosts = [...history.last].filter(([row, version]) => version !== GONE && !held.has(row)).length;
  const lost = writer.changes.filter((change) => !history.events.has(change)).length;
  figure('kills', whole(count));
  figure('duration', `${((performance.now() - began) / 1000).toFixed(0)} s`);
  figure('changes committed', whole(writer.changes.length));
  figure('records in the topics', whole(history.records));
  figure('changes lost', whole(lost), '0');
  figure('rows with another last state', whole(stale), '0');
  figure('deleted rows still alive', whole(ghosts), '0');
  figure('changes out of order', whole(history.outOfOrder), '0');
  if (lost + stale + ghosts + history.outOfOrder > 0) throw new Error('changes were lost or out of order');
});
