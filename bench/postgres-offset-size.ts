/**
 * Offsets of a connector whose state names thousands of tables: one transaction changes all of them, counted by
 * `provide.transaction.metadata`, and an incremental snapshot reads all of them. The worker is killed in both. Counts
 * what is missing, and prints the size of the largest offset (1 MiB is what a broker takes) and the times.
 * `npm run bench -- postgres-offset-size [TABLES [ROWS]]` (Default: 5,500 tables of 3 rows.) All tables go to one
 * topic.
 */
import { randomBytes } from 'node:crypto';
import { Kafka, logLevel } from 'kafkajs';
import { Client } from 'pg';
import { useOrStartKafka } from '../dev/services/kafka';
import { startPostgres } from '../dev/services/postgres';
import { postgresSource } from '../dev/services/postgres-source';
import { waitFor } from '../dev/services/wait-for';
import { startKillable } from './lib/killable-worker';
import { benchmark, figure, heading, whole } from './lib/report';
import { TopicSize } from './lib/topic-size';
import { measure } from './lib/usage';

const TABLES = Number(process.argv[2] ?? 5500);
const ROWS = Number(process.argv[3] ?? 3);
/** A signal names as many tables as its column holds. */
const TABLES_PER_SIGNAL = 1000;
const LIMIT_MS = 3_600_000;

interface Event {
  readonly op?: string;
  readonly status?: string;
  readonly event_count?: number;
  readonly data_collections?: readonly unknown[];
  readonly source?: { readonly table: string };
  readonly after?: { readonly id: number; readonly v: number };
}

