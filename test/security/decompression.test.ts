/**
 * Batches that are small on the wire and take gigabytes once decompressed: the task that reads them fails, and nothing
 * else does.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker, type StartedWorker } from '../../dev/services/worker';
import { createWire } from '../../packages/kafka-client/src/network/network-client';
import { call } from '../../packages/kafka-client/src/protocol/api';
import { PRODUCE, produceHeader, produceRequest } from '../../packages/kafka-client/src/protocol/produce';
import type { Wire } from '../../packages/kafka-client/src/wire';
import { fileSinkConfig } from '../helpers/file-sink-config';
import { Clients } from '../helpers/kafka-clients';
import { uniqueName } from '../helpers/unique-name';
import { waitFor } from '../helpers/wait-for';
import { batchAround, bomb, overhang, type Codec } from '../kafka/records/bombs';

/** Peak memory of the worker: its own, twice the default limit for the bytes and their copy, and a margin. */
const PEAK_MIB = 600;
const clients = new Clients();
const group = uniqueName('bombs');
let folder: string;
let worker: StartedWorker;
let wire: Wire;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-bombs-'));
  wire = createWire({ 'bootstrap.servers': process.env['BOOTSTRAP_SERVERS'] as string, 'client.id': 'bombs' });
  await wire.connect();
  worker = await startWorker({ group });
  await worker.ready();
});
afterAll(async () => {
  await worker?.stop();
  await wire?.close();
  await clients.close();
  await rm(folder, { recursive: true, force: true });
});

/** Writes the batch unchanged. */
async function produce(topic: string, batch: Buffer): Promise<void> {
  await wire.partitions(topic);
  const to = { topic, partition: 0 };
  const options = { transactionalId: null, acks: -1, timeoutMs: 30_000 } as const;
  const body = Buffer.concat([produceHeader(to, batch.length, options), batch]);
  const { partitions } = await call(wire, wire.leader(to) as number, PRODUCE, (version) =>
    produceRequest(version, body, options),
  );
  expect(partitions).toMatchObject([{ errorCode: 0 }]);
}

/** The largest resident set that the process had, in MiB. */
async function peak(): Promise<number> {
  const status = await readFile(`/proc/${worker.pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

async function lines(file: string): Promise<string[]> {
  return (await readFile(file, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
}

async function failure(topic: string, overrides: Record<string, string> = {}): Promise<string> {
  const name = uniqueName('sink');
  await worker.register({ name, config: fileSinkConfig(topic, join(folder, `${name}.txt`), overrides) });
  const { tasks } = await worker.statusWhen(name, (now) => now.tasks[0]?.state === 'FAILED');
  // Records before the bomb are delivered.
  expect(await lines(join(folder, `${name}.txt`))).toEqual(['before']);
  await worker.request('DELETE', `/connectors/${name}`);
  return tasks[0]?.trace ?? '';
}

async function topicWith(batch: Buffer): Promise<string> {
  const topic = await clients.topic(1, { 'max.message.bytes': '10000000' });
  await clients.send(topic, ['before']);
  await produce(topic, batch);
  return topic;
}

test.each<[Codec, number]>([
  ['gzip', 1024],
  ['snappy', 144],
  ['lz4', 1024],
  ['zstd', 1024],
])('%s: %d MiB fail the task with topic, partition and offset, without using memory', async (codec, mebibytes) => {
  const topic = await topicWith(bomb(codec, mebibytes));
  const trace = await failure(topic);
  expect(trace).toContain(
    `Reading ${topic}-0 at offset 1 failed: The record batch at offset 1 (${codec}) exceeds 134217728 bytes when decompressed`,
  );
  expect(trace).toContain('raise decompressed.batch.max.bytes');
  expect(trace).toContain('DECOMPRESSED_BATCH_TOO_LARGE');
  expect(await peak()).toBeLessThan(PEAK_MIB);
});

test('the limit is a setting of the connector', async () => {
  const topic = await topicWith(bomb('zstd', 4));
  const trace = await failure(topic, { 'consumer.override.decompressed.batch.max.bytes': '1000000' });
  expect(trace).toContain('exceeds 1000000 bytes when decompressed');
  const bad = { 'consumer.override.decompressed.batch.max.bytes': 'much' };
  const refused = await worker.request('POST', '/connectors', {
    name: 'bad',
    config: fileSinkConfig(topic, join(folder, 'bad.txt'), bad),
  });
  if (refused.status === 201) {
    const { tasks } = await worker.statusWhen('bad', (now) => now.tasks[0]?.state === 'FAILED');
    expect(tasks[0]?.trace).toContain(`'decompressed.batch.max.bytes' must be a whole number, not 'much'`);
    await worker.request('DELETE', '/connectors/bad');
  } else expect(refused.body).toContain('decompressed.batch.max.bytes');
});

test('bytes that belong to no record fail the task, however few', async () => {
  expect(await failure(await topicWith(overhang('zstd', 4)))).toMatch(
    /The record batch at offset 1 cannot be read: 4194305 bytes follow its last record/,
  );
  const trace = await failure(await topicWith(batchAround(Buffer.alloc(100, 0x80), 'none', 2 ** 31 - 1)));
  expect(trace).toContain('CORRUPT_BATCH');
});

test('in a storage topic it is logged, and the worker continues', async () => {
  await produce(`${group}-status`, bomb('zstd', 64));
  await waitFor('the log to say so', () => /exceeds 33554432 bytes when decompressed/.test(worker.process.log()), {
    detail: () => worker.process.log().slice(-3000),
  });
  expect((await worker.request('GET', '/connectors')).status).toBe(200);
  expect(await peak()).toBeLessThan(PEAK_MIB);
});
