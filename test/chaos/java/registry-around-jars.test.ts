/**
 * Connectors of a jar whose records are Avro by our converter, which the jar's folder does not have: the JVM sends and
 * gets data, and what the worker does around it waits, fails and answers as for any connector.
 */
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtJavaHost } from '../../../dev/services/java-host';
import { pluginPath } from '../../../dev/services/plugin-jars';
import { type RegistryProcess, startRegistryProcess } from '../../../dev/services/schema-registry';
import { type StartedWorker, startWorker } from '../../../dev/services/worker';
import { recordsOf } from '../../conformance/java/topic-contents';
import { childrenOf } from '../../helpers/child-processes';
import { fileSinkConfig } from '../../helpers/file-sink-config';
import { describeWithKafka } from '../../helpers/java';
import { Clients } from '../../helpers/kafka-clients';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

const STRING = 'org.apache.kafka.connect.storage.StringConverter';
const FILE = 'org.apache.kafka.connect.file.FileStream';
const TRANSFORMS = 'org.apache.kafka.connect.transforms';
const JAR = { 'connector.plugin.version': '[4.3.1]' };
const ROW = { type: 'record', name: 'Row', fields: [{ name: 'n', type: 'int' }] };
const WIDER = { ...ROW, fields: [...ROW.fields, { name: 'm', type: ['null', 'string'], default: null }] };

