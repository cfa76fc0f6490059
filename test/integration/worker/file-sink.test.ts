/** A topic into a file: a worker process with a real broker. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { fileSinkConfig } from '../../helpers/file-sink-config';
import { Clients } from '../../helpers/kafka-clients';
import { canMountSmallDisk, startSmallDisk } from '../../helpers/small-disk';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';
import type { Producer } from '../../../packages/kafka-client/src/port';

const clients = new Clients();
let producer: Producer;
let folder: string;
let worker: StartedWorker;
const group = uniqueName('filesink');
const settings = {
  'offset.flush.interval.ms': '500',
  // A task that is terminated because the machine is slow would write some lines twice.
  'task.shutdown.graceful.timeout.ms': '30000',
  'config.providers': 'env',
  'config.providers.env.class': 'org.apache.kafka.common.config.provider.EnvVarConfigProvider',
};

async function start(): Promise<void> {
  worker = await startWorker({ group, settings, env: { SINK_FOLDER: folder } });
  await worker.ready();
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-file-sink-'));
  producer = await clients.producer();
  await start();
});

afterAll(async () => {
  await worker?.stop();
  await clients.close();
  await rm(folder, { recursive: true, force: true });
});

async function send(topic: string, values: (string | null)[], key: string | null = null): Promise<void> {
  await producer.prepare([topic]);
  for (const value of values)
    producer.send({
      topic,
      key: key === null ? null : Buffer.from(key),
      value: value === null ? null : Buffer.from(value),
    });
  await producer.flush();
}

async function register(name: string, config: Record<string, string>): Promise<void> {
  await worker.register({ name, config });
  await worker.running(name);
}

async function lines(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').slice(0, -1);
}

async function untilLines(file: string, count: number): Promise<string[]> {
  let found: string[] = [];
  await waitFor(`${count} lines in ${file}`, async () => (found = await lines(file)).length >= count, {
    detail: () => worker.process.log(),
  });
  return found;
}

async function committed(name: string): Promise<number> {
  const offsets = await clients.admin.listGroupOffsets(`connect-${name}`);
  return offsets.reduce((sum, { offset }) => sum + offset, 0);
}

test('GET / and /connector-plugins on a worker that has just been started', async () => {
  const root = await worker.request('GET', '/');
  expect(root.json).toEqual({
    version: '4.3.1',
    commit: expect.any(String),
    kafka_cluster_id: (await clients.admin.describeCluster()).clusterId,
  });
  const plugins = (await worker.request('GET', '/connector-plugins')).json as unknown[];
  expect(plugins).toContainEqual({
    class: 'org.apache.kafka.connect.file.FileStreamSinkConnector',
    type: 'sink',
    version: '4.3.1',
  });
});

test('connect-runtime 10.9: a topic is appended to a file, in order, and its offsets are committed', async () => {
  const topic = await clients.topic();
  const file = join(folder, `${topic}.txt`);
  await send(topic, ['zero', 'one', 'zwölf 😀', null, '']);
  await register(topic, fileSinkConfig(topic, file));
  expect(await untilLines(file, 5)).toEqual(['zero', 'one', 'zwölf 😀', 'null', '']);
  const more = Array.from({ length: 5000 }, (_, i) => `line ${i}`);
  await send(topic, more);
  expect((await untilLines(file, 5005)).slice(5)).toEqual(more);
  await waitFor('offsets to be committed', async () => (await committed(topic)) === 5005, {
    detail: () => worker.process.log(),
  });
});

test('Java’s aliases are accepted and several tasks share the partitions', async () => {
  const topic = await clients.topic(4);
  const file = join(folder, `${topic}.txt`);
  await register(topic, { ...fileSinkConfig(topic, file), 'connector.class': 'FileStreamSink', 'tasks.max': '2' });
  await worker.running(topic, 2);
  for (let i = 0; i < 20; i++) await send(topic, [`k${i}`], `key ${i}`);
  expect((await untilLines(file, 20)).sort()).toEqual(Array.from({ length: 20 }, (_, i) => `k${i}`).sort());
});

test('connect-runtime 8.2: placeholders are resolved for the task and stored as written', async () => {
  const topic = await clients.topic();
  const placeholder = '${env:SINK_FOLDER}/' + topic;
  await register(topic, fileSinkConfig(topic, placeholder));
  await send(topic, ['resolved']);
  expect(await untilLines(join(folder, topic), 1)).toEqual(['resolved']);
  expect((await worker.request('GET', `/connectors/${topic}/config`)).json.file).toBe(placeholder);
  const [task] = (await worker.request('GET', `/connectors/${topic}/tasks`)).json;
  expect(task.config.file).toBe(placeholder);
});

test('analytics-sink 66: a stopped worker resumes: nothing lost, nothing duplicated', async () => {
  const topic = await clients.topic();
  const file = join(folder, `${topic}.txt`);
  await register(topic, fileSinkConfig(topic, file));
  await send(topic, ['before']);
  await untilLines(file, 1);
  expect(await worker.stop()).toBe(0);
  await send(topic, ['meanwhile']);
  await start();
  await worker.running(topic);
  await send(topic, ['after']);
  expect(await untilLines(file, 3)).toEqual(['before', 'meanwhile', 'after']);
});

test('analytics-sink 67: a missing directory fails the task with one clear sentence', async () => {
  const topic = await clients.topic();
  await worker.request('POST', '/connectors', {
    name: topic,
    config: fileSinkConfig(topic, join(folder, 'no', 'such', 'file.txt')),
  });
  const status = await worker.statusWhen(topic, (s) => s.tasks[0]?.state === 'FAILED');
  expect(status.tasks[0]?.trace?.split('\n')[0]).toContain(
    // The folder is also a value that a config provider returned to another connector, whose traces alone hide it.
    `Cannot append to the file "${folder}/no/such/file.txt": the directory ${folder}/no/such does not exist; create ` +
      'it, set "file.create.dirs" to true, or change "file".',
  );
});

test('analytics-sink 71: rotated files named by a template, which a config provider does not change; two tasks share the topic', async () => {
  const topic = await clients.topic(2);
  const lines = Array.from({ length: 2_000 }, (_, i) => `line ${i}`);
  for (const [partition, half] of [lines.slice(0, 1_000), lines.slice(1_000)].entries())
    await clients.send(topic, half, partition);
  const template = '${env:SINK_FOLDER}/rotated/${topic}-${partition}-${timestamp:yyyy}.txt';
  await register(topic, {
    ...fileSinkConfig(topic, template),
    'tasks.max': '2',
    'file.template': 'true',
    'file.create.dirs': 'true',
    'file.rotate.bytes': '1000',
    'file.format': 'jsonenvelope',
  });
  await waitFor('offsets to be committed', async () => (await committed(topic)) === 2_000, {
    detail: () => worker.process.log(),
  });
  await worker.request('DELETE', `/connectors/${topic}`);
  const rotated = join(folder, 'rotated');
  const names = await waitFor('all files to be complete', async () => {
    const found = (await readdir(rotated)).sort();
    return found.every((name) => !name.endsWith('.part')) && found;
  });
  expect(names.every((name) => /-[01]-20\d\d\.txt\.\d{8}T\d{9}Z$/.test(name))).toBe(true);
  const contents = await Promise.all(names.map((name) => readFile(join(rotated, name), 'utf8')));
  expect(contents.every((text) => text.length <= 1000 && text.endsWith('\n'))).toBe(true);
  const values = contents.flatMap((text) => text.split('\n').slice(0, -1)).map((line) => JSON.parse(line).value);
  expect(values).toEqual(lines);
});

(canMountSmallDisk ? test : test.skip)('analytics-sink 70: the task waits while the disk is full', async () => {
  const disk = await startSmallDisk(256);
  try {
    const topic = await clients.topic();
    const sent = Array.from({ length: 2_000 }, (_, i) => `${i} ${'x'.repeat(100)}`);
    const [file, ballast] = [join(disk.folder, 'out'), join(disk.folder, 'ballast')];
    await writeFile(ballast, Buffer.alloc(240 * 1024));
    await register(topic, fileSinkConfig(topic, file));
    await clients.send(topic, sent);
    await waitFor('the log line', () => worker.process.log().includes(`Cannot write to ${file}`));
    await waitFor('a retry', () => worker.process.log().split(`Cannot write to ${file}`).length > 2);
    expect((await worker.status(topic)).tasks[0]?.state).toBe('RUNNING');
    expect(await committed(topic)).toBeLessThan(sent.length);
    await rm(ballast);
    expect(await untilLines(file, sent.length)).toEqual(sent);
    await waitFor('offsets to be committed', async () => (await committed(topic)) === sent.length);
    await worker.request('DELETE', `/connectors/${topic}`);
  } finally {
    await disk.stop();
  }
});

test('analytics-sink 67: without a file, lines go to the standard output of the worker', async () => {
  const topic = await clients.topic();
  const sent = [`first -> ${topic}`, `zwölf -> ${topic}`];
  const { file: _, ...config } = fileSinkConfig(topic, '');
  await send(topic, sent);
  await register(topic, config);
  const printed = (): string[] =>
    worker.process
      .log()
      .split('\n')
      .filter((line) => line.endsWith(`-> ${topic}`));
  await waitFor('the lines to be printed', () => printed().length >= 2);
  expect(printed()).toEqual(sent);
  await waitFor('offsets to be committed', async () => (await committed(topic)) === 2);
});

test('analytics-sink 72: killed while it rotates files, the worker loses nothing, and every complete file is whole', async () => {
  const topic = await clients.topic();
  const sent = Array.from({ length: 30_000 }, (_, i) => `${i} ${'x'.repeat(i % 100)}.`);
  const target = join(folder, 'killed');
  await register(topic, {
    ...fileSinkConfig(topic, join(target, 'out')),
    'file.create.dirs': 'true',
    'file.rotate.bytes': '5000',
    'consumer.override.max.poll.records': '50',
    'consumer.override.session.timeout.ms': '6000',
  });
  await clients.send(topic, sent);
  // The folder is created with the first file.
  await waitFor('some files to be complete', async () => (await readdir(target).catch(() => [])).length > 20);
  await worker.crash();
  await start();
  await waitFor('offsets to be committed', async () => (await committed(topic)) === sent.length, {
    detail: () => worker.process.log(),
  });
  expect(await worker.stop()).toBe(0);
  const names = await readdir(target);
  const contents = await Promise.all(names.map((name) => readFile(join(target, name), 'utf8')));
  expect(names.filter((name) => name.endsWith('.part'))).toEqual([]);
  expect(contents.every((text) => text.endsWith('\n'))).toBe(true);
  const arrived = new Set(contents.flatMap((text) => text.split('\n').slice(0, -1)));
  expect(sent.filter((line) => !arrived.has(line))).toEqual([]);
});
