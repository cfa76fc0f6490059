/**
 * A schema registry that freezes, dies and returns while connectors need it: they wait, say so, answer, and lose
 * nothing.
 */
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRegistryProcess, type RegistryProcess } from '../../dev/services/schema-registry';
import { startWorker, type StartedWorker } from '../../dev/services/worker';
import { fileSinkConfig } from '../helpers/file-sink-config';
import { Clients, readToEnd } from '../helpers/kafka-clients';
import { uniqueName } from '../helpers/unique-name';
import { waitFor } from '../helpers/wait-for';

const SETTINGS = {
  'session.timeout.ms': '6000',
  'heartbeat.interval.ms': '1000',
  'scheduled.rebalance.max.delay.ms': '0',
  'offset.flush.interval.ms': '200',
  'errors.restart.max': '0',
  'consumer.session.timeout.ms': '6000',
};
/** Versions of a schema that no worker knows. */
function versions(): [object, object] {
  const first = { type: 'record', name: uniqueName('Row'), fields: [{ name: 'n', type: 'int' }] };
  return [first, { ...first, fields: [...first.fields, { name: 'm', type: 'int', default: 0 }] }];
}

const clients = new Clients();
let registry: RegistryProcess;
let worker: StartedWorker;
let folder: string;
const group = uniqueName('registry');
const log = (): string => worker.process.log().slice(-6000);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-chaos-'));
  [registry, worker] = await Promise.all([startRegistryProcess(), startWorker({ group, settings: SETTINGS })]);
  await worker.ready();
});
afterAll(async () => {
  await worker?.stop();
  await registry?.stop();
  await clients.close();
  await rm(folder, { recursive: true, force: true });
});
afterEach(async () => await registry.comeBack());

/** A frozen registry accepts connections, and does not answer. */
const avro = (url = registry.url): Record<string, string> => ({
  'key.converter': 'org.apache.kafka.connect.storage.StringConverter',
  'value.converter': 'io.confluent.connect.avro.AvroConverter',
  'value.converter.schema.registry.url': url,
  'value.converter.http.read.timeout.ms': '1000',
});

async function registered(topic: string): Promise<[number, number]> {
  const [first, second] = versions();
  return [await registry.register(`${topic}-value`, first), await registry.register(`${topic}-value`, second)];
}

async function source(topic: string, lines: readonly string[], config = {}): Promise<{ name: string; path: string }> {
  const name = uniqueName('source');
  const path = join(folder, `${name}.txt`);
  await writeFile(path, text(lines));
  const file = { 'connector.class': 'FileStreamSource', file: path, topic };
  await worker.register({ name, config: { ...file, ...avro(), ...config } });
  return { name, path };
}

async function sink(topic: string, config = {}): Promise<{ name: string; path: string; lines(): Promise<string> }> {
  const name = uniqueName('sink');
  const path = join(folder, `${name}.txt`);
  await worker.register({ name, config: fileSinkConfig(topic, path, { ...avro(), ...config }) });
  return { name, path, lines: async () => await readFile(path, 'utf8').catch(() => '') };
}

const text = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
const rows = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, i) => `row ${from + i}`);

/** Of the wire format: a struct of small numbers. */
const struct = (id: number, ...numbers: number[]): Buffer =>
  Buffer.from([0, 0, 0, id >> 8, id & 255, ...numbers.map((n) => n * 2)]);

async function send(topic: string, values: readonly Buffer[]): Promise<void> {
  const producer = await clients.producer(topic);
  for (const value of values) producer.send({ topic, partition: 0, key: null, value });
  await producer.flush();
}

async function arrived(file: { lines(): Promise<string> }, expected: readonly string[]): Promise<void> {
  let found = '';
  await waitFor('all lines in the file', async () => (found = await file.lines()).length >= text(expected).length, {
    detail: () => `${found}\n${log()}`,
  });
  expect(found).toBe(text(expected));
}

interface Health {
  readonly health: string;
  readonly reasons: readonly { code: string; message: string; cure?: string }[];
  readonly tasks: readonly { state: string }[];
}

async function health(name: string): Promise<Health> {
  return (await worker.request('GET', `/connectors/${name}/health`)).json as Health;
}

