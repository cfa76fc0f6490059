/**
 * Changes what is on the other side of a PostgreSQL source while it streams and takes snapshots: the slot, the
 * publication, the tables, the server itself, locks that others hold. Kills the worker after each change. Counts what
 * is lost without a word, what stays stale, and how often a task is RUNNING that delivers nothing.
 * `npm run bench -- postgres-faults [FAULTS [ROWS [SEED [KINDS]]]]` (Default: 20 faults, 20,000 rows in each of two
 * tables, all kinds). The connector has `snapshot.mode=when_needed`, and its connections lose their start-up options,
 * as behind some poolers, on a database whose defaults are others.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Kafka, logLevel } from 'kafkajs';
import { Client } from 'pg';
import { useOrStartKafka } from '../dev/services/kafka';
import { postgresSource } from '../dev/services/postgres-source';
import { waitFor } from '../dev/services/wait-for';
import type { StartedWorker } from '../dev/services/worker';
import { seeded } from '../test/helpers/seeded';
import { ChangingPostgres } from './lib/changing-postgres';
import { FAULTS, type Fault } from './lib/database-faults';
import { freezeBeside, startKillable } from './lib/killable-worker';
import { benchmark, figure, heading, whole } from './lib/report';
import { Sentinel } from './lib/sentinel';
import { taskState } from './lib/task-state';
import { readHistory } from './lib/topic-history';
import { GONE, TABLES, VersionedWriter } from './lib/versioned-rows';

const COUNT = Number(process.argv[2] ?? 20);
const ROWS = Number(process.argv[3] ?? 20_000);
const SEED = Number(process.argv[4] ?? Date.now() % 1_000_000);
const KINDS = process.argv[5]?.split(',') ?? FAULTS.map(({ kind }) => kind);
/** A killed worker is missed after 6 s; a restart with backoff and a snapshot of all rows come on top. */
const STALL_MS = 120_000;
/** The publication is compared every 10 s. */
const SAID_MS = 20_000;
const CONNECTOR = 'faults';

