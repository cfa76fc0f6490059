/**
 * Speed and CPU time of the PostgreSQL connector alone: reads a backlog of inserted rows (about 200 B each) from a slot
 * into source records, without converter and Kafka. `npm run bench -- postgres-decode [ROWS]` (Default: 500,000).
 * TEST_POSTGRES_URL: use that server (superuser).
 */
import { randomBytes } from 'node:crypto';
import type { SourceRecord } from '@millrace/sdk';
import { MemoryConnection, MemoryConsumers, MemoryMetrics, MemoryProducers } from '@millrace/sdk/testing';
import { Client } from 'pg';
import { PostgresSourceTask } from '../connectors/postgres/src/task';
import { startPostgres } from '../dev/services/postgres';
import { benchmark, figure, heading, whole } from './lib/report';
import { createSampleSource, insertInTransactions } from './lib/sample-rows';

const ROWS = Number(process.argv[2] ?? 500_000);
const PER_TRANSACTION = 1000;

benchmark(async (atEnd) => {
  let server = process.env.TEST_POSTGRES_URL;
  if (server === undefined) {
    const postgres = await startPostgres({ settings: { max_wal_size: '8GB', shared_buffers: '256MB' } });
    atEnd(postgres.stop);
    server = postgres.url;
  }
  const name = `bench_${randomBytes(4).toString('hex')}`;
  const admin = new Client({ connectionString: server });
  await admin.connect();
  atEnd(() => admin.end());
  await admin.query(`CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const database = new Client({ connectionString: url.toString() });
  await database.connect();
  atEnd(async () => {
    await database.query(
      `SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = '${name}'`,
    );
    await database.end();
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
  });
  await createSampleSource(database, 'backlog', 'bench', [name]);
  await insertInTransactions(database, 'backlog', ROWS, PER_TRANSACTION);

  const stop = new AbortController();
  const quiet = (): void => undefined;
  const task = new PostgresSourceTask();
  const config = {
    'database.hostname': url.hostname,
    'database.port': url.port || '5432',
    'database.user': decodeURIComponent(url.username),
    'database.password': decodeURIComponent(url.password),
    'database.dbname': name,
    'topic.prefix': name,
    'slot.name': name,
    'publication.name': 'bench',
    'publication.autocreate.mode': 'disabled',
    'snapshot.mode': process.env.SNAPSHOT ? 'initial_only' : 'no_data',
  };
  await task.start(config, {
    connector: name,
    task: 0,
    logger: { error: console.error, warn: console.error, info: quiet, debug: quiet, trace: quiet },
    signal: stop.signal,
    workerSettings: {},
    metrics: new MemoryMetrics(),
    connection: new MemoryConnection(),
    createProducer: new MemoryProducers().create,
    createConsumer: new MemoryConsumers().create,
    exactlyOnce: false,
    transactionContext: null,
    columnConverter: () => Promise.reject(new Error('none')),
    configs: () => config,
    offsets: { offset: async () => null, offsets: async () => [] },
    storeOffset: async () => undefined,
  });
  heading(`PostgreSQL → records, a backlog of ${whole(ROWS)} rows`);
  let rows = 0;
  let batches = 0;
  const cpu = process.cpuUsage();
  const began = performance.now();
  let peak = 0;
  while (rows < ROWS) {
    const records: readonly SourceRecord[] | null = await task.poll();
    rows += records?.length ?? 0;
    batches++;
    peak = Math.max(peak, process.memoryUsage.rss());
  }
  const seconds = (performance.now() - began) / 1000;
  const used = process.cpuUsage(cpu);
  stop.abort();
  await task.stop();
  figure('rows per second', whole(rows / seconds));
  figure('CPU per row', `${((used.user + used.system) / rows).toFixed(2)} µs (user ${(used.user / rows).toFixed(2)})`);
  figure('rows per batch', whole(rows / batches));
  figure('peak resident memory', `${whole(peak / 1048576)} MB`);
});
