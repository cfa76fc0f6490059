/**
 * What exactly-once delivery of a source costs: the file source with it off and on, by turns, on the broker that
 * `TEST_BROKER` names. Throughput is up to the last line that Kafka has; latency is from the poll that returned a line
 * to a consumer of committed records.
 * `npm run bench -- exactly-once [LINES] [BATCH]` (Default: 300,000 lines, 2,000 a poll)
 */
import { randomBytes } from 'node:crypto';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useOrStartBroker } from '../dev/services/broker';
import { waitFor } from '../dev/services/wait-for';
import { startWorker, type StartedWorker } from '../dev/services/worker';
import { createKafkaClients } from '@millrace/kafka-client/clients';
import type { Admin, KafkaClients } from '@millrace/kafka-client';
import { silentLogger } from '../src/logging/logger';
import { benchmark, figure, heading, median, whole } from './lib/report';

const LINES = Number(process.argv[2] ?? 300_000);
const BATCH = process.argv[3] ?? '2000';
const BYTES = 200;
const ROUNDS = 3;
/** Lines a second, and seconds, of the measurement of latency. */
const RATE = 1_000;
const SECONDS = 10;

interface Mode {
  readonly name: string;
  readonly exactlyOnce: boolean;
  readonly config: Record<string, string>;
}
const MODES: readonly Mode[] = [
  { name: 'at least once', exactlyOnce: false, config: {} },
  { name: 'exactly once, boundary poll', exactlyOnce: true, config: { 'transaction.boundary': 'poll' } },
  {
    name: 'exactly once, boundary interval of 1 s',
    exactlyOnce: true,
    config: { 'transaction.boundary': 'interval', 'transaction.boundary.interval.ms': '1000' },
  },
];

class Run {
  private number = 0;

  constructor(
    private readonly client: Record<string, string>,
    private readonly clients: KafkaClients,
    private readonly admin: Admin,
    private readonly prefix: string,
  ) {}

  /** Lines a second. */
  async throughput(worker: StartedWorker, mode: Mode): Promise<number> {
    const { name, file } = this.next(worker);
    writeFileSync(file, `${'x'.repeat(BYTES - 1)}\n`.repeat(LINES));
    const began = performance.now();
    await this.start(worker, mode, name, file);
    await waitFor('all lines', async () => (await this.written(name)) >= LINES, {
      timeoutMs: 600_000,
      everyMs: 20,
      detail: () => worker.process.log().slice(-2000),
    });
    const seconds = (performance.now() - began) / 1000;
    await worker.request('DELETE', `/connectors/${name}`);
    return LINES / seconds;
  }

  /** Milliseconds of each line. */
  async latencies(worker: StartedWorker, mode: Mode): Promise<number[]> {
    const { name, file } = this.next(worker);
    writeFileSync(file, '');
    await this.start(worker, mode, name, file);
    const partition = { topic: name, partition: 0 };
    const consumer = this.clients.assignedConsumer({ ...this.client, 'isolation.level': 'read_committed' });
    await consumer.connect();
    consumer.assign([partition]);
    await consumer.seekToBeginning([partition]);
    const latencies: number[] = [];
    const writing = setInterval(() => appendFileSync(file, `${'x'.repeat(BYTES - 1)}\n`.repeat(RATE / 50)), 20);
    const end = performance.now() + SECONDS * 1000;
    while (performance.now() < end)
      for (const { records } of await consumer.poll(100)) {
        const now = Date.now();
        for (const { timestamp } of records) latencies.push(now - timestamp);
      }
    clearInterval(writing);
    await consumer.close();
    await worker.request('DELETE', `/connectors/${name}`);
    return latencies.sort((a, b) => a - b);
  }

  private next(worker: StartedWorker): { name: string; file: string } {
    const name = `${this.prefix}-${++this.number}`;
    return { name, file: join(worker.folder, `${name}.txt`) };
  }

  private async start(worker: StartedWorker, mode: Mode, name: string, file: string): Promise<void> {
    await this.admin.createTopics([{ name, partitions: 1, replicationFactor: 1 }]);
    const text = 'org.apache.kafka.connect.storage.StringConverter';
    const own = { 'key.converter': text, 'value.converter': text, topic: name, file, 'batch.size': BATCH };
    await worker.register({
      name,
      config: {
        'connector.class': 'org.apache.kafka.connect.file.FileStreamSourceConnector',
        ...own,
        ...mode.config,
      },
    });
  }

  /** Transaction markers count as well: one for many thousand lines. */
  private async written(topic: string): Promise<number> {
    const [last] = await this.admin.listOffsets([{ topic, partition: 0 }], 'latest');
    return last?.offset ?? 0;
  }
}

benchmark(async (atEnd) => {
  const broker = await useOrStartBroker();
  atEnd(broker.stop);
  heading(`file → Kafka, ${whole(LINES)} lines of ${BYTES} B, ${BATCH} a poll, median of ${ROUNDS} runs by turns`);
  const client = { 'bootstrap.servers': broker.bootstrapServers };
  const clients = createKafkaClients(silentLogger);
  const admin = clients.admin(client);
  atEnd(() => admin.close());
  const prefix = `bench-${randomBytes(3).toString('hex')}`;
  const start = async (group: string, support: string): Promise<StartedWorker> => {
    const settings = { 'exactly.once.source.support': support };
    const worker = await startWorker({ bootstrapServers: broker.bootstrapServers, group, settings });
    atEnd(() => worker.stop());
    await worker.ready();
    return worker;
  };
  const off = await start(`${prefix}-off`, 'disabled');
  const on = await start(`${prefix}-on`, 'enabled');
  const run = new Run(client, clients, admin, prefix);
  const rates = MODES.map((): number[] => []);
  for (let round = -1; round < ROUNDS; round++)
    for (const [at, mode] of MODES.entries()) {
      const rate = await run.throughput(mode.exactlyOnce ? on : off, mode);
      // The first round warms up.
      if (round >= 0) rates[at]?.push(rate);
    }
  const base = median(rates[0] ?? []);
  for (const [at, { name, exactlyOnce }] of MODES.entries()) {
    const rate = median(rates[at] ?? []);
    figure(name, `${whole(rate)} /s`);
    if (exactlyOnce) figure('  of at least once', (rate / base).toFixed(2), '0.80');
  }
  for (const mode of MODES) {
    const sorted = await run.latencies(mode.exactlyOnce ? on : off, mode);
    const at = (share: number): string => `${whole(sorted[Math.floor(sorted.length * share)] ?? NaN)} ms`;
    figure(`${mode.name}: poll to consumer, median`, at(0.5));
    figure('  99 %', at(0.99));
  }
});
