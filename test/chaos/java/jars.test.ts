/** Jars that crash, hang and flood, and JVMs that are killed or frozen: nothing is lost, and neighbours go on. */
import { existsSync, statSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtJavaHost } from '../../../dev/services/java-host';
import { pluginPath } from '../../../dev/services/plugin-jars';
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { childrenOf } from '../../helpers/child-processes';
import { compilePlugin, type CompiledPlugin } from '../../helpers/compiled-plugin';
import { describeWithKafka } from '../../helpers/java';
import { Clients } from '../../helpers/kafka-clients';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

const STRING = 'org.apache.kafka.connect.storage.StringConverter';
const CONVERTERS = { 'key.converter': STRING, 'value.converter': STRING };

describeWithKafka('connectors in jars that misbehave', () => {
  let plugin: CompiledPlugin;
  let clients: Clients;
  let folder: string;
  let worker: StartedWorker;
  /** Topics of a source in the same JVM, and of one in the JVM of another folder. */
  let neighbour: string;
  let other: string;
  /** What the latter reads. */
  let file: string;
  let lines = 0;

  const detail = (): string => worker.process.log().slice(-6000);
  const jvms = (): number[] => childrenOf(worker.pid, 'java');
  const end = async (topic: string): Promise<number> =>
    (await clients.admin.listOffsets([{ topic, partition: 0 }], 'latest'))[0]?.offset ?? 0;
  async function grows(topic: string, by = 1): Promise<void> {
    const from = await end(topic);
    await waitFor(`${topic} to grow`, async () => (await end(topic)) >= from + by, { timeoutMs: 90_000, detail });
  }
  async function numbersOf(topic: string): Promise<number[]> {
    const consumer = await clients.assigned();
    const tp = { topic, partition: 0 };
    consumer.assign([tp]);
    await consumer.seekToBeginning([tp]);
    const until = await end(topic);
    const numbers: number[] = [];
    while ((consumer.position(tp) ?? 0) < until)
      for (const { records } of await consumer.poll(1_000))
        for (const { value } of records) numbers.push(Number(String(value).slice('line '.length)));
    await consumer.close();
    return numbers;
  }
  /** Every number up to the last one is there. */
  async function isComplete(topic: string): Promise<void> {
    const numbers = new Set(await numbersOf(topic));
    expect(numbers.size).toBe(Math.max(...numbers) + 1);
  }

  async function source(name: string, more: Record<string, string> = {}): Promise<string> {
    const topic = await clients.topic(1, {}, `${uniqueName('jar')}-${name}`);
    await worker.register({
      name,
      config: {
        'connector.class': 'hostile.Hostile$Source',
        topic,
        'misdeed.file': join(folder, name),
        ...CONVERTERS,
        ...more,
      },
    });
    return topic;
  }
  /** A task that failed runs again. */
  const runs = async (name: string): Promise<void> =>
    void (await worker.statusWhen(
      name,
      ({ connector, tasks }) => connector.state === 'RUNNING' && tasks[0]?.state === 'RUNNING',
    ));
  const write = async (): Promise<void> => await writeFile(file, `${lines++}\n`, { flag: 'a' });
  const misbehave = (name: string): Promise<void> => writeFile(join(folder, name), '');
  const remove = async (name: string): Promise<void> => {
    const answer = await waitFor(
      `${name} to be deleted`,
      async () => {
        const now = await worker.request('DELETE', `/connectors/${name}`);
        return now.status !== 409 && now;
      },
      { timeoutMs: 40_000, detail },
    );
    expect([name, answer.status, answer.body]).toEqual([name, 204, '']);
  };

  beforeAll(async () => {
    await builtJavaHost();
    plugin = await compilePlugin('hostile', [join(__dirname, 'hostile', 'Hostile.java')], {
      'org.apache.kafka.connect.source.SourceConnector': ['hostile.Hostile$Source'],
      'org.apache.kafka.connect.sink.SinkConnector': ['hostile.Hostile$Sink'],
    });
    folder = await mkdtemp(join(tmpdir(), 'millrace-misdeeds-'));
    file = join(folder, 'lines.txt');
    clients = new Clients();
    worker = await startWorker({
      group: uniqueName('jars'),
      settings: {
        'plugin.path': [plugin.pluginPath, await pluginPath('file')].join(','),
        'offset.flush.interval.ms': '500',
        'jvm.idle.timeout.ms': '1000',
        'jvm.silence.ms': '3000',
        'jvm.heap.mb': '64',
        'errors.restart.backoff.ms': '200',
      },
    });
    await worker.ready();
    neighbour = await source('neighbour');
    other = await clients.topic();
    await write();
    await worker.register({
      name: 'other-folder',
      config: {
        'connector.class': 'org.apache.kafka.connect.file.FileStreamSourceConnector',
        'connector.plugin.version': '4.3.1',
        topic: other,
        file,
        ...CONVERTERS,
      },
    });
    await worker.running('neighbour');
    await worker.running('other-folder');
    await waitFor('the first line', async () => (await end(other)) === 1, { detail });
  });
  afterAll(async () => {
    await worker?.stop();
    await clients?.close();
    await plugin?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  test.each(['exit', 'memory', 'crash', 'error', 'throw', 'flood', 'print'])(
    '%s in poll: the task runs again, nothing is lost, and neighbours go on',
    async (misdeed) => {
      const topic = await source(misdeed, { misdeed, 'misdeed.at': 'poll', 'misdeed.once': 'true' });
      await grows(topic);
      await misbehave(misdeed);
      await waitFor('the misdeed', () => !existsSync(join(folder, misdeed)), { detail });
      await write();
      await grows(topic, 50);
      await grows(neighbour, 50);
      await waitFor('the line of the other folder', async () => (await end(other)) === lines, { detail });
      await runs(misdeed);
      await runs('neighbour');
      await isComplete(topic);
      await isComplete(neighbour);
      await remove(misdeed);
      // 400 MB were logged and printed.
      expect(statSync(join(worker.folder, 'log')).size).toBeLessThan(20_000_000);
    },
  );

  test('calls that hang: the connectors are deleted, and neighbours go on', async () => {
    const hanging = ['poll', 'start', 'stop', 'connector.start', 'connector.stop', 'commit'];
    const names = await Promise.all(
      hanging.map(async (at) => {
        const name = `hangs-${at}`;
        if (at.endsWith('start')) await misbehave(name);
        const topic = await source(name, { misdeed: 'hang', 'misdeed.at': at });
        if (!at.endsWith('start')) await grows(topic);
        await misbehave(name);
        return name;
      }),
    );
    await grows(neighbour, 20);
    await Promise.all(names.map(remove));
    await write();
    await waitFor('the line of the other folder', async () => (await end(other)) === lines, { detail });
    await grows(neighbour, 20);
    await isComplete(neighbour);
  });

  test.each(['exit', 'throw'])('%s in put: every record arrives', async (misdeed) => {
    const name = `put-${misdeed}`;
    const out = join(folder, `${name}.txt`);
    await worker.register({
      name,
      config: {
        'connector.class': 'hostile.Hostile$Sink',
        topics: neighbour,
        file: out,
        misdeed,
        'misdeed.at': 'put',
        'misdeed.once': 'true',
        'misdeed.file': join(folder, name),
        ...CONVERTERS,
      },
    });
    const written = async (): Promise<Set<string>> =>
      new Set((await readFile(out, 'utf8').catch(() => '')).split('\n').slice(0, -1));
    await waitFor('lines', async () => (await written()).size > 10, { detail });
    await misbehave(name);
    await waitFor('the misdeed', () => !existsSync(join(folder, name)), { detail });
    const last = `line ${(await numbersOf(neighbour)).at(-1)}`;
    const found = await waitFor(
      'the last line',
      async () => {
        const now = await written();
        return now.has(last) && now;
      },
      { timeoutMs: 90_000, detail },
    );
    const missing: string[] = [];
    for (let number = 0; `line ${number}` !== last; number++)
      if (!found.has(`line ${number}`)) missing.push(`line ${number}`);
    expect(missing).toEqual([]);
    await remove(name);
  });

  test.each(['SIGKILL', 'SIGSTOP'] as const)('JVMs that get %s: the tasks run in others', async (signal) => {
    const before = jvms();
    expect(before).toHaveLength(2);
    for (const pid of before) process.kill(pid, signal);
    await waitFor('the JVMs to end', () => !before.some((pid) => jvms().includes(pid)), { timeoutMs: 60_000, detail });
    await write();
    await grows(neighbour, 20);
    await waitFor('the line', async () => (await end(other)) >= lines, { timeoutMs: 90_000, detail });
    await isComplete(neighbour);
  });

  test('the last connector is deleted: the JVMs end', async () => {
    await Promise.all(['neighbour', 'other-folder'].map(remove));
    await waitFor('the JVMs to end', () => jvms().length === 0, { timeoutMs: 60_000, detail });
  });
});