/** The task is RUNNING, and the connector's health says that the registry is away. */
async function waits(name: string): Promise<void> {
  let last: Health | undefined;
  await waitFor(
    `${name} to say that it waits`,
    async () =>
      (last = await health(name)).reasons?.some(({ message }) => /schema registry does not answer/.test(message)),
    { detail: () => `${JSON.stringify(last)}\n${log()}` },
  );
  expect(last?.reasons).toEqual([
    expect.objectContaining({
      code: 'HEALTH_RETRYING',
      message: expect.stringContaining(registry.url),
      cure: expect.stringContaining('registry'),
    }),
  ]);
  expect(last?.tasks.map(({ state }) => state)).toEqual(['RUNNING']);
}

/** Each takes effect while the task waits, as far as the registry's absence goes. */
async function answers(name: string): Promise<void> {
  const put = async (verb: string): Promise<void> =>
    expect((await worker.request('PUT', `/connectors/${name}/${verb}`)).status).toBeLessThan(300);
  const state = (wanted: string, tasks: number) =>
    worker.statusWhen(
      name,
      (now) =>
        now.connector.state === wanted && now.tasks.length === tasks && now.tasks.every((one) => one.state === wanted),
    );
  await put('pause');
  await state('PAUSED', 1);
  await put('resume');
  await state('RUNNING', 1);
  await waits(name);
  const restarted = await worker.request('POST', `/connectors/${name}/restart?includeTasks=true`);
  expect(restarted.status).toBeLessThan(300);
  await worker.running(name);
  await waits(name);
  await put('stop');
  await state('STOPPED', 0);
  await put('resume');
  await worker.running(name);
  await waits(name);
}

async function healthy(name: string): Promise<void> {
  let last: Health | undefined;
  await waitFor(`${name} to be healthy`, async () => (last = await health(name)).reasons.length === 0, {
    detail: () => `${JSON.stringify(last)}\n${log()}`,
  });
}

describe.each(['frozen', 'killed'] as const)('a registry that is %s', (how) => {
  test('before the first record of a source: it goes on, in order', async () => {
    const topic = await clients.topic();
    await registry.leave(how);
    const { name, path } = await source(topic, rows(0, 20));
    const deleted = await source(topic, rows(0, 20));
    await waits(name);
    await waits(deleted.name);
    await answers(name);
    expect((await worker.request('DELETE', `/connectors/${deleted.name}`)).status).toBe(204);
    await waitFor('the connector to be gone', async () => (await worker.status(deleted.name)).tasks.length === 0);
    await appendFile(path, text(rows(20, 40)));
    expect(await clients.admin.listOffsets([{ topic, partition: 0 }], 'latest')).toMatchObject([{ offset: 0 }]);

    await registry.comeBack();
    await arrived(await sink(topic), rows(0, 40));
    await healthy(name);
  });

  test('before a sink needs another schema: what was before is put, the rest follows', async () => {
    const topic = await clients.topic();
    const ids = await registered(topic);
    const file = await sink(topic, { 'consumer.override.max.poll.interval.ms': '1000' });
    await send(topic, [struct(ids[0], 1)]);
    await arrived(file, ['Struct{n=1}']);

    await registry.leave(how);
    await send(topic, [struct(ids[0], 2), struct(ids[1], 3, 30), struct(ids[0], 4), struct(ids[1], 5, 50)]);
    await waits(file.name);
    await arrived(file, ['Struct{n=1}', 'Struct{n=2}']);
    const attempts = () => worker.process.log().split('A converter cannot work now').length;
    const before = attempts();
    await waitFor('some attempts', () => attempts() > before + 3, { detail: log });
    await answers(file.name);
    const [committed] = await clients.admin.listGroupOffsets(`connect-${file.name}`);
    expect(committed).toMatchObject({ offset: 2 });

    await registry.comeBack();
    await arrived(
      file,
      ['n=1', 'n=2', 'n=3,m=30', 'n=4', 'n=5,m=50'].map((fields) => `Struct{${fields}}`),
    );
    await healthy(file.name);
    expect(worker.process.log()).not.toContain('leaving group');
  });
});

