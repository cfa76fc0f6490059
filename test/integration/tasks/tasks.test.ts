/**
 * Source and sink tasks of a third-party plugin against a real Kafka, in both hosts. Needs the build: threads run
 * `dist/`.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseWorkerConfig } from '../../../src/config/worker-config';
import { builtInPlugins } from '../../../src/built-in-plugins';
import { createKafkaClients } from '../../../packages/kafka-client/src/create-clients';
import type { Admin } from '../../../packages/kafka-client/src/port';
import { silentLogger } from '../../../src/logging/logger';
import { createPluginRegistry } from '../../../src/plugins/create-registry';
import type { TaskHost, TaskSpec } from '../../../src/tasks/host';
import { InlineTaskHost } from '../../../src/tasks/hosts/inline-task-host';
import { ThreadTaskHost } from '../../../src/tasks/hosts/thread-task-host';
import { deleteTopics } from '../../helpers/kafka-clients';
import { proxyTo } from '../../helpers/tcp-proxy';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';
import { notArrays, wrongRecords } from '../../sdk/poll-faults';
import { MemoryOffsets, RecordingListener } from '../../tasks/fakes';

const bootstrap = process.env.BOOTSTRAP_SERVERS ?? '';
const ROOT = join(__dirname, '..', '..', '..');
const clients = createKafkaClients(silentLogger);
let admin: Admin;
let folder: string;
const topics: string[] = [];
const hosts: TaskHost[] = [];

beforeAll(() => {
  admin = clients.admin({ 'bootstrap.servers': bootstrap });
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-tasks-'));
});
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()));
  rmSync(folder, { recursive: true, force: true });
  await deleteTopics(admin, topics.splice(0));
});
afterAll(() => admin.close());

type Kind = 'inline' | 'thread';

function setUp(
  kind: Kind,
  settings: Record<string, string> = {},
): { host: TaskHost; listener: RecordingListener; offsets: MemoryOffsets } {
  const config = parseWorkerConfig({
    'bootstrap.servers': bootstrap,
    'group.id': uniqueName('group'),
    'config.storage.topic': 'c',
    'offset.storage.topic': 'o',
    'status.storage.topic': 's',
    'key.converter': 'org.apache.kafka.connect.storage.StringConverter',
    'value.converter': 'org.apache.kafka.connect.storage.StringConverter',
    'offset.flush.interval.ms': '200',
    'plugin.path': join(__dirname, 'fixtures', 'plugins'),
    ...settings,
  });
  const listener = new RecordingListener();
  const offsets = new MemoryOffsets();
  const registry = createPluginRegistry({
    pluginPath: config.pluginPath,
    builtIns: builtInPlugins,
    logger: silentLogger,
  });
  const host =
    kind === 'inline'
      ? new InlineTaskHost({ config, clients, registry, offsets, logger: silentLogger }, listener)
      : new ThreadTaskHost({
          data: { settings: config.raw, catalog: registry.catalog },
          threads: 2,
          gracefulTimeoutMs: 5000,
          offsets,
          listener,
          logger: silentLogger,
          module: join(ROOT, 'dist', 'task-thread.js'),
        });
  hosts.push(host);
  return { host, listener, offsets };
}

async function topic(partitions = 1): Promise<string> {
  const name = uniqueName('numbers');
  await admin.createTopics([{ name, partitions, replicationFactor: 1 }]);
  topics.push(name);
  return name;
}
function task(type: 'source' | 'sink', connector: string, config: Record<string, string>, number = 0): TaskSpec {
  const connectorClass = type === 'source' ? 'test.NumbersSourceConnector' : 'AppendSink';
  const all = { name: connector, 'connector.class': connectorClass, ...config };
  return {
    id: { connector, task: number },
    type,
    connectorClass,
    connectorConfig: all,
    taskConfig: all,
    targetState: 'STARTED',
    consumerGroup: null,
  };
}
/** Only whole lines: the last one may not be complete yet. */
const numbers = (file: string): number[] => {
  try {
    return readFileSync(file, 'utf8').split('\n').slice(0, -1).map(Number);
  } catch {
    return [];
  }
};
async function endOffset(name: string): Promise<number> {
  return (await admin.listOffsets([{ topic: name, partition: 0 }], 'latest'))[0]?.offset ?? -1;
}
const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1);