benchmark(async (atEnd) => {
  const postgres = await ChangingPostgres.start({ max_wal_size: '4GB', wal_keep_size: '256MB' });
  atEnd(() => postgres.stop());
  const kafka = await useOrStartKafka({});
  atEnd(kafka.stop);
  heading(`PostgreSQL source, ${COUNT} changes of the other side, each with a kill (seed ${SEED})`);
  const random = seeded(SEED);
  const tables = TABLES.map(({ name }) => name);
  const captured = [...tables, Sentinel.TABLE, 'signals'].map((table) => `public.${table}`);

  await postgres.query('CREATE TABLE signals (id varchar(42) PRIMARY KEY, type varchar(32), data varchar(2048))');
  for (const { create, insert } of TABLES) {
    await postgres.query(create);
    await postgres.query(insert('0', String(ROWS - 1)));
  }
  const sentinel = new Sentinel(postgres);
  await sentinel.create();
  for (const setting of ['bytea_output = escape', "DateStyle = 'German'", 'IntervalStyle = postgres_verbose'])
    await postgres.query(`ALTER DATABASE postgres SET ${setting}`);

  const run = `faults-${randomBytes(3).toString('hex')}`;
  const admin = new Kafka({ brokers: kafka.bootstrapServers.split(','), logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  atEnd(() => admin.disconnect());
  await admin.createTopics({
    topics: captured.map((table) => ({ topic: `${run}.${table}`, numPartitions: 1 })),
    waitForLeaders: true,
  });
  const start = (): Promise<StartedWorker> =>
    startKillable(kafka.bootstrapServers, run, {
      'offset.flush.interval.ms': '1000',
      'errors.restart.backoff.ms': '500',
      'errors.restart.backoff.max.ms': '2000',
    });
  let worker = await start();
  atEnd(async () => await worker.stop());
  await worker.register({
    name: CONNECTOR,
    config: postgresSource(postgres.url, {
      'topic.prefix': run,
      'snapshot.mode': 'when_needed',
      'publication.autocreate.mode': 'filtered',
      'table.include.list': captured.join(','),
      'signal.data.collection': 'public.signals',
      'incremental.snapshot.chunk.size': '500',
      'interval.handling.mode': 'string',
      'slot.max.retries': '600',
      'slot.retry.delay.ms': '100',
    }),
  });

  const changes: string[] = [];
  /** Changes and rows that no snapshot brings back. */
  const gap = new Set<string>();
  let nextId = ROWS;
  let writer: VersionedWriter;
  let client: Client;
  const write = async (): Promise<void> => {
    client = new Client({ connectionString: postgres.serverUrl });
    client.on('error', () => undefined);
    await client.connect();
    writer = new VersionedWriter(client, nextId, random.next, 100);
    writer.start();
  };
  const stopWriting = async (): Promise<void> => {
    await writer.stop();
    await client.end();
    changes.push(...writer.changes);
    nextId = writer.next;
  };

  let stalls = 0;
  let runningStalls = 0;
  let operatorRestarts = 0;
  let longest = 0;
  /** Resolves when changes arrive; an operator restarts a task that stays FAILED. */
  const settled = async (what: string): Promise<void> => {
    const began = performance.now();
    for (;;) {
      if ((await sentinel.beat(5_000)) !== null) break;
      const state = await taskState([worker], CONNECTOR);
      const waited = performance.now() - began;
      if (state === 'FAILED' && waited > 20_000) {
        operatorRestarts++;
        await worker.request('POST', `/connectors/${CONNECTOR}/restart?includeTasks=true&onlyFailed=true`);
      }
      if (waited < STALL_MS) continue;
      stalls++;
      if (state === 'RUNNING') runningStalls++;
      console.log(`after "${what}", nothing arrives for ${whole(waited)} ms, and the task is ${state}`);
      console.log(worker.process.log().split('\n').slice(-15).join('\n'));
      await worker.request('POST', `/connectors/${CONNECTOR}/restart?includeTasks=true`);
      await waitFor('changes to arrive again', async () => (await sentinel.beat(5_000)) !== null, {
        timeoutMs: STALL_MS,
      });
      break;
    }
    longest = Math.max(longest, performance.now() - began);
  };

  await worker.running(CONNECTOR);
  await sentinel.read(kafka.bootstrapServers, `${run}.public.${Sentinel.TABLE}`);
  atEnd(() => sentinel.stop());
  await write();
  await settled('the start');

  const signal = async (type: 'incremental' | 'blocking'): Promise<void> => {
    const data = JSON.stringify({ type, 'data-collections': tables.map((table) => `public.${table}`) });
    const id = randomBytes(8).toString('hex');
    await postgres.query(`INSERT INTO signals VALUES ('${id}', 'execute-snapshot', '${data}')`);
  };

  const kinds = FAULTS.filter(({ kind }) => KINDS.includes(kind));
  let silent = 0;
  const began = performance.now();
  for (let count = 0; count < COUNT; count++) {
    const fault = kinds[count % kinds.length] as Fault;
    const snapshot = random.one([null, 'incremental', 'blocking'] as const);
    if (fault.opensGap) {
      await stopWriting();
      await settled(`${fault.kind}, before`);
      await write();
    }
    if (snapshot !== null) await signal(snapshot);
    await sleep(random.next() * 1500);
    console.log(`${count + 1}: ${fault.kind}${snapshot === null ? '' : ` during ${snapshot} snapshot`}`);
    const atWork = worker;
    const saidBefore = complaints(worker);
    const atFault = changes.length;
    if (fault.replacesServer) await stopWriting();
    await fault.run({ postgres, random, tables, publication: 'dbz_publication', slot: 'debezium' }, async () => {
      // What the new server does not have.
      await write();
      await sleep(1000);
      await stopWriting();
      for (const change of writer.changes) gap.add(change);
    });
    if (fault.replacesServer) await write();
    await sleep(random.next() * 3000);
    const said = complaints(worker) > saidBefore;
    if (random.chance(0.2)) worker = await freezeBeside(worker, start, random.next);
    else if (random.chance(0.8)) {
      await worker.crash();
      worker = await start();
    }
    await settled(fault.kind);
    if (!fault.opensGap) continue;
    const isSaid = (): boolean => said || complaints(worker) > (worker === atWork ? saidBefore : 0);
    if (!(await within(SAID_MS, isSaid))) {
      silent++;
      console.log(`nothing was said of "${fault.kind}"`);
    }
    await stopWriting();
    for (const change of changes.slice(atFault)) gap.add(change);
    await write();
    if (fault.needsSnapshot) await signal('incremental');
  }
  await stopWriting();
  await settled('the end');
  const ended = performance.now() + 300_000;
  let wrong = await compare();
  while (wrong.stale.length + wrong.lost.length > 0 && performance.now() < ended) {
    await sleep(3000);
    wrong = await compare();
  }
  figure('faults', whole(COUNT));
  figure('duration', `${((performance.now() - began) / 1000).toFixed(0)} s`);
  figure('changes committed', whole(changes.length));
  figure('changes in gaps', whole(gap.size));
  figure('restarts by an operator', whole(operatorRestarts));
  figure('longest until changes arrived', `${whole(longest)} ms`, `${whole(STALL_MS)} ms`);
  figure('changes lost outside of gaps', whole(wrong.lost.length), '0');
  figure('rows with another last state', whole(wrong.stale.length), '0');
  figure('deleted rows still alive', whole(wrong.ghosts.length), '0');
  figure('wrong values of the sentinel', whole(sentinel.wrong), '0');
  figure('gaps without a word', whole(silent), '0');
  figure('stalls', whole(stalls), '0');
  figure('RUNNING that does not run', whole(runningStalls), '0');
  for (const [what, rows] of Object.entries(wrong) as [string, readonly string[]][])
    for (const row of rows.slice(0, 10)) console.log(`${what}: ${row}`);
  const count = Object.values(wrong).reduce((sum, rows) => sum + rows.length, 0);
  if (count + sentinel.wrong + silent + stalls > 0) throw new Error('changes were lost, stale or late');

  async function compare(): Promise<Record<'lost' | 'stale' | 'ghosts', string[]>> {
    const history = await readHistory(kafka.bootstrapServers, run, tables);
    const inGap = new Set([...gap].map((change) => change.split(' ').slice(0, 2).join(' ')));
    const held = new Map<string, number>();
    for (const table of tables)
      for (const { id, v } of await postgres.query<{ id: number; v: number }>(
        `SELECT id::float8, v::float8 FROM ${table}`,
      ))
        held.set(`${table} ${id}`, v);
    return {
      lost: changes.filter((change) => !gap.has(change) && !history.events.has(change)),
      stale: [...held].filter(([row, v]) => history.last.get(row) !== v).map(([row]) => row),
      ghosts: [...history.last]
        .filter(([row, v]) => v !== GONE && !held.has(row) && !inGap.has(row))
        .map(([row]) => row),
    };
  }
});

async function within(limitMs: number, test: () => boolean): Promise<boolean> {
  for (const limit = performance.now() + limitMs; performance.now() < limit; await sleep(250)) if (test()) return true;
  return test();
}

/** Lines of the log that an operator would look at. */
function complaints(worker: StartedWorker): number {
  return worker.process
    .log()
    .split('\n')
    .filter((line) => /\b(WARN|ERROR)\b/.test(line)).length;
}
