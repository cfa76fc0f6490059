/**
 * Peak memory of a worker that reads very many rows of about 200 B from PostgreSQL, each time in a new process: a
 * stream of small transactions, one large transaction without and with `pgoutput.streaming`, and the snapshot of a
 * large table. `npm run bench -- postgres-memory [ROWS_IN_TRANSACTION [ROWS_IN_SNAPSHOT [ROWS_IN_STREAM]]]` (Default:
 * 5,000,000, 20,000,000 and 1,000,000: about 20 GB of disk.)
 */
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { useOrStartKafka } from '../dev/services/kafka';
import { startPostgres } from '../dev/services/postgres';
import { postgresSource } from '../dev/services/postgres-source';
import { startWorker } from '../dev/services/worker';
import { benchmark, figure, heading, whole } from './lib/report';
import { createSampleSource, insertInTransactions, insertSampleRows } from './lib/sample-rows';
import { TopicSize } from './lib/topic-size';
import { measure } from './lib/usage';

const [IN_TRANSACTION = 5_000_000, IN_SNAPSHOT = 20_000_000, IN_STREAM = 1_000_000] = process.argv.slice(2).map(Number);
const PER_SMALL_TRANSACTION = 1000;
/** The topics keep only the newest records: what counts is the end offset. */
const RETENTION = { 'retention.bytes': '268435456', 'segment.bytes': '67108864' };

interface Reading {
  readonly what: string;
  readonly table: 'small' | 'large' | 'stored';
  readonly rows: number;
  readonly settings: Readonly<Record<string, string>>;
}

const STREAM = { 'snapshot.mode': 'no_data' };
const READINGS: readonly Reading[] = [
  { what: 'stream', table: 'small', rows: IN_STREAM, settings: STREAM },
  { what: 'transaction', table: 'large', rows: IN_TRANSACTION, settings: STREAM },
  {
    what: 'transaction, streaming=on',
    table: 'large',
    rows: IN_TRANSACTION,
    settings: { ...STREAM, 'pgoutput.streaming': 'on' },
  },
  { what: 'snapshot', table: 'stored', rows: IN_SNAPSHOT, settings: {} },
];

benchmark(async (atEnd) => {
  const postgres = await startPostgres({
    settings: { max_wal_size: '8GB', checkpoint_timeout: '30min', shared_buffers: '256MB' },
  });
  atEnd(postgres.stop);
  const kafka = await useOrStartKafka({ heap: '-Xmx1g -Xms1g' });
  atEnd(kafka.stop);
  const database = new Client({ connectionString: postgres.url });
  await database.connect();
  atEnd(() => database.end());
  heading('PostgreSQL → Kafka, peak memory of the worker');

  const run = `memory_${randomBytes(3).toString('hex')}`;
  const id = (at: number): string => `${run}_${at}`;
  const createSlots = async (table: Reading['table']): Promise<void> => {
    for (const [at, reading] of READINGS.entries())
      if (reading.table === table)
        await database.query(`SELECT pg_create_logical_replication_slot('${id(at)}', 'pgoutput')`);
  };
  const insert = (table: Reading['table'], from: number, to: number) =>
    database.query(insertSampleRows(table, from, to));

  for (const table of ['small', 'large', 'stored'] as const) await createSampleSource(database, table, table);
  await insert('stored', 1, IN_SNAPSHOT);
  await database.query('VACUUM ANALYZE stored');
  await createSlots('small');
  await insertInTransactions(database, 'small', IN_STREAM, PER_SMALL_TRANSACTION);
  await createSlots('large');
  await insert('large', 1, IN_TRANSACTION);

  let ordinary = 0;
  for (const [at, { what, table, rows, settings }] of READINGS.entries()) {
    const topic = new TopicSize(kafka.bootstrapServers, `${id(at)}.public.${table}`);
    await topic.create(1, RETENTION);
    const worker = await startWorker({ bootstrapServers: kafka.bootstrapServers, group: id(at) });
    try {
      await worker.ready();
      const usage = measure(worker.pid);
      await worker.register({
        name: id(at),
        config: postgresSource(postgres.url, {
          'topic.prefix': id(at),
          'slot.name': id(at),
          'publication.name': table,
          'publication.autocreate.mode': 'disabled',
          'table.include.list': `public.${table}`,
          ...settings,
        }),
      });
      await topic.reaches(rows, worker, id(at));
      const { cpu, peak, seconds } = usage.end();
      if (at === 0) ordinary = peak;
      figure(`${what}: rows`, whole(rows));
      figure(`${what}: time, CPU`, `${seconds.toFixed(0)} s, ${cpu.toFixed(0)} s`);
      figure(`${what}: peak RSS`, `${whole(peak)} MiB`);
      if (at > 0) figure(`${what}: peak RSS : stream's`, (peak / ordinary).toFixed(2), '≤ 1.1');
    } finally {
      await worker.stop();
      await topic.close();
    }
    await database.query('SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = $1', [
      id(at),
    ]);
  }
});
