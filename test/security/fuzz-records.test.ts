/**
 * Random records through running sinks of a worker with little memory. The seed is printed: a failure can be reproduced
 * with FUZZ_SEED. FUZZ_RECORDS is their number; the first ones are always the same.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWire } from '../../packages/kafka-client/src/network/network-client';
import type { Producer } from '../../packages/kafka-client/src/port';
import { fileSinkConfig } from '../helpers/file-sink-config';
import { Clients } from '../helpers/kafka-clients';
import { startMonitoredWorker, type MonitoredWorker, type Period } from '../helpers/monitored-worker';
import { uniqueName } from '../helpers/unique-name';
import { waitFor } from '../helpers/wait-for';
import { BENT_BATCHES, produceBatch } from './fuzz/bent-batches';
import { hostileRecords } from './fuzz/hostile-records';
import { fuzzRun, seeded } from '../helpers/seeded';

const { seed, cases } = fuzzRun('FUZZ_RECORDS', 1_500, 20_261_122);
const MAX_TURN_MS = 200;
/**
 * Above the first half's end: memory that allocators and the readers' buffers keep after a collection in every thread.
 */
const MAY_GROW_MIB = { rss: 100, heap: 8, threadHeaps: 8 };

const T = 'org.apache.kafka.connect.transforms.';
const CHAIN: Record<string, string> = {
  transforms: 'flat,when,cast,mask,key,take,route,header',
  'transforms.flat.type': `${T}Flatten$Value`,
  'transforms.when.type': `${T}TimestampConverter$Value`,
  'transforms.when.field': 'when',
  'transforms.when.target.type': 'string',
  'transforms.when.format': 'yyyy-MM-dd HH:mm:ss.SSS',
  'transforms.cast.type': `${T}Cast$Value`,
  'transforms.cast.spec': 'id:int32,text:float64',
  'transforms.mask.type': `${T}ReplaceField$Value`,
  'transforms.mask.exclude': 'a.b',
  'transforms.key.type': `${T}ValueToKey`,
  'transforms.key.fields': 'id',
  'transforms.take.type': `${T}ExtractField$Key`,
  'transforms.take.field': 'id',
  'transforms.route.type': `${T}TimestampRouter`,
  'transforms.route.topic.format': '${topic}-${timestamp}',
  'transforms.header.type': `${T}HeaderFrom$Value`,
  'transforms.header.fields': 'id',
  'transforms.header.headers': 'id',
  'transforms.header.operation': 'copy',
};
const JSON_CONVERTER = 'org.apache.kafka.connect.json.JsonConverter';
const STRING_CONVERTER = 'org.apache.kafka.connect.storage.StringConverter';
const json = (side: string, schemas: boolean): Record<string, string> => ({
  [`${side}.converter`]: JSON_CONVERTER,
  [`${side}.converter.schemas.enable`]: String(schemas),
});

/** Sinks, and the value that each of them lets through. */
const SINKS: readonly { name: string; good: (n: number) => string; config: Record<string, string> }[] = [
  { name: 'plain', good: (n) => `{"id":${n}}`, config: { ...json('key', false), ...json('value', false) } },
  { name: 'chain', good: (n) => `{"id":${n}}`, config: { ...json('value', false), ...CHAIN } },
  {
    name: 'schemas',
    good: (n) => `{"schema":{"type":"struct","fields":[{"field":"id","type":"int32"}]},"payload":{"id":${n}}}`,
    config: { ...json('value', true), ...CHAIN, transforms: 'flat,cast,key,take', 'transforms.cast.spec': 'id:string' },
  },
  {
    name: 'headers',
    good: (n) => `good ${n}`,
    config: { ...json('header', false), 'value.converter': STRING_CONVERTER },
  },
];

