/**
 * Kills a worker, its JVMs, or both at random moments while Debezium's jar streams changing rows and a file sink's jar
 * copies one of the topics. Then compares topics and file with the database and with every committed change.
 * `npm run bench -- java-plugins-kill [KILLS [SEED [exactly-once]]]` (Default: 50 kills). Every seventh is a SIGSTOP of
 * the JVMs, until the worker ends them. With `exactly-once`, the consumer is read_committed, and nothing may be
 * repeated. Needs a JDK, and Maven the first time.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { useOrStartKafka } from '../dev/services/kafka';
import { pluginPath } from '../dev/services/plugin-jars';
import { startPostgres } from '../dev/services/postgres';
import { postgresSource } from '../dev/services/postgres-source';
import { waitFor } from '../dev/services/wait-for';
import type { StartedWorker } from '../dev/services/worker';
import { createAdmin } from '../packages/kafka-client/src/admin/admin';
import { createWire } from '../packages/kafka-client/src/network/network-client';
import { childrenOf } from '../test/helpers/child-processes';
import { seeded } from '../test/helpers/seeded';
import { HistoryFollower } from './lib/exact-history';
import { startKillable } from './lib/killable-worker';
import { benchmark, figure, heading, whole } from './lib/report';
import { GONE, TABLES, VersionedWriter } from './lib/versioned-rows';

const KILLS = Number(process.argv[2] ?? 50);
const SEED = Number(process.argv[3] ?? Date.now() % 1_000_000);
const EXACTLY_ONCE = process.argv[4] === 'exactly-once';
const ROWS = 2_000;
/** Rows before (counted down from it) and after all changes. */
const FIRST = Number.MAX_SAFE_INTEGER - 2;
const LAST = Number.MAX_SAFE_INTEGER - 1;
/** A task that was killed starts again by itself. */
const RESTARTS = {
  'errors.restart.max': '-1',
  'errors.restart.backoff.ms': '200',
  'errors.restart.backoff.max.ms': '2000',
};
const STRING = 'org.apache.kafka.connect.storage.StringConverter';

