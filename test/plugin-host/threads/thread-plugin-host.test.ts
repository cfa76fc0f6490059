import { join } from 'node:path';
import { createConfigValidator } from '../../../src/config/validation/connector-validator';
import { ValidationError } from '../../../src/config/validation/validation-error';
import { parseWorkerConfig } from '../../../src/config/worker-config';
import { builtInPlugins } from '../../../src/built-in-plugins';
import { LogLevels } from '../../../src/logging/log-levels';
import { silentLogger } from '../../../src/logging/logger';
import type { HostedInstance, InstanceEvents } from '../../../src/plugin-host/host';
import { ThreadPluginHost, type ThreadPluginHostOptions } from '../../../src/plugin-host/threads/thread-plugin-host';
import { createPluginRegistry } from '../../../src/plugins/create-registry';
import { waitFor } from '../../helpers/wait-for';
import { RecordingLogger } from '../../tasks/fakes';

const SETTINGS = {
  'bootstrap.servers': 'localhost:9092',
  'group.id': 'connect-cluster',
  'config.storage.topic': 'configs',
  'offset.storage.topic': 'offsets',
  'status.storage.topic': 'status',
  'key.converter': 'org.apache.kafka.connect.json.JsonConverter',
  'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
  'plugin.path': join(__dirname, '..', 'fixtures', 'plugins'),
};
const TALKER = 'com.example.Talker';

const config = parseWorkerConfig(SETTINGS);
const registry = createPluginRegistry({
  pluginPath: config.pluginPath,
  builtIns: builtInPlugins,
  logger: silentLogger,
});
const description = registry.find(TALKER, 'source') as NonNullable<ReturnType<typeof registry.find>>;

let open: ThreadPluginHost[] = [];
afterEach(async () => {
  await Promise.all(open.map((host) => host.close()));
  open = [];
});

function start(options: Partial<ThreadPluginHostOptions> = {}): { host: ThreadPluginHost; logger: RecordingLogger } {
  const logger = new RecordingLogger();
  const host = new ThreadPluginHost({
    data: { settings: SETTINGS, catalog: registry.catalog },
    module: join(__dirname, '..', 'fixtures', 'thread.js'),
    silenceMs: 1500,
    logger,
    levels: new LogLevels(),
    ...options,
  });
  open.push(host);
  return { host, logger };
}

function events(): InstanceEvents & { readonly seen: unknown[] } {
  const seen: unknown[] = [];
  return {
    seen,
    logger: silentLogger,
    requestTaskReconfiguration: () => seen.push('reconfigure'),
    raiseError: (error) => seen.push(error),
    offsets: {
      offset: async () => null,
      offsets: async (partitions) => partitions.map((partition) => ({ of: JSON.stringify(partition) })),
    },
  };
}
const hosted = (connector: string, does = '', more: Record<string, string> = {}) => ({
  connector,
  description,
  config: { does, ...more },
  workerSettings: { granted: 'yes' },
});
const outcome = async (promise: Promise<unknown>): Promise<unknown> =>
  await promise.catch((error: ValidationError & { code?: string }) => ({
    kind: error instanceof ValidationError ? 'validation' : 'error',
    name: error.name,
    message: error.message,
    status: error.status,
    javaClass: error.javaClass,
    code: error.code,
  }));