describe.each<Kind>(['inline', 'thread'])('%s host', (kind) => {
  test('a source fills a topic, a sink writes it to a file, offsets are stored, and both resume where they stopped', async () => {
    const { host, listener, offsets } = setUp(kind);
    const name = await topic();
    const sink = uniqueName('sink');
    const file = join(folder, 'out.txt');
    await host.start(task('source', 'src', { topic: name, count: '5000' }));
    await host.start(task('sink', sink, { topics: name, file }));
    await waitFor('all in the file', () => numbers(file).length >= 5000, {
      detail: () => listener.events.join() + listener.trace,
    });
    expect(numbers(file)).toEqual(upTo(5000));
    expect(
      await host.stop(
        [
          { connector: 'src', task: 0 },
          { connector: sink, task: 0 },
        ],
        60_000,
      ),
    ).toEqual([]);
    expect(offsets.of({ counter: 'one' }, 'src')).toEqual({ n: 5000 });
    expect(await admin.listGroupOffsets(`connect-${sink}`)).toEqual([{ topic: name, partition: 0, offset: 5000 }]);
    expect([...listener.topics].sort()).toEqual([name, name]);

    await host.start(task('source', 'src', { topic: name, count: '6000' }));
    await host.start(task('sink', sink, { topics: name, file }));
    await waitFor('the rest in the file', () => numbers(file).length >= 6000);
    expect(numbers(file)).toEqual(upTo(6000));
    expect(listener.events.filter((e) => e.startsWith('failed'))).toEqual([]);
  });

  test('a source whose poll returns what is not allowed fails with the words of the test kit', async () => {
    const { host, listener, offsets } = setUp(kind);
    const name = await topic();
    const failures = new Map<string, string>();
    listener.onFailed = ({ connector }, trace, retriable) =>
      void failures.set(connector, `${trace.split('\n')[0]} ${retriable ? 'retriable' : 'final'}`);
    const reasons = [
      ...notArrays(name).map(([, , found]) => `returned ${found}: expected an array of records, or null for none.`),
      ...wrongRecords(name).map(([, , at, reason]) => `returned an invalid record 1${at}: ${reason}.`),
    ];
    expect(reasons.length).toBeGreaterThan(40);
    const code = /(?<= \[code: )(POLL_RESULT|(SOURCE_RECORD_INVALID|OFFSET_NOT_PRIMITIVE), record: 1)(?=\] final$)/;
    for (const polls of reasons.keys())
      await host.start(task('source', `src${polls}`, { topic: name, polls: String(polls), 'errors.tolerance': 'all' }));
    await waitFor('all have failed', () => failures.size === reasons.length, {
      detail: () => [...failures].join('\n'),
    });
    for (const [i, reason] of reasons.entries()) {
      expect(failures.get(`src${i}`)).toContain(`: poll() of test.NumbersSourceConnector ${reason} [`);
      expect(failures.get(`src${i}`)).toMatch(code);
    }
    expect(await endOffset(name)).toBe(0);
    expect(offsets.writes).toEqual([]);
  });

  test('connect-runtime 70: a record larger than the topic allows: FAILED, offsets of earlier acknowledged records are stored', async () => {
    const { host, listener, offsets } = setUp(kind);
    const name = uniqueName('small');
    topics.push(name);
    await admin.createTopics([{ name, partitions: 1, replicationFactor: 1, configs: { 'max.message.bytes': '2000' } }]);
    await host.start(task('source', 'src', { topic: name, count: '500', bigAt: '300' }));
    await listener.until('failed src-0');
    expect(listener.trace.split('\n')[0]).toMatch(/MESSAGE_TOO_LARGE|RECORD_TOO_LARGE/);
    expect(listener.retriable).toBe(false);
    // The batch around it is split: earlier records are in the topic, and nothing after it may count.
    expect(offsets.of({ counter: 'one' }, 'src')).toEqual({ n: 299 });
    expect(await endOffset(name)).toBeGreaterThanOrEqual(299);
  });

  test('connect-runtime 95: a second sink task gets half of the partitions, nothing is lost or duplicated', async () => {
    const { host, listener } = setUp(kind);
    const name = await topic(4);
    const sink = uniqueName('sink');
    const file = join(folder, 'out.txt');
    await host.start(task('sink', sink, { topics: name, file }));
    await host.start(task('source', 'src', { topic: name, count: '2000' }));
    await waitFor('the first in the file', () => numbers(file).length >= 2000);
    await host.start(task('sink', sink, { topics: name, file }, 1));
    await waitFor('two members', async () => {
      const group = await admin.describeGroup(`connect-${sink}`);
      return group.state === 'Stable' && group.members.length === 2;
    });
    await host.stop([{ connector: 'src', task: 0 }], 60_000);
    await host.start(task('source', 'src', { topic: name, count: '4000' }));
    await waitFor('the rest in the file', () => numbers(file).length >= 4000, { detail: () => listener.events.join() });
    expect([...numbers(file)].sort((a, b) => a - b)).toEqual(upTo(4000));
  });
});