describeWithKafka('a jar with Avro converters of the worker', () => {
  let clients: Clients;
  let folder: string;
  let registry: RegistryProcess;
  let worker: StartedWorker;

  const detail = (): string => worker.process.log().slice(-6000);
  const avro = (): Record<string, string> => ({
    'key.converter': STRING,
    'value.converter': 'io.confluent.connect.avro.AvroConverter',
    'value.converter.schema.registry.url': registry.url,
    'value.converter.http.read.timeout.ms': '1000',
  });
  const text = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
  const rows = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, i) => `row ${from + i}`);

  /** Its transformations run in the JVM, which then has structs for the worker's converter. */
  async function source(topic: string, lines: readonly string[]): Promise<{ name: string; path: string }> {
    const name = uniqueName('source');
    const path = join(folder, `${name}.txt`);
    await writeFile(path, text(lines));
    await worker.register({
      name,
      config: {
        'connector.class': `${FILE}SourceConnector`,
        ...JAR,
        file: path,
        topic,
        ...avro(),
        transforms: 'hoist,insert',
        'transforms.hoist.type': `${TRANSFORMS}.HoistField$Value`,
        'transforms.hoist.field': 'line',
        'transforms.insert.type': `${TRANSFORMS}.InsertField$Value`,
        'transforms.insert.static.field': 'of',
        'transforms.insert.static.value': 'x',
      },
    });
    return { name, path };
  }
  async function sink(topic: string, config = {}): Promise<{ name: string; lines(): Promise<string> }> {
    const name = uniqueName('sink');
    const path = join(folder, `${name}.txt`);
    await worker.register({ name, config: fileSinkConfig(topic, path, { ...JAR, ...avro(), ...config }) });
    return { name, lines: async () => await readFile(path, 'utf8').catch(() => '') };
  }
  async function arrived(file: { lines(): Promise<string> }, expected: readonly string[]): Promise<void> {
    let found = '';
    await waitFor('all lines in the file', async () => (found = await file.lines()).length >= text(expected).length, {
      timeoutMs: 60_000,
      detail: () => `${found}\n${detail()}`,
    });
    expect(found).toBe(text(expected));
  }
  const reasons = async (name: string): Promise<{ message: string }[]> =>
    ((await worker.request('GET', `/connectors/${name}/health`)).json as { reasons?: { message: string }[] }).reasons ??
    [];
  const waits = (name: string): Promise<unknown> =>
    waitFor(
      `${name} to say that it waits`,
      async () => (await reasons(name)).some(({ message }) => /schema registry does not answer/.test(message)),
      { timeoutMs: 60_000, detail },
    );
  const put = async (name: string, verb: string): Promise<void> =>
    expect((await worker.request('PUT', `/connectors/${name}/${verb}`)).status).toBeLessThan(300);
  const state = (name: string, wanted: string, tasks: number) =>
    worker.statusWhen(
      name,
      (now) =>
        now.connector.state === wanted && now.tasks.length === tasks && now.tasks.every((one) => one.state === wanted),
    );
  /** Pause, stop and restart take effect while the task waits. */
  async function answers(name: string): Promise<void> {
    await put(name, 'pause');
    await state(name, 'PAUSED', 1);
    await put(name, 'resume');
    await waits(name);
    expect((await worker.request('POST', `/connectors/${name}/restart?includeTasks=true`)).status).toBeLessThan(300);
    await worker.running(name);
    await waits(name);
    await put(name, 'stop');
    await state(name, 'STOPPED', 0);
    await put(name, 'resume');
    await worker.running(name);
    await waits(name);
  }
  const struct = (id: number, ...rest: number[]): Buffer => Buffer.from([0, 0, 0, id >> 8, id & 255, ...rest]);
  async function send(topic: string, values: readonly Buffer[]): Promise<void> {
    const producer = await clients.producer(topic);
    for (const value of values) producer.send({ topic, partition: 0, key: null, value });
    await producer.flush();
  }

  beforeAll(async () => {
    await builtJavaHost();
    clients = new Clients();
    folder = await mkdtemp(join(tmpdir(), 'millrace-avro-jar-'));
    registry = await startRegistryProcess();
    worker = await startWorker({
      group: uniqueName('avro-jar'),
      settings: {
        'plugin.path': await pluginPath('file'),
        'offset.flush.interval.ms': '200',
        'errors.restart.max': '0',
      },
    });
    await worker.ready();
  });
  afterAll(async () => {
    await worker?.stop();
    await registry?.stop();
    await clients?.close();
    await rm(folder, { recursive: true, force: true });
  });
  afterEach(async () => await registry.comeBack());

  test.each(['frozen', 'killed'] as const)(
    'a source whose registry is %s: it waits, answers, and goes on in order',
    async (how) => {
      const topic = await clients.topic();
      await registry.leave(how);
      const { name, path } = await source(topic, rows(0, 20));
      await waits(name);
      expect(childrenOf(worker.pid, 'java')).toHaveLength(1);
      await answers(name);
      await appendFile(path, text(rows(20, 40)));
      expect(await clients.admin.listOffsets([{ topic, partition: 0 }], 'latest')).toMatchObject([{ offset: 0 }]);

      await registry.comeBack();
      await arrived(
        await sink(topic),
        rows(0, 40).map((line) => `Struct{line=${line},of=x}`),
      );
      await waitFor('health', async () => (await reasons(name)).length === 0, { timeoutMs: 60_000, detail });
    },
  );

  test.each(['frozen', 'killed'] as const)(
    'a sink whose registry is %s before it needs another schema: what was before is put, the rest follows',
    async (how) => {
      const topic = await clients.topic();
      const subject = `${topic}-value`;
      const ids = [await registry.register(subject, ROW), await registry.register(subject, WIDER)] as const;
      const file = await sink(topic, { 'consumer.override.max.poll.interval.ms': '1000' });
      await send(topic, [struct(ids[0], 2)]);
      await arrived(file, ['Struct{n=1}']);
      await registry.leave(how);
      await send(topic, [struct(ids[0], 4), struct(ids[1], 6, 0), struct(ids[0], 8), struct(ids[1], 10, 2, 2, 120)]);
      await waits(file.name);
      await arrived(file, ['Struct{n=1}', 'Struct{n=2}']);
      await answers(file.name);
      const [committed] = await clients.admin.listGroupOffsets(`connect-${file.name}`);
      expect(committed).toMatchObject({ offset: 2 });

      await registry.comeBack();
      await arrived(file, ['Struct{n=1}', 'Struct{n=2}', 'Struct{n=3}', 'Struct{n=4}', 'Struct{n=5,m=x}']);
      expect(worker.process.log()).not.toContain('leaving group');
    },
  );

  test('a poison record is a dead letter with its bytes and the stage; without tolerance the task fails at it', async () => {
    const topic = await clients.topic();
    const letters = uniqueName('letters');
    const id = await registry.register(`${topic}-value`, ROW);
    const poison = [Buffer.from('{"n":2}'), struct(9_999, 6), struct(id)];
    await send(topic, [struct(id, 2), ...poison, struct(id, 10)]);
    const tolerant = await sink(topic, {
      'errors.tolerance': 'all',
      'errors.deadletterqueue.topic.name': letters,
      'errors.deadletterqueue.topic.replication.factor': '1',
      'errors.deadletterqueue.context.headers.enable': 'true',
    });
    const strict = await sink(topic);
    await arrived(tolerant, ['Struct{n=1}', 'Struct{n=5}']);
    const records = await recordsOf(clients, letters, poison.length, detail);
    expect(records.map(({ value }) => Buffer.from(value ?? []))).toEqual(poison);
    const stages = records.map(({ headers }) => headers.find(({ key }) => key === '__connect.errors.stage')?.value);
    expect(stages.map(String)).toEqual(poison.map(() => 'VALUE_CONVERTER'));

    const { tasks } = await worker.statusWhen(strict.name, (now) => now.tasks[0]?.state === 'FAILED');
    expect(tasks[0]?.trace).toContain('offset');
    expect(await strict.lines()).toBe('Struct{n=1}\n');
    const [committed] = await clients.admin.listGroupOffsets(`connect-${strict.name}`);
    expect(committed).toMatchObject({ offset: 1 });
  });
});
