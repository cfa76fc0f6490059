/**
 * Throughput of one producer to one partition, and CPU time per record: ours with up to five batches in flight and with
 * one, without and with lz4, kafkajs's and Java's, then ours without a broker, also with batches of one record for
 * many topics, and with a broker that is 5 ms away. `npm run bench -- produce [RECORDS [ours|alone]]`
 * (Default: 500,000 of each size; `ours`: not the others; `alone`: only ours without a broker)
 */
import { randomBytes } from 'node:crypto';
import { Kafka, logLevel } from 'kafkajs';
import { runKafkaTool, useOrStartKafka } from '../dev/services/kafka';
import { createWire } from '../packages/kafka-client/src/network/network-client';
import type { Producer } from '@millrace/kafka-client';
import { createProducer } from '../packages/kafka-client/src/producer/producer';
import { silentLogger } from '../src/logging/logger';
import { benchmark, figure, heading, whole } from './lib/report';
import { answeringWire } from './lib/answering-wire';

const RECORDS = Number(process.argv[2] ?? 500_000);
const ONLY_OURS = process.argv[3] === 'ours';
const ALONE = process.argv[3] === 'alone';
/** Of a change without and with the schema that JSON records repeat. */
const SIZES = [400, 4_100];
/** Bytes at the start of each of the large values that are the same. */
const HEAD = 3_500;
const ROUND_TRIP_MS = 5;
const PAIRS = 3;
/** E.g. `BENCH_PRODUCER='{"batch.size":"262144"}'`, which override the settings below. */
const EXTRA = JSON.parse(process.env.BENCH_PRODUCER ?? '{}') as Record<string, string>;
const ONE_IN_FLIGHT = { 'max.in.flight.requests.per.connection': '1' };
const WARM_UP = 50_000;
const TOPICS = 200;
const PER_REQUEST = 50;
/** kafkajs sends each call's records at once, so many records per call are its best case. */
const KAFKAJS_RECORDS_PER_SEND = 1000;

interface Cost {
  readonly seconds: number;
  /** User and system time of this process, microseconds. */
  readonly cpu: number;
}

async function costOf(work: () => Promise<void>): Promise<Cost> {
  const began = performance.now();
  const cpu = process.cpuUsage();
  await work();
  const used = process.cpuUsage(cpu);
  return { seconds: (performance.now() - began) / 1000, cpu: used.user + used.system };
}

function report(name: string, records: number, size: number, cost: Cost): void {
  const rate = records / cost.seconds;
  figure(name, `${whole(rate)} rec/s`);
  figure('', `${whole((rate * size) / 1e6)} MB/s`);
  figure('', `${(cost.cpu / records).toFixed(2)} µs CPU/rec`);
}

/** As `withoutBroker`, each record for another one of many topics: `PER_REQUEST` batches of one record in a request. */
async function manyTopics(size: number): Promise<Cost> {
  const topics = Array.from({ length: TOPICS }, (_, i) => `bench_4a5b6c.bench_4a5b6c.t_${i}`);
  const producer = createProducer(answeringWire(topics, 0, PER_REQUEST), {}, silentLogger);
  await producer.connect();
  const value = valuesOf(size);
  const key = Buffer.from('key-of-a-row');
  const work = async (records: number): Promise<void> => {
    for (let i = 0; i < records; i++) {
      const topic = topics[i % TOPICS] as string;
      producer.send(
        { topic, partition: null, key, value: value(i), headers: null, timestamp: null },
        () => undefined,
        i,
      );
      if (i % PER_REQUEST === PER_REQUEST - 1) await producer.flush();
    }
  };
  await work(WARM_UP);
  const cost = await costOf(() => work(RECORDS));
  await producer.close();
  return cost;
}

/** Different values, so that compression gains no more than on random hexadecimal text. */
function valuesOf(size: number): (i: number) => Buffer {
  const pool = Buffer.from(randomBytes(2 ** 21).toString('hex'));
  const slots = Math.floor(pool.length / size);
  if (size > HEAD) for (let slot = 0; slot < slots; slot++) pool.copy(pool, slot * size, 0, HEAD);
  return (i) => pool.subarray((i % slots) * size, ((i % slots) + 1) * size);
}

async function fill(producer: Producer, topic: string, records: number, size: number): Promise<void> {
  const value = valuesOf(size);
  const key = Buffer.from('key-of-a-row');
  let failed: Error | null = null;
  const onDelivery = (error: Error | null): void => {
    failed ??= error;
  };
  for (let i = 0; i < records; i++) {
    const wait = producer.whenReady();
    if (wait !== null) await wait;
    producer.send({ topic, partition: 0, key, value: value(i), headers: null, timestamp: null }, onDelivery, i);
  }
  await producer.flush();
  if (failed !== null) throw failed as Error;
}

