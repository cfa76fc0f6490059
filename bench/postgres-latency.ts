/**
 * Latency of the PostgreSQL source: from the return of COMMIT to the record in a consumer in another process. Rows of
 * about 200 B are inserted in an open loop, at some rates, one and ten per transaction; JSON without schemas.
 * `npm run bench -- postgres-latency [SECONDS [RATE…]]` (Default: 10 seconds for each of 1,000 and 5,000 rows/s)
 */
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { useOrStartKafka } from '../dev/services/kafka';
import { startPostgres } from '../dev/services/postgres';
import { postgresSource } from '../dev/services/postgres-source';
import { waitFor } from '../dev/services/wait-for';
import { startWorker } from '../dev/services/worker';
import { followTopic, microseconds, type Arrival } from './lib/arrivals';
import { benchmark, figure, heading, whole } from './lib/report';
import { createSampleSource, insertSampleRows } from './lib/sample-rows';
import { measure } from './lib/usage';

const SECONDS = Number(process.argv[2] ?? 10);
const RATES = process.argv.length > 3 ? process.argv.slice(3).map(Number) : [1000, 5000];
const ROWS_PER_TRANSACTION = [1, 10];
const CONNECTIONS = 8;
/** Of each run, before its figures count. */
const WARM_UP_SECONDS = 2;
/** E.g. `BENCH_NODE_FLAGS="--cpu-prof --cpu-prof-dir=/tmp/profiles"`, one profile per thread. */
const NODE_FLAGS = (process.env.BENCH_NODE_FLAGS ?? '').split(' ').filter(Boolean);
/** E.g. `BENCH_CONNECTOR='{"producer.override.linger.ms":"0"}'`, which override the settings below. */
const EXTRA = JSON.parse(process.env.BENCH_CONNECTOR ?? '{}') as Record<string, string>;

class OpenLoop {
  /** When COMMIT has returned, by id of the row. */
  readonly committed = new Map<number, number>();
  private idle: Client[];
  private pending: number[] = [];
  private next = 0;

  constructor(connections: readonly Client[]) {
    this.idle = [...connections];
  }

  /** Starts transactions at their time, whatever became of those before. @returns the first id that counts */
  async run(rate: number, perTransaction: number): Promise<number> {
    const began = performance.now();
    const first = this.next;
    let counts = first;
    for (let elapsed = 0; elapsed < SECONDS + WARM_UP_SECONDS; elapsed = (performance.now() - began) / 1000) {
      if (elapsed < WARM_UP_SECONDS) counts = this.next;
      for (; this.next - first < elapsed * rate; this.next += perTransaction) this.pending.push(this.next);
      this.start(perTransaction);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await waitFor('all transactions', () => this.pending.length === 0 && this.idle.length === CONNECTIONS, {
      everyMs: 5,
    });
    return counts;
  }

  private start(perTransaction: number): void {
    while (this.pending.length > 0 && this.idle.length > 0) void this.insert(perTransaction);
  }

  private async insert(perTransaction: number): Promise<void> {
    const client = this.idle.pop() as Client;
    const from = this.pending.shift() as number;
    const to = from + perTransaction - 1;
    await client.query(insertSampleRows('rows', from, to));
    const now = microseconds();
    for (let id = from; id <= to; id++) this.committed.set(id, now);
    this.idle.push(client);
    this.start(perTransaction);
  }
}

/** Milliseconds. */
function spread(name: string, latencies: readonly number[]): void {
  const sorted = latencies.map((latency) => latency / 1000).sort((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor((sorted.length - 1) * share)] as number).toFixed(1);
  figure(name, `${at(0.5)} / ${at(0.99)} / ${at(1)}`);
}

benchmark(async (atEnd) => {
  const postgres = await startPostgres({ settings: { max_wal_size: '8GB', shared_buffers: '256MB' } });
  atEnd(postgres.stop);
  const kafka = await useOrStartKafka({ heap: '-Xmx1g -Xms1g' });
  atEnd(kafka.stop);
  heading('PostgreSQL → consumer, milliseconds: p50 / p99 / max');

  const connections = Array.from({ length: CONNECTIONS }, () => new Client({ connectionString: postgres.url }));
  for (const client of connections) {
    await client.connect();
    atEnd(() => client.end());
  }
  const [database] = connections as [Client];
  await createSampleSource(database, 'rows', 'bench');

  const run = `bench-${randomBytes(3).toString('hex')}`;
  const worker = await startWorker({ bootstrapServers: kafka.bootstrapServers, group: run, nodeFlags: NODE_FLAGS });
  atEnd(() => worker.stop());
  await worker.ready();
  const json = 'org.apache.kafka.connect.json.JsonConverter';
  await worker.register({
    name: 'bench',
    config: postgresSource(postgres.url, {
      'topic.prefix': run,
      'slot.name': 'bench',
      'publication.name': 'bench',
      'publication.autocreate.mode': 'disabled',
      'snapshot.mode': 'no_data',
      'table.include.list': 'public.rows',
      'key.converter': json,
      'key.converter.schemas.enable': 'false',
      'value.converter': json,
      'value.converter.schemas.enable': 'false',
      ...EXTRA,
    }),
  });
  await waitFor('the stream', async () => {
    const { rowCount } = await database.query('SELECT FROM pg_replication_slots WHERE active');
    return rowCount === 1;
  });
  const arrived = new Map<number, Arrival>();
  await database.query(insertSampleRows('rows', -1, -1));
  const stop = await followTopic(kafka.bootstrapServers, `${run}.public.rows`, (arrivals) => {
    for (const arrival of arrivals) arrived.set(arrival.id, arrival);
  });
  atEnd(stop);
  await waitFor('the first row', () => arrived.has(-1));

  const loop = new OpenLoop(connections);
  for (const rate of RATES)
    for (const perTransaction of ROWS_PER_TRANSACTION) {
      const usage = measure(worker.pid);
      const first = await loop.run(rate, perTransaction);
      const { committed } = loop;
      const last = committed.size - 1;
      await waitFor('the last row', () => arrived.has(last));
      const used = usage.end();
      const rows = Array.from({ length: last - first + 1 }, (_, i) => first + i);
      const of = (id: number): Arrival => arrived.get(id) as Arrival;
      const name = `${whole(rate)} rows/s, ${perTransaction} per transaction`;
      spread(
        name,
        rows.map((id) => of(id).seen - (committed.get(id) as number)),
      );
      spread(
        '  server’s commit → decoded',
        rows.map((id) => of(id).decoded - of(id).committed),
      );
      spread(
        '  decoded → consumer',
        rows.map((id) => of(id).seen - of(id).decoded),
      );
      figure('  worker, CPU', `${((used.cpu / (SECONDS + WARM_UP_SECONDS)) * 100).toFixed(0)} %`);
    }
});