describe('hostile records', () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-fuzz-'));
  const group = uniqueName('fuzz');
  let monitored: MonitoredWorker;
  let clients: Clients;
  let topic: string;
  let producer: Producer;

  const fileOf = (name: string): string => join(folder, `${name}.txt`);
  const sinkConfig = (name: string, from: string, more: Record<string, string>): Record<string, string> =>
    fileSinkConfig(from, fileOf(name), {
      'consumer.override.auto.offset.reset': 'earliest',
      'errors.tolerance': 'all',
      'errors.deadletterqueue.topic.name': `${group}-dead`,
      'errors.deadletterqueue.topic.replication.factor': '1',
      'errors.deadletterqueue.context.headers.enable': 'true',
      ...more,
    });

  beforeAll(async () => {
    clients = new Clients();
    [monitored, topic] = await Promise.all([
      startMonitoredWorker({
        group,
        settings: { 'errors.restart.max': '0', 'task.threads': '2' },
        nodeFlags: process.env.FUZZ_PROFILE ? ['--cpu-prof', `--cpu-prof-dir=${process.env.FUZZ_PROFILE}`] : [],
      }),
      clients.topic(),
    ]);
    producer = await clients.producer(topic);
    for (const { name, config } of SINKS) {
      await monitored.worker.register({ name, config: sinkConfig(name, topic, config) });
      await monitored.worker.running(name);
    }
  });
  afterAll(async () => {
    await monitored?.stop();
    await clients?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** After the test records: a record that each sink accepts, which then arrives in its file. */
  async function allArrive(n: number): Promise<void> {
    const { worker } = monitored;
    for (const { good } of SINKS) producer.send({ topic, partition: 0, key: null, value: Buffer.from(good(n)) });
    await producer.flush();
    for (const { name } of SINKS) {
      await waitFor(
        `the good record ${n} of ${name}`,
        async () => {
          const { tasks } = await worker.status(name);
          const failed = tasks.find(({ state }) => state === 'FAILED');
          if (failed) throw new Error(`${name} failed: ${failed.trace}`);
          return existsSync(fileOf(name)) && readFileSync(fileOf(name), 'latin1').includes(String(n));
        },
        { timeoutMs: 120_000, everyMs: 200, detail: () => worker.process.log().slice(-3000) },
      );
    }
  }

  test(`${cases} of them, seed ${seed}: each is delivered, skipped or a dead letter, and the records after them arrive`, async () => {
    const start = await monitored.period();
    const records = hostileRecords(seeded(seed), cases);
    const refused: string[] = [];
    async function half(n: number): Promise<Period> {
      for (let i = 0; i < cases / 2; i++) {
        const made = records.next().value;
        if (made === undefined) throw new Error('there are no more records');
        const full = producer.whenReady();
        if (full) await full;
        producer.send({ topic, partition: 0, ...made }, (error) => error && refused.push(error.message));
      }
      await producer.flush();
      await allArrive(n);
      return await monitored.period();
    }
    const [first, second] = [await half(777_001), await half(777_002)];
    console.log(
      JSON.stringify({ seed, cases, refused: refused.length, source: monitored.source(), start, first, second }),
    );
    expect(refused).toEqual([]);
    expect(monitored.worker.process.log()).not.toMatch(/uncaught error|UnhandledPromiseRejection|heap out of memory/i);
    if (monitored.source() !== 'wall') {
      for (const { turns } of [first, second]) for (const { ms } of turns) expect(ms).toBeLessThan(MAX_TURN_MS);
    }
    expect(second.rssMib).toBeLessThan(first.rssMib + MAY_GROW_MIB.rss);
    expect(second.heapMib).toBeLessThan(first.heapMib + MAY_GROW_MIB.heap);
    expect(second.threadHeapsMib).toBeLessThan(first.threadHeapsMib + MAY_GROW_MIB.threadHeaps);
  });

  test('a batch that cannot be read fails only its task, with topic, partition, offset and code', async () => {
    const { worker } = monitored;
    const wire = createWire({ 'bootstrap.servers': process.env.BOOTSTRAP_SERVERS ?? '', 'client.id': 'bent' });
    await wire.connect();
    const said: [string, string][] = [];
    try {
      for (const [kind, make] of Object.entries(BENT_BATCHES)) {
        const from = await clients.topic();
        await clients.send(from, ['fine']);
        await produceBatch(wire, from, make());
        const name = `bent-${from}`;
        await worker.register({ name, config: sinkConfig(name, from, { 'value.converter': STRING_CONVERTER }) });
        const { tasks } = await worker.statusWhen(name, (now) => now.tasks.some(({ state }) => state === 'FAILED'));
        const trace = tasks[0]?.trace ?? '';
        if (!(trace.includes('CORRUPT_BATCH') && trace.includes(`Reading ${from}-0 at offset 1 failed`)))
          said.push([kind, trace.slice(0, 400)]);
        // Records before it were delivered.
        expect([kind, readFileSync(fileOf(name), 'utf8')]).toEqual([kind, 'fine\n']);
        expect((await worker.request('DELETE', `/connectors/${name}`)).status).toBe(204);
      }
    } finally {
      await wire.close();
    }
    expect(said).toEqual([]);
    await allArrive(777_003);
    const { turns } = await monitored.period();
    if (monitored.source() !== 'wall') expect(turns[0]?.ms).toBeLessThan(MAX_TURN_MS);
  });
});