test('connect-runtime 76: topics are created with the settings of their group', async () => {
  const { host, listener } = setUp('inline');
  const name = uniqueName('created');
  topics.push(name);
  const creation = {
    'topic.creation.default.partitions': '1',
    'topic.creation.default.replication.factor': '-1',
    'topic.creation.groups': 'mine',
    'topic.creation.mine.include': 'created_.*',
    'topic.creation.mine.partitions': '3',
    'topic.creation.mine.cleanup.policy': 'compact',
  };
  await host.start(task('source', 'src', { topic: name, count: '10', ...creation }));
  await waitFor('the topic in use', () => listener.topics.includes(name), { detail: () => listener.trace });
  expect((await admin.describeTopics([name]))[0]?.partitions).toHaveLength(3);
  expect((await admin.topicConfig(name))['cleanup.policy']).toBe('compact');
});

test('connect-runtime 98, 101: a pattern finds topics, records it cannot convert go unchanged to the dead letter topic', async () => {
  const { host, listener } = setUp('inline');
  const prefix = uniqueName('pattern');
  const names = [`${prefix}-a`, `${prefix}-b`];
  const dead = uniqueName('dead');
  topics.push(...names, dead);
  await admin.createTopics(names.map((name) => ({ name, partitions: 1, replicationFactor: 1 })));
  const file = join(folder, 'out.txt');
  const producer = clients.producer({ 'bootstrap.servers': bootstrap });
  await producer.connect();
  await producer.prepare(names);
  for (const name of names) {
    for (const value of ['1', '{"no":', '2'])
      producer.send({ topic: name, key: Buffer.from('k'), value: Buffer.from(value) });
  }
  await producer.close();
  await host.start(
    task('sink', uniqueName('sink'), {
      'topics.regex': `${prefix}-[ab]`,
      file,
      'value.converter': 'JsonConverter',
      'value.converter.schemas.enable': 'false',
      'errors.tolerance': 'all',
      'errors.deadletterqueue.topic.name': dead,
      'errors.deadletterqueue.topic.replication.factor': '1',
      'errors.deadletterqueue.context.headers.enable': 'true',
    }),
  );
  await waitFor('the good ones', () => numbers(file).length === 4, {
    detail: () => listener.events.join() + listener.trace,
  });
  expect(numbers(file).sort()).toEqual([1, 1, 2, 2]);
  const reader = clients.assignedConsumer({ 'bootstrap.servers': bootstrap, 'auto.offset.reset': 'earliest' });
  await reader.connect();
  reader.assign([{ topic: dead, partition: 0 }]);
  const letters: { value: string | undefined; topic: string | undefined; headers: number }[] = [];
  await waitFor('the bad ones', async () => {
    for (const { records } of await reader.poll(500)) {
      for (const { value, headers } of records) {
        letters.push({
          value: value?.toString(),
          topic: Buffer.from(headers[0]?.value ?? []).toString(),
          headers: headers.length,
        });
      }
    }
    return letters.length === 2;
  });
  await reader.close();
  expect(letters.sort((a, b) => ((a.topic ?? '') < (b.topic ?? '') ? -1 : 1))).toEqual(
    names.map((topic) => ({ value: '{"no":', topic, headers: 10 })),
  );
  expect(listener.events.filter((e) => e.startsWith('failed'))).toEqual([]);
});

async function produce(name: string, values: readonly string[]): Promise<void> {
  const producer = clients.producer({ 'bootstrap.servers': bootstrap });
  await producer.connect();
  await producer.prepare([name]);
  for (const value of values) producer.send({ topic: name, key: null, value: Buffer.from(value) });
  await producer.close();
}
const deadLettersIn = (dead: string): Record<string, string> => ({
  'value.converter': 'JsonConverter',
  'value.converter.schemas.enable': 'false',
  'errors.tolerance': 'all',
  'errors.deadletterqueue.topic.name': dead,
  'errors.deadletterqueue.topic.replication.factor': '1',
});

test('connect-runtime 98: a dead letter that its topic rejects fails the task; it is written once the topic accepts it, and only then committed', async () => {
  const { host, listener } = setUp('inline');
  const name = await topic();
  const dead = uniqueName('dead');
  topics.push(dead);
  await admin.createTopics([
    { name: dead, partitions: 1, replicationFactor: 1, configs: { 'max.message.bytes': '2000' } },
  ]);
  await produce(name, ['1', `{"no":"${'x'.repeat(20_000)}`, '2']);
  const sink = uniqueName('sink');
  const file = join(folder, 'out.txt');
  const spec = task('sink', sink, { topics: name, file, ...deadLettersIn(dead) });
  await host.start(spec);
  await listener.until(`failed ${sink}-0`);
  expect(listener.trace.split('\n')[0]).toMatch(
    /A failed record could not be written to the dead letter topic .*\[code: DLQ_WRITE, .*partition: 0, offset: 1\]/,
  );
  expect(listener.retriable).toBe(false);
  expect((await admin.listGroupOffsets(`connect-${sink}`)).filter(({ offset }) => offset > 1)).toEqual([]);
  expect(await endOffset(dead)).toBe(0);

  await admin.alterTopicConfig(dead, { 'max.message.bytes': '1000000' });
  await host.start(spec);
  await waitFor(
    'the commit',
    async () => (await admin.listGroupOffsets(`connect-${sink}`)).some(({ offset }) => offset === 3),
    { detail: () => listener.events.join() + listener.trace },
  );
  expect(await endOffset(dead)).toBe(1);
});