benchmark(async (atEnd) => {
  const settings = { max_wal_size: '4GB', max_locks_per_transaction: '1024', wal_keep_size: '1GB' };
  const postgres = await startPostgres({ settings });
  atEnd(postgres.stop);
  const kafka = await useOrStartKafka({});
  atEnd(kafka.stop);
  const database = new Client({ connectionString: postgres.url });
  await database.connect();
  atEnd(() => database.end());
  await database.query('CREATE TABLE signals (id text PRIMARY KEY, type text, data text)');
  for (let i = 0; i < TABLES; i++)
    await database.query(
      `CREATE TABLE t_${i} (id int PRIMARY KEY, v int); INSERT INTO t_${i} SELECT n, 0 FROM generate_series(1, ${ROWS}) n`,
    );
  heading(`Offsets of a connector with ${whole(TABLES)} tables of ${ROWS} rows`);

  const id = `offsets_${randomBytes(3).toString('hex')}`;
  const topic = new TopicSize(kafka.bootstrapServers, id);
  await topic.create();
  atEnd(() => topic.close());
  const start = () => startKillable(kafka.bootstrapServers, id, { 'offset.flush.interval.ms': '500' });
  let worker = await start();
  atEnd(async () => await worker.stop());
  const errors = (): number => (worker.process.log().match(/\bERROR\b/g) ?? []).length;
  let logged = 0;
  const kill = async (): Promise<void> => {
    logged += errors();
    await worker.crash();
    worker = await start();
  };
  let began = performance.now();
  const elapsed = (): string => {
    const text = `${((performance.now() - began) / 1000).toFixed(1)} s`;
    began = performance.now();
    return text;
  };
  await worker.register({
    name: id,
    config: postgresSource(postgres.url, {
      ...{ 'topic.prefix': id, 'slot.name': id, 'publication.name': id, 'publication.autocreate.mode': 'all_tables' },
      ...{ 'table.include.list': 'public\\.t_.*', 'snapshot.mode': 'no_data' },
      ...{ 'provide.transaction.metadata': 'true', 'signal.data.collection': 'public.signals' },
      ...{ transforms: 'one', 'transforms.one.type': 'org.apache.kafka.connect.transforms.RegexRouter' },
      ...{ 'transforms.one.regex': '.*', 'transforms.one.replacement': id },
      ...{ 'tombstones.on.delete': 'false', 'slot.max.retries': '600', 'slot.retry.delay.ms': '100' },
    }),
  });
  const streams = async (): Promise<boolean> =>
    (await database.query('SELECT FROM pg_replication_slots WHERE slot_name = $1 AND active', [id])).rowCount === 1;
  await waitFor('the stream', streams, { timeoutMs: LIMIT_MS });
  figure('registration to the stream', elapsed());

  await database.query(
    `DO $$ BEGIN FOR i IN 0..${TABLES - 1} LOOP EXECUTE format('UPDATE t_%s SET v = 1 WHERE id = 1', i); END LOOP; END $$`,
  );
  began = performance.now();
  await topic.reaches(TABLES / 3, worker, id);
  await kill();
  await waitFor('the whole transaction', async () => changed(await read()).size === TABLES && ends(await read()) > 0, {
    timeoutMs: LIMIT_MS,
    everyMs: 2000,
  });
  figure('transaction with a kill', elapsed());

  const usage = measure(worker.pid);
  for (let at = 0; at < TABLES; at += TABLES_PER_SIGNAL) {
    const names = Array.from({ length: Math.min(TABLES_PER_SIGNAL, TABLES - at) }, (_, i) => `public.t_${at + i}`);
    await database.query('INSERT INTO signals VALUES ($1, $2, $3)', [
      `all-${at}`,
      'execute-snapshot',
      JSON.stringify({ 'data-collections': names, type: 'incremental' }),
    ]);
  }
  await waitFor('a third of the rows', async () => snapshotRows(await read()).size >= (TABLES * ROWS) / 3, {
    timeoutMs: LIMIT_MS,
    everyMs: 5000,
  });
  figure('peak RSS', `${whole(usage.end().peak)} MiB`);
  await kill();
  let last = -1;
  // Until it stands still: signals that do not fit are refused.
  await waitFor(
    'the snapshot to end',
    async () => {
      const { size } = snapshotRows(await read());
      const isOver = size === last || size === TABLES * ROWS;
      last = size;
      return isOver;
    },
    { timeoutMs: LIMIT_MS, everyMs: 15_000 },
  );
  figure('snapshot with a kill', elapsed());

  const refused = (worker.process.log().match(/is refused|PG_SIGNAL/g) ?? []).length;
  const offsets = await values(`${id}-offsets`);
  const events = await read();
  figure('changes of the transaction, missing', whole(TABLES - changed(events).size), '0');
  figure('tables in its END event', whole(endTables(events)), whole(TABLES));
  figure('rows of the snapshot, missing', whole(TABLES * ROWS - snapshotRows(events).size), '0');
  figure('lines that refuse a signal', whole(refused));
  figure('lines with ERROR', whole(logged + errors()), '0');
  figure('largest offset', `${whole(Math.max(...offsets.map(({ length }) => length)))} B`, `${whole(2 ** 20)} B`);

  async function read(): Promise<Event[]> {
    return (await values(id)).map((value) => JSON.parse(value.toString()) as Event);
  }

  async function values(name: string): Promise<Buffer[]> {
    const client = new Kafka({ brokers: kafka.bootstrapServers.split(','), logLevel: logLevel.NOTHING });
    const admin = client.admin();
    await admin.connect();
    const open = new Map<number, number>();
    for (const { partition, low, high } of await admin.fetchTopicOffsets(name))
      if (Number(high) > Number(low)) open.set(partition, Number(high));
    await admin.disconnect();
    const found: Buffer[] = [];
    if (open.size === 0) return found;
    const consumer = client.consumer({ groupId: `${id}-${randomBytes(4).toString('hex')}` });
    await consumer.connect();
    await consumer.subscribe({ topics: [name], fromBeginning: true });
    await new Promise<void>((resolve, reject) => {
      consumer
        .run({
          eachMessage: async ({ partition, message }) => {
            if (message.value !== null) found.push(message.value);
            if (Number(message.offset) + 1 >= (open.get(partition) ?? 0)) open.delete(partition);
            if (open.size === 0) resolve();
          },
        })
        .catch(reject);
    });
    await consumer.disconnect();
    return found;
  }
});

function changed(events: readonly Event[]): Set<string> {
  return new Set(events.flatMap(({ op, source }) => (op === 'u' ? [source?.table as string] : [])));
}

function snapshotRows(events: readonly Event[]): Set<string> {
  return new Set(events.flatMap(({ op, source, after }) => (op === 'r' ? [`${source?.table} ${after?.id}`] : [])));
}

function ends(events: readonly Event[]): number {
  return events.filter(({ status }) => status === 'END').length;
}

function endTables(events: readonly Event[]): number {
  return Math.max(0, ...events.map((event) => (event.status === 'END' ? (event.data_collections?.length ?? 0) : 0)));
}