describe('validation', () => {
  test('answers and errors are the same as inline', async () => {
    const { host } = start();
    const inline = createConfigValidator({ registry, config });
    const talker = { name: 'c', 'connector.class': TALKER };
    const configs: Record<string, string | null>[] = [
      talker,
      { ...talker, 'tasks.max': 'x', topics: null, transforms: 'a', 'transforms.a.type': 'Cast$Value' },
      { ...talker, 'producer.override.linger.ms': 'x' },
      { ...talker, does: 'refuses' },
      { ...talker, 'connector.plugin.version': '[' },
      { name: 'c' },
      { 'connector.class': 'Unknown' },
    ];
    for (const one of configs) expect(await outcome(host.validate(one))).toEqual(await outcome(inline.validate(one)));
    for (const name of [TALKER, 'org.apache.kafka.connect.transforms.Cast$Value', 'Unknown']) {
      expect(await outcome(host.definitions(name))).toEqual(await outcome(inline.definitions(name)));
      expect(await outcome(host.schema(name))).toEqual(await outcome(inline.schema(name)));
    }
  });

  test('placeholders are replaced by the worker, and their values are not in the answer', async () => {
    const { host } = start({
      resolver: { resolve: async (given) => ({ ...given, secret: 'hunter2-hunter2' }) as never },
    });
    const infos = await host.validate({ name: 'c', 'connector.class': TALKER, does: 'tells', secret: '${env:S}' });
    expect(JSON.stringify(infos)).toContain('the secret is ${env:S}');
    expect(JSON.stringify(infos)).not.toContain('hunter2');
  });

  test('a validate() that does not answer has a time limit, and other calls continue meanwhile', async () => {
    const { host } = start({ data: { settings: SETTINGS, catalog: registry.catalog, pluginLimitMs: 3000 } });
    const never = outcome(host.validate({ name: 'c', 'connector.class': TALKER, does: 'never answers' }));
    expect(await host.validate({ name: 'c', 'connector.class': TALKER })).toMatchObject({ name: TALKER });
    expect(await never).toMatchObject({
      status: 500,
      message: expect.stringContaining('currently performing multi-property validation for the connector'),
    });
  });
});

describe('connector instances', () => {
  test('the runtime’s context works across the thread boundary', async () => {
    const levels = new LogLevels();
    const { host, logger } = start({ levels });
    expect(await host.traits(description)).toEqual({
      creates: true,
      altersOffsets: true,
      partitionOrder: 'hash-map',
      taskClass: null,
      taskCountKey: null,
    });
    const recorded = events();
    const reader = await host.create(hosted('reader', 'reads'), recorded);
    levels.set('millrace.herder', 'DEBUG');
    await reader.start?.();
    expect(await reader.taskConfigs(3)).toEqual([{ offset: JSON.stringify({ of: '{"file":"a"}' }) }]);
    await waitFor('the log line', () => logger.lines.find((line) => JSON.stringify(line).includes('starts')));
    const raises = await host.create(hosted('raises', 'raises'), recorded);
    const again = await host.create(hosted('again', 'requests reconfiguration'), recorded);
    await Promise.all([raises.start?.(), again.start?.()]);
    expect(recorded.seen).toEqual([expect.objectContaining({ message: 'raised', code: 'E_RAISED' }), 'reconfigure']);
    expect(await again.taskConfigs(3)).toMatchObject([{ starts: '1', max: '3', granted: 'yes' }]);
    const badly = await host.create(hosted('badly', 'stops badly'), recorded);
    await badly.start?.();
    await expect(badly.stop?.()).rejects.toThrow('not like this');
    expect(await host.alterOffsets(description, {}, [[{ file: 'a' }, { n: 5n }]], 'alter')).toBe(true);
  });

  test('a diagnosis runs in a thread, and one that spins ends it', async () => {
    const { host } = start();
    const context = { connector: 'c', workerSettings: {}, timeoutMs: 5_000 };
    expect(await host.diagnose(description, { does: 'talks' }, context)).toEqual([
      { severity: 'error', code: 'E_TALK', message: 'c does talks within 5000 ms.' },
    ]);
    expect(await outcome(host.diagnose(description, { does: 'spins' }, context))).toMatchObject({
      code: 'PLUGIN_SILENT',
      message: expect.stringContaining('diagnose()'),
    });
  });

  test('the one that spins fails, and gets a thread of its own; the others are restored', async () => {
    const { host } = start();
    const [recorded, restarted] = [events(), events()];
    const other = await host.create(hosted('other'), restarted);
    await other.start?.();
    const cause = await host.create(hosted('cause', 'spins'), recorded);
    await cause.start?.();
    const [first] = await other.taskConfigs(1);
    const spinning = outcome(Promise.resolve(cause.taskConfigs(1)));
    // In the queue behind it.
    const waiting = other.taskConfigs(1);
    expect(await spinning).toMatchObject({
      code: 'PLUGIN_SILENT',
      message: expect.stringMatching(/^The call of taskConfigs\(\) in connector cause did not return within 1500 ms/),
    });
    expect(recorded.seen).toHaveLength(1);
    const [moved] = await waiting;
    expect(moved).toMatchObject({ starts: '1' });
    expect(moved?.thread).not.toBe(first?.thread);
    expect(restarted.seen).toEqual([]);
    cause.release?.();
    const again = await host.create(hosted('cause', 'spins'), recorded);
    const [apart] = await again.taskConfigs(0);
    expect([first?.thread, moved?.thread]).not.toContain(apart?.thread);
    expect((await other.taskConfigs(1))[0]).toEqual(moved);
  });

  test('a timer that spins: the others continue once it is detected', async () => {
    const { host } = start();
    const recorded = events();
    const others = await Promise.all(
      ['a', 'b', 'c'].map(async (name) => {
        const instance = await host.create(hosted(name), recorded);
        await instance.start?.();
        return instance;
      }),
    );
    const ofCause = events();
    const cause = await host.create(hosted('cause', 'spins later'), ofCause);
    await cause.start?.();
    await waitFor('the cause to fail', () => ofCause.seen.length > 0, { timeoutMs: 60_000 });
    expect(ofCause.seen).toEqual([expect.objectContaining({ code: 'PLUGIN_SILENT' })]);
    for (const instance of others) expect(await instance.taskConfigs(1)).toMatchObject([{ max: '1' }]);
    expect(recorded.seen).toEqual([]);
  });
});