test('a poison record is a dead letter with its bytes; without tolerance the task fails at its offset', async () => {
  const topic = await clients.topic();
  const letters = uniqueName('letters');
  const [id] = await registered(topic);
  const poison = [Buffer.from('{"n":2}'), struct(9_999, 3), struct(id)];
  await send(topic, [struct(id, 1), ...poison, struct(id, 5)]);
  const tolerant = await sink(topic, {
    'errors.tolerance': 'all',
    'errors.deadletterqueue.topic.name': letters,
    'errors.deadletterqueue.topic.replication.factor': '1',
  });
  const strict = await sink(topic);
  await arrived(tolerant, ['Struct{n=1}', 'Struct{n=5}']);
  const consumer = await clients.assigned();
  await consumer.assign([{ topic: letters, partition: 0 }]);
  const batches = await readToEnd(consumer, { topic: letters, partition: 0 }, poison.length);
  expect(batches.flatMap(({ records }) => records.map(({ value }) => Buffer.from(value ?? [])))).toEqual(poison);

  const { tasks } = await worker.statusWhen(strict.name, (now) => now.tasks[0]?.state === 'FAILED');
  expect(tasks[0]?.trace).toContain('offset');
  expect(await strict.lines()).toBe('Struct{n=1}\n');
  const [committed] = await clients.admin.listGroupOffsets(`connect-${strict.name}`);
  expect(committed).toMatchObject({ offset: 1 });
});

test('a registry that refuses the user later fails the tasks; a corrected config goes on without a loss', async () => {
  const topic = await clients.topic();
  const ids = await registered(topic);
  let asked = 0;
  const guard = createServer((incoming, outgoing) => {
    const { authorization } = incoming.headers;
    asked++;
    if (asked > 1 && authorization === undefined) {
      outgoing.writeHead(401, { 'content-type': 'application/json' });
      return outgoing.end('{"error_code":401,"message":"Unauthorized"}');
    }
    const { method, headers } = incoming;
    incoming.pipe(
      request(registry.url + incoming.url, { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      }),
    );
  });
  await new Promise<void>((resolve) => guard.listen(0, '127.0.0.1', resolve));
  try {
    const url = `http://127.0.0.1:${(guard.address() as AddressInfo).port}`;
    const file = await sink(topic, avro(url));
    await send(topic, [struct(ids[0], 1), struct(ids[1], 2, 20), struct(ids[0], 3)]);
    const { tasks } = await worker.statusWhen(file.name, (now) => now.tasks[0]?.state === 'FAILED');
    expect(tasks[0]?.trace).toContain('refuses access with HTTP status 401');
    expect((await health(file.name)).reasons).toEqual([expect.objectContaining({ code: 'REGISTRY_DENIED' })]);
    await arrived(file, ['Struct{n=1}']);
    const corrected = fileSinkConfig(topic, file.path, {
      ...avro(url),
      'value.converter.basic.auth.credentials.source': 'USER_INFO',
      'value.converter.basic.auth.user.info': 'reader:secret',
    });
    expect((await worker.request('PUT', `/connectors/${file.name}/config`, corrected)).status).toBe(200);
    await arrived(
      file,
      ['n=1', 'n=2,m=20', 'n=3'].map((fields) => `Struct{${fields}}`),
    );
    expect(worker.process.log()).not.toContain('reader:secret');
  } finally {
    guard.closeAllConnections();
    guard.close();
  }
});

test('a worker that is killed while its tasks wait: another one takes over, and nothing is lost', async () => {
  const topic = await clients.topic();
  const [id] = await registered(topic);
  await registry.leave('killed');
  await send(topic, [struct(id, 1), struct(id, 2)]);
  const written = await clients.topic();
  const from = await source(written, rows(0, 20));
  const file = await sink(topic);
  await waits(from.name);
  await waits(file.name);
  const other = await startWorker({ group, settings: SETTINGS });
  try {
    await other.ready();
    await worker.crash();
    worker = other;
    for (const { name } of [from, file]) {
      await worker.statusWhen(
        name,
        ({ tasks }) => tasks[0]?.state === 'RUNNING' && worker.url.endsWith(tasks[0].worker_id),
      );
      await waits(name);
    }
    await registry.comeBack();
    await arrived(file, ['Struct{n=1}', 'Struct{n=2}']);
    await arrived(await sink(written), rows(0, 20));
  } finally {
    if (worker !== other) await other.stop();
  }
});