benchmark(async (atEnd) => {
  const postgres = await startPostgres();
  atEnd(postgres.stop);
  const kafka = await useOrStartKafka({});
  atEnd(kafka.stop);
  heading(`Debezium's jar, killed ${KILLS} times${EXACTLY_ONCE ? ', exactly once' : ''} (seed ${SEED})`);
  const random = seeded(SEED).next;
  const database = new Client({ connectionString: postgres.url });
  await database.connect();
  atEnd(() => database.end());
  for (const { create, insert } of TABLES) {
    await database.query(create);
    await database.query(insert('0', String(ROWS - 1)));
  }
  await database.query("SELECT pg_create_logical_replication_slot('killed', 'pgoutput')");

  const run = `kill-${randomBytes(3).toString('hex')}`;
  const tables = TABLES.map(({ name }) => name);
  const topics = tables.map((table) => `${run}.public.${table}`);
  const admin = createAdmin(createWire({ 'bootstrap.servers': kafka.bootstrapServers }), {
    timeoutMs: 30_000,
    retryBackoffMs: 50,
    retryBackoffMaxMs: 500,
  });
  atEnd(() => admin.close());
  await admin.createTopics(topics.map((name) => ({ name, partitions: 1, replicationFactor: 1, configs: {} })));
  const plugins = await pluginPath('file', 'debezium-postgres');
  const start = (): Promise<StartedWorker> =>
    startKillable(kafka.bootstrapServers, run, {
      'offset.flush.interval.ms': '1000',
      'plugin.path': plugins,
      'jvm.silence.ms': '3000',
      ...(EXACTLY_ONCE && { 'exactly.once.source.support': 'enabled' }),
    });
  let worker = await start();
  atEnd(async () => await worker.stop());
  const file = join(tmpdir(), `${run}.txt`);
  atEnd(() => Promise.resolve(rmSync(file, { force: true })));
  await worker.register({
    name: 'killed',
    config: postgresSource(postgres.url, {
      'connector.plugin.version': '3.7.0.Final',
      'topic.prefix': run,
      'slot.name': 'killed',
      'snapshot.mode': 'no_data',
      'publication.autocreate.mode': 'filtered',
      'table.include.list': tables.map((table) => `public.${table}`).join(','),
      'tombstones.on.delete': 'false',
      'poll.interval.ms': '20',
      // The server lets go of a slot seconds after its reader was killed.
      'slot.max.retries': '60',
      'slot.retry.delay.ms': '500',
      ...(EXACTLY_ONCE && { 'exactly.once.support': 'required' }),
      ...RESTARTS,
    }),
  });
  await worker.register({
    name: 'copied',
    config: {
      'connector.class': 'org.apache.kafka.connect.file.FileStreamSinkConnector',
      'connector.plugin.version': '4.3.1',
      topics: topics[0] as string,
      file,
      'key.converter': STRING,
      'value.converter': STRING,
      ...RESTARTS,
    },
  });
  const running = async (): Promise<void> => {
    // A task whose JVM was killed is FAILED for a moment.
    for (const name of ['killed', 'copied'])
      await worker.statusWhen(
        name,
        ({ connector, tasks }) =>
          connector.state === 'RUNNING' && tasks.length > 0 && tasks.every(({ state }) => state === 'RUNNING'),
      );
  };
  await running();
  // Without a stored offset, Debezium starts at the newest change, whatever its slot has kept: as in Java's worker.
  const first: string[] = [];
  await waitFor(
    'the first stored offset',
    async () => {
      const id = FIRST - first.length;
      for (const { insert } of TABLES) await database.query(insert(String(id), String(id)));
      first.push(...tables.map((table) => `${table} ${id}`));
      const { json } = await worker.request('GET', '/connectors/killed/offsets');
      return (json as { offsets?: readonly unknown[] }).offsets?.length === 1;
    },
    { timeoutMs: 60_000, everyMs: 500, detail: () => worker.process.log().slice(-4000) },
  );
  const follower = new HistoryFollower(kafka.bootstrapServers, run, tables, 1);
  atEnd(() => follower.close());
  const base = new Map<string, number>();
  for (const table of tables) for (let id = 0; id < ROWS; id++) base.set(`${table} ${id}`, 0);
  for (const row of first) base.set(row, 0);
  follower.history.knows(base);
  const writerClient = new Client({ connectionString: postgres.url });
  await writerClient.connect();
  atEnd(() => writerClient.end());
  const writer = new VersionedWriter(writerClient, ROWS, random, 200);
  writer.start();

  const counts: Record<string, number> = {};
  const began = performance.now();
  for (let count = 1; count <= KILLS; count++) {
    await sleep(random() * 3000);
    const jvms = childrenOf(worker.pid, 'java');
    const victim = count % 7 === 0 ? 'JVMs frozen' : (['worker', 'JVM', 'both'] as const)[Math.floor(random() * 3)];
    counts[victim as string] = (counts[victim as string] ?? 0) + 1;
    console.log(`${count}: ${victim}`);
    if (victim === 'JVM') {
      const pid = jvms[Math.floor(random() * jvms.length)];
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
    } else if (victim === 'JVMs frozen') {
      for (const pid of jvms) process.kill(pid, 'SIGSTOP');
      await waitFor(
        'the frozen JVMs to be ended',
        () => !childrenOf(worker.pid, 'java').some((pid) => jvms.includes(pid)),
        {
          timeoutMs: 60_000,
        },
      );
    } else {
      if (victim === 'both') for (const pid of jvms) process.kill(pid, 'SIGKILL');
      await worker.crash();
      worker = await start();
    }
    // Some are killed while they start.
    if (random() < 0.7) await running();
  }
  await running();
  await writer.stop();
  for (const { insert } of TABLES) await database.query(insert(String(LAST), String(LAST)));
  const seen = (): boolean => tables.every((table) => follower.history.last.has(`${table} ${LAST}`));
  await waitFor('the last changes', seen, {
    timeoutMs: 120_000,
    everyMs: 500,
    detail: () => worker.process.log().slice(-4000),
  });
  await follower.toEnd();
  const rows = new Map<string, number>();
  for (const table of tables)
    for (const { id, v } of (await database.query(`SELECT id::float8, v::float8 FROM ${table}`)).rows as {
      id: number;
      v: number;
    }[])
      rows.set(`${table} ${id}`, v);
  // Debezium may have begun after some of the first.
  const unread = new Set(follower.history.lost(first.map((row) => `${row} 0`)));
  const marks = [...first, ...tables.map((table) => `${table} ${LAST}`)].map((row) => `${row} 0`);
  const committed = [...writer.changes, ...marks.filter((change) => !unread.has(change))];
  const faults = follower.history.faults(committed, rows);
  figure('kills', whole(KILLS));
  for (const [victim, number] of Object.entries(counts)) figure(`of them ${victim}`, whole(number));
  figure('duration', `${((performance.now() - began) / 1000).toFixed(0)} s`);
  figure('changes committed', whole(writer.changes.length));
  figure('changes in the topics', whole(follower.history.changes));
  figure('changes lost', whole(faults.lost), '0');
  figure('changes repeated', whole(faults.repeated), EXACTLY_ONCE ? '0' : '');
  figure('changes invented', whole(faults.invented), '0');
  figure('changes out of order', whole(faults.outOfOrder), EXACTLY_ONCE ? '0' : '');
  figure('rows with another last state', whole(faults.stale + faults.ghosts), '0');
  await waitFor('the file to be complete', () => missingIn(file, writer.changes) === 0, {
    timeoutMs: 120_000,
    everyMs: 1000,
    detail: () => `${missingIn(file, writer.changes)} changes are missing\n${worker.process.log().slice(-4000)}`,
  });
  figure('changes that are missing in the file', whole(missingIn(file, writer.changes)), '0');
  const wrong = faults.lost + faults.invented + faults.stale + faults.ghosts;
  if (wrong + (EXACTLY_ONCE ? faults.repeated + faults.outOfOrder : 0) > 0)
    throw new Error('delivery was not as promised');
});

/** How many changes of the first table the file does not have. */
function missingIn(file: string, changes: readonly string[]): number {
  const found = new Set<string>();
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (!line.startsWith('{') || !line.endsWith('}')) continue;
    const { op, before, after } = JSON.parse(line) as { op: string; before: Row | null; after: Row | null };
    found.add(`${TABLES[0]?.name} ${(after ?? before)?.id} ${op === 'd' ? GONE : after?.v}`);
  }
  return changes.filter((change) => change.startsWith(`${TABLES[0]?.name} `) && !found.has(change)).length;
}

interface Row {
  readonly id: number;
  readonly v: number;
}