test('retired threads keep their instances; new instances and calls get threads with the new code', async () => {
  const { host } = start();
  const thread = async (instance: HostedInstance): Promise<string> =>
    (await instance.taskConfigs(1))[0]?.thread as string;
  const first = await host.create(hosted('a'), events());
  const second = await host.create(hosted('b'), events());
  const old = await thread(first);
  expect(await thread(second)).toBe(old);
  await host.traits(description);
  host.retireThreads();
  expect((await host.traits(description)).creates).toBe(true);
  const third = await host.create(hosted('c'), events());
  expect(await thread(third)).not.toBe(old);
  expect(await thread(first)).toBe(old);
  first.release?.();
  expect(await thread(second)).toBe(old);
});

test('what is known of a plugin is not said of one in another place with the same class and version', async () => {
  const other = { ...description, location: '/elsewhere' };
  const { catalog } = registry;
  const entries = [...catalog.entries, { description: other, file: '/elsewhere/index.js', exportName: null }];
  const { host } = start({ data: { settings: SETTINGS, catalog: { ...catalog, entries } } });
  expect((await host.traits(description)).creates).toBe(true);
  expect(await outcome(host.traits(other))).toMatchObject({ code: 'PLUGIN_LOAD_FAILED' });
});

test('unused threads end, and no plugin is called once the host is closed', async () => {
  const { host } = start({ idleMs: 50 });
  const threads = (host as unknown as { threads: Set<{ gone: boolean }> }).threads;
  expect(threads.size).toBe(0);
  await host.traits(description);
  const instance = await host.create(hosted('c'), events());
  expect(threads.size).toBe(2);
  instance.release?.();
  await waitFor('the threads to end', () => [...threads].every(({ gone }) => gone));
  await host.close();
  expect(await outcome(host.validate({ 'connector.class': TALKER }))).toMatchObject({ code: 'PLUGIN_CLOSED' });
});

test.each([
  ['is not there', join(__dirname, '..', 'fixtures', 'no-such-thread.js'), 'Cannot find module'],
  ['throws', join(__dirname, '..', 'fixtures', 'broken-thread.js'), 'this file is broken'],
])(
  'a thread whose own code %s is not a plugin’s fault, and is not created again and again',
  async (_, module, reason) => {
    const { host, logger } = start({ module });
    const error = await outcome(host.validate({ name: 'c', 'connector.class': TALKER }));
    expect(error).toMatchObject({ code: 'PLUGIN_THREAD_NOT_STARTED', message: expect.stringContaining(reason) });
    const instance = outcome(host.create(hosted('c'), events()));
    expect(await instance).toMatchObject({ code: 'PLUGIN_THREAD_NOT_STARTED' });
    expect(logger.lines.filter((line) => line.includes('ended unexpectedly'))).toHaveLength(2);
  },
);