async function ours(bootstrap: string, topic: string, size: number, config: Record<string, string>): Promise<Cost> {
  const settings = { 'bootstrap.servers': bootstrap, ...config, ...EXTRA };
  const producer = createProducer(createWire(settings), settings, silentLogger);
  await producer.connect();
  await producer.prepare([topic]);
  await fill(producer, topic, WARM_UP, size);
  const cost = await costOf(() => fill(producer, topic, RECORDS, size));
  await producer.close();
  return cost;
}

/** Everything except the network and the broker: append, encode, checksum, callbacks. */
async function withoutBroker(size: number, config: Record<string, string> = {}, roundTripMs = 0): Promise<Cost> {
  const producer = createProducer(answeringWire(['t'], roundTripMs), config, silentLogger);
  await producer.connect();
  await fill(producer, 't', WARM_UP, size);
  const cost = await costOf(() => fill(producer, 't', RECORDS, size));
  await producer.close();
  return cost;
}

async function alone(size: number): Promise<void> {
  report('ours, no broker', RECORDS, size, await withoutBroker(size));
  report('ours, no broker, many topics', RECORDS, size, await manyTopics(size));
}

async function kafkajs(bootstrap: string, topic: string, size: number): Promise<Cost> {
  const producer = new Kafka({ brokers: bootstrap.split(','), logLevel: logLevel.NOTHING }).producer();
  await producer.connect();
  const value = valuesOf(size);
  const send = async (records: number): Promise<void> => {
    for (let sent = 0; sent < records; sent += KAFKAJS_RECORDS_PER_SEND) {
      const messages = Array.from({ length: KAFKAJS_RECORDS_PER_SEND }, (_, i) => ({
        key: 'key-of-a-row',
        value: value(sent + i),
        partition: 0,
      }));
      await producer.send({ topic, acks: -1, messages });
    }
  };
  await send(WARM_UP);
  const cost = await costOf(() => send(RECORDS));
  await producer.disconnect();
  return cost;
}

async function java(bootstrap: string, topic: string, size: number): Promise<string> {
  const output = await runKafkaTool('org.apache.kafka.tools.ProducerPerformance', [
    ...['--bootstrap-server', bootstrap, '--topic', topic, '--throughput', '-1'],
    ...['--num-records', String(RECORDS + WARM_UP), '--warmup-records', String(WARM_UP), '--record-size', String(size)],
  ]);
  return /, ([\d.]+) records\/sec/.exec(output.trim().split('\n').at(-1) as string)?.[1] ?? 'unknown';
}

benchmark(async (atEnd) => {
  if (ALONE) {
    heading(`Producer without a broker, ${whole(RECORDS)} records of each size`);
    for (const size of SIZES) await alone(size);
    return;
  }
  const kafka = await useOrStartKafka({ heap: '-Xmx1g -Xms1g' });
  atEnd(kafka.stop);
  heading(`Producer → Kafka, one partition, acks=all, ${whole(RECORDS)} records of each size`);
  const run = `bench-${randomBytes(3).toString('hex')}`;
  const admin = new Kafka({ brokers: kafka.bootstrapServers.split(','), logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  atEnd(() => admin.disconnect());
  const topicFor = async (name: string): Promise<string> => {
    const topic = `${run}-${name}`;
    await admin.createTopics({ waitForLeaders: true, topics: [{ topic, numPartitions: 1, replicationFactor: 1 }] });
    atEnd(() => admin.deleteTopics({ topics: [topic] }));
    return topic;
  };
  for (const size of SIZES) {
    console.log(`  -- ${size} B`);
    const { bootstrapServers } = kafka;
    for (let pair = 0; pair < PAIRS; pair++) {
      for (const codec of ['none', 'lz4']) {
        for (const [name, config] of [
          ['five in flight', {}],
          ['one in flight', ONE_IN_FLIGHT],
        ] as const) {
          const topic = await topicFor(`${codec}-${pair}-${name.replaceAll(' ', '-')}-${size}`);
          const cost = await ours(bootstrapServers, topic, size, { 'compression.type': codec, ...config });
          report(`ours, ${codec}, ${name}`, RECORDS, size, cost);
        }
      }
    }
    await alone(size);
    report('ours, far broker, five', RECORDS, size, await withoutBroker(size, {}, ROUND_TRIP_MS));
    report('ours, far broker, one', RECORDS, size, await withoutBroker(size, ONE_IN_FLIGHT, ROUND_TRIP_MS));
    if (ONLY_OURS) continue;
    report('kafkajs', RECORDS, size, await kafkajs(bootstrapServers, await topicFor(`kafkajs-${size}`), size));
    figure('Java', `${await java(bootstrapServers, await topicFor(`java-${size}`), size)} rec/s`);
  }
});
