/**
 * The embedded broker compared with Apache Kafka: throughput of Java's clients with one partition, and startup time
 * with 1 GB in 100 partitions. `npm run bench -- embedded-broker [RECORDS]` (Default: 100,000 of 1,000 bytes; the start
 * has 1,000,000)
 */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { remove } from 'fs-extra';
import { runKafkaTool, startKafka } from '../dev/services/kafka';
import { benchmark, figure, heading, median, whole } from './lib/report';
import { startEmbedded } from './lib/embedded-process';
import { cpuSeconds, residentMegabytes } from './lib/usage';

const RECORDS = Number(process.argv[2] ?? 100_000);
const ROUNDS = 3;
const WARM_UP = 50_000;
const SIZE = 1_000;
const STORED = 1_000_000;
const PARTITIONS = 100;
const TOOLS = 'org.apache.kafka.tools';

/** Records per second. */
async function produce(bootstrap: string, topic: string, records: number): Promise<number> {
  const output = await runKafkaTool(`${TOOLS}.ProducerPerformance`, [
    ...['--bootstrap-server', bootstrap, '--topic', topic, '--throughput', '-1'],
    ...['--num-records', String(records), '--record-size', String(SIZE)],
  ]);
  return Number(/, ([\d.]+) records\/sec/.exec(output.trim().split('\n').at(-1) as string)?.[1]);
}

/** Records per second, without the time to join the group. */
async function consume(bootstrap: string, topic: string, records: number): Promise<number> {
  const output = await runKafkaTool(`${TOOLS}.ConsumerPerformance`, [
    ...['--bootstrap-server', bootstrap, '--topic', topic, '--num-records', String(records), '--timeout', '60000'],
  ]);
  return Number(output.trim().split('\n').at(-1)?.split(', ').at(-1));
}

benchmark(async (atEnd) => {
  heading(
    `The embedded broker and Apache Kafka by turns, one partition, acks=all, ${whole(RECORDS)} records of ${SIZE} bytes`,
  );
  const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-embedded-'));
  atEnd(() => remove(folder));
  const kafka = await startKafka({ heap: '-Xmx1g -Xms1g' });
  atEnd(kafka.stop);
  const topic = 'bench';
  const create = (bootstrap: string, partitions: number) =>
    runKafkaTool(`${TOOLS}.TopicCommand`, [
      ...['--bootstrap-server', bootstrap, '--create', '--topic', topic],
      ...['--partitions', String(partitions), '--replication-factor', '1'],
    ]);

  const never = await startEmbedded({ dataDir: join(folder, 'never'), fsync: 'never' });
  const always = await startEmbedded({ dataDir: join(folder, 'always'), fsync: 'always' });
  const contestants = [
    { name: 'Apache Kafka', bootstrap: kafka.bootstrapServers, pid: kafka.pid as number },
    { name: 'embedded, fsync never', bootstrap: never.bootstrapServers, pid: never.pid },
    { name: 'embedded, fsync always', bootstrap: always.bootstrapServers, pid: always.pid },
  ].map((contestant) => ({ ...contestant, produce: [] as number[], cpu: [] as number[], consume: [] as number[] }));
  for (const { bootstrap } of contestants) {
    await create(bootstrap, 1);
    await produce(bootstrap, topic, WARM_UP);
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const each of contestants) {
      const used = cpuSeconds(each.pid);
      each.produce.push(await produce(each.bootstrap, topic, RECORDS));
      each.cpu.push(((cpuSeconds(each.pid) - used) / RECORDS) * 1e6);
      each.consume.push(await consume(each.bootstrap, topic, RECORDS));
    }
  }
  const [theirs] = contestants;
  const share = (rates: readonly number[], of: readonly number[]) =>
    `${Math.round((100 * median(rates)) / median(of))} %`;
  for (const each of contestants) {
    console.log(`  -- ${each.name}`);
    figure('produce', `${whole(median(each.produce))} rec/s`);
    if (each !== theirs) figure('  of Apache Kafka', share(each.produce, theirs!.produce));
    figure('  CPU of the broker', `${median(each.cpu).toFixed(1)} µs/rec`);
    figure('consume', `${whole(median(each.consume))} rec/s`);
    if (each !== theirs) figure('  of Apache Kafka', share(each.consume, theirs!.consume));
    figure('memory afterwards', `${whole(residentMegabytes(each.pid))} MiB`);
  }
  await Promise.all([never.stop(), always.stop()]);

  console.log('  -- start');
  const large = { dataDir: join(folder, 'large') };
  const filled = await startEmbedded(large);
  await create(filled.bootstrapServers, PARTITIONS);
  await produce(filled.bootstrapServers, topic, STORED);
  await filled.kill();
  const afterKill = await startEmbedded(large);
  figure(
    `start with ${whole((STORED * SIZE) / 1e6)} MB, ${PARTITIONS} partitions, after SIGKILL`,
    `${whole(afterKill.startMs)} ms`,
  );
  await afterKill.stop();
  const afterStop = await startEmbedded(large);
  figure('the same after a stop', `${whole(afterStop.startMs)} ms`);
  await afterStop.stop();
});