test('a sink with a dead letter topic that starts while Kafka is unreachable waits for it, and stops at once while it waits', async () => {
  const { host, listener } = setUp('inline');
  const name = await topic();
  const dead = uniqueName('dead');
  topics.push(dead);
  const proxy = await proxyTo(bootstrap.split(',')[0] as string);
  try {
    proxy.cutAfter = 0;
    const sink = uniqueName('sink');
    const file = join(folder, 'out.txt');
    const config = { topics: name, file, ...deadLettersIn(dead) };
    // The default retry time, in a moment.
    const spec = task('sink', sink, { ...config, 'admin.override.default.api.timeout.ms': '300' });
    await host.start(spec);
    const before = proxy.connections;
    await waitFor('tries beyond that time', () => proxy.connections > before + 4, {
      detail: () => listener.events.join() + listener.trace,
    });
    expect(listener.events).toEqual([]);
    proxy.cutAfter = null;
    await listener.until(`running ${sink}-0`);

    proxy.cutAfter = 0;
    const patient = task('sink', uniqueName('sink'), config);
    const connections = proxy.connections;
    await host.start(patient);
    await waitFor('its first try', () => proxy.connections > connections);
    expect(await host.stop([patient.id], 20_000)).toEqual([]);
  } finally {
    await proxy.close();
  }
});

test('connect-runtime 69: repeatedly cut connections: nothing lost, order kept, no failure', async () => {
  const proxy = await proxyTo(bootstrap.split(',')[0] as string);
  try {
    const { host, listener, offsets } = setUp('inline');
    const name = await topic();
    const sink = uniqueName('sink');
    const file = join(folder, 'out.txt');
    await host.start(task('sink', sink, { topics: name, file }));
    await host.start(
      task('source', 'src', {
        topic: name,
        count: '20000',
        'producer.override.batch.size': '2000',
        'producer.override.max.request.size': '4000',
      }),
    );
    for (let cuts = 0; cuts < 5; cuts++) {
      const before = numbers(file).length;
      await waitFor('progress', () => numbers(file).length > before || numbers(file).at(-1) === 20_000);
      proxy.cutAll();
    }
    await waitFor('the last in the file', () => numbers(file).at(-1) === 20_000, {
      detail: () => listener.events.join() + listener.trace,
    });
    const seen = numbers(file);
    expect([...new Set(seen)].sort((a, b) => a - b)).toEqual(upTo(20_000));
    // First deliveries are in order; repetitions may follow a cut.
    let highest = 0;
    for (const n of seen) {
      expect(n).toBeLessThanOrEqual(highest + 1);
      highest = Math.max(highest, n);
    }
    await host.stop(
      [
        { connector: 'src', task: 0 },
        { connector: sink, task: 0 },
      ],
      60_000,
    );
    expect(offsets.of({ counter: 'one' }, 'src')).toEqual({ n: 20_000 });
    expect(listener.events.filter((e) => e.startsWith('failed'))).toEqual([]);
  } finally {
    await proxy.close();
  }
});

test('an error thrown from a timer of one task fails it; the other task restarts in another thread', async () => {
  const { host, listener } = setUp('thread');
  const name = await topic();
  for (const id of ['a', 'b']) {
    await host.start(task('source', id, { topic: name, count: '10' }));
    await listener.until(`running ${id}-0`);
  }
  await host.start(task('source', 'bad', { topic: name, count: '10', misbehave: 'throw later' }));
  await listener.until('failed bad-0');
  expect(listener.trace).toMatch(
    /^org\.apache\.kafka\.connect\.errors\.ConnectException: thrown from a timer\n\tat .*numbers/,
  );
  expect(listener.retriable).toBe(true);
  const again = (): string[] => listener.events.filter((event) => event.startsWith('restarting'));
  await waitFor('its neighbor to restart', () => again().length === 1);
  const [neighbour] = (again()[0] ?? '').split(' ').slice(1);
  await waitFor('it to run', () => listener.events.filter((event) => event === `running ${neighbour}`).length === 2);
  expect(listener.events.filter((event) => event.startsWith('failed'))).toEqual(['failed bad-0']);
});
