/** Connectors of jars, with scripted sessions in place of a JVM. */
import type { ConnectorContext, SinkConnector, SourceConnector, SourceConnectorContext } from '@millrace/sdk';
import type { Handler } from '../../../packages/java-host/src/connection/host-session';
import type { JavaPlugin } from '../../../packages/java-host/src/java-plugin';
import type { HostSession, JvmKey, Jvms } from '../../../packages/java-host/src/jvm/jvms';
import { JavaClass } from '../../../packages/java-host/src/plugins/java-class';
import { javaConnector } from '../../../packages/java-host/src/plugins/java-connector';
import type { HostMap, HostValue } from '../../../packages/java-host/src/wire/host-value';

type Answer = (method: string, args: readonly HostValue[]) => unknown;

class Session {
  readonly opened = {};
  readonly calls: [string, ...HostValue[]][] = [];
  readonly handlers = new Map<string, Handler>();
  closed = 0;
  end: (reason: Error | null) => void = () => undefined;
  readonly ended = new Promise<Error | null>((resolve) => (this.end = resolve));
  constructor(
    readonly key: JvmKey,
    readonly session: HostMap,
    private readonly answer: Answer,
  ) {}
  async call(method: string, ...args: readonly HostValue[]): Promise<HostValue> {
    this.calls.push([method, ...args]);
    return ((await this.answer(method, args)) ?? null) as HostValue;
  }
  handle(method: string, handler: Handler): void {
    this.handlers.set(method, handler);
  }
  close(): void {
    this.closed++;
    this.end(null);
  }
}

class FakeJvms implements Jvms {
  readonly sessions: Session[] = [];
  answer: Answer = () => null;
  hold: Promise<void> | null = null;
  async open(key: JvmKey, session: HostMap): Promise<HostSession> {
    await this.hold;
    const opened = new Session(key, session, (method, args) => this.answer(method, args));
    this.sessions.push(opened);
    return opened as unknown as HostSession;
  }
  get last(): Session {
    return this.sessions.at(-1) as Session;
  }
}

const plugin = (type: 'source' | 'sink'): JavaPlugin => ({
  type,
  class: 'com.acme.Jdbc',
  version: '1.2.3',
  location: '/jars/jdbc',
  classPath: ['/jars/jdbc/a.jar'],
});
const KEY = {
  name: 'url',
  type: 'STRING',
  required: true,
  default_value: null,
  importance: 'HIGH',
  documentation: 'Where.',
  group: null,
  order_in_group: 3,
  width: 'LONG',
  display_name: 'URL',
  dependents: ['user'],
  default: null,
};

async function load<T>(type: 'source' | 'sink', jvms: FakeJvms, described: HostMap = {}): Promise<T> {
  const javaClass = new JavaClass(plugin(type), jvms);
  const { answer } = jvms;
  jvms.answer = () => ({ taskClass: 'com.acme.JdbcTask', keys: [], overrides: [], ...described });
  const description = await javaClass.describe();
  jvms.answer = answer;
  const tasks = { source: (name: string) => ({ name }), sink: (name: string) => ({ name }) } as never;
  return javaConnector({ plugin: plugin(type), description, javaClass, jvms, tasks }) as T;
}

test('a description becomes the keys of the SDK, with Java’s defaults as REST shows them', async () => {
  const jvms = new FakeJvms();
  const keys = [
    KEY,
    { ...KEY, name: 'port', type: 'INT', required: false, default: 5432, default_value: '5432' },
    { ...KEY, name: 'ratio', type: 'DOUBLE', required: false, default: 1, default_value: '1.0' },
    { ...KEY, name: 'tables', type: 'LIST', required: false, default: ['a', 'b'], default_value: 'a,b' },
    { ...KEY, name: 'password', type: 'PASSWORD', required: false, default: null, default_value: '[hidden]' },
    { ...KEY, name: 'user', required: false, default: null, default_value: null, group: 'G' },
    { ...KEY, name: 'bare', documentation: null, display_name: null },
  ];
  const { config, taskClass } = await load<SourceConnector>('source', jvms, { keys });
  expect(jvms.last.key).toEqual({ location: '/jars/jdbc', classPath: ['/jars/jdbc/a.jar'] });
  expect(jvms.last.session).toEqual({ kind: 'plugins' });
  expect(jvms.last.calls).toEqual([['describe', 'source', 'com.acme.Jdbc']]);
  expect(jvms.last.closed).toBe(1);
  expect(taskClass).toBe('com.acme.JdbcTask');
  expect(config[0]).toEqual({
    name: 'url',
    type: 'STRING',
    importance: 'HIGH',
    documentation: 'Where.',
    group: null,
    order: 3,
    width: 'LONG',
    displayName: 'URL',
    dependents: ['user'],
  });
  expect(config.map((key) => key.default)).toEqual([undefined, 5432, 1, ['a', 'b'], '[hidden]', null, undefined]);
  expect(config[6]).toMatchObject({ name: 'bare', displayName: 'bare', documentation: '' });
  expect(config[5]?.group).toBe('G');
});

test.each([
  ['no map', 'x'],
  ['no keys', { keys: null }],
  ['a key without a name', { keys: [{ ...KEY, name: null }] }],
  ['a task class that is no text', { keys: [], overrides: [], taskClass: 7 }],
])('a description with %s is refused', async (_case, answer) => {
  const jvms = new FakeJvms();
  jvms.answer = () => answer;
  await expect(new JavaClass(plugin('source'), jvms).describe()).rejects.toMatchObject({ code: 'JAVA_HOST_PROTOCOL' });
  expect(jvms.last.closed).toBe(1);
});

test('checkValues asks the class itself; passwords do not come back', async () => {
  const jvms = new FakeJvms();
  const connector = await load<SinkConnector>('sink', jvms);
  jvms.answer = () => [
    { name: 'url', value: 'u', recommended: ['a', null], errors: ['no'], visible: false },
    { name: 'password', value: null, hidden: true, recommended: [], errors: [], visible: true },
    { name: 'user', value: null, recommended: [], errors: [], visible: true },
  ];
  expect(await connector.checkValues?.({ url: 'u', password: 's3cret' })).toEqual([
    { name: 'url', value: 'u', recommended: ['a'], errors: ['no'], visible: false },
    { name: 'password', value: '[hidden]', recommended: [], errors: [], visible: true },
    { name: 'user', value: null, recommended: [], errors: [], visible: true },
  ]);
  expect(jvms.last.calls).toEqual([['validate', 'sink', 'com.acme.Jdbc', { url: 'u', password: 's3cret' }]]);
});

test.each([
  ['sink', { kind: 'plugins', connector: 'c' }],
  ['transformation', { kind: 'plugins' }],
] as const)(
  'the validation of a %s has the name of its connector, not a setting of that name',
  async (type, session) => {
    const jvms = new FakeJvms();
    jvms.answer = () => [];
    await new JavaClass({ ...plugin('sink'), type }, jvms).validate({ name: 'c' });
    expect(jvms.last.session).toEqual(session);
  },
);

test('a question without an answer ends, and with it what the JVM does for it', async () => {
  const jvms = new FakeJvms();
  jvms.answer = () => new Promise(() => undefined);
  const asked = new JavaClass(plugin('sink'), jvms, 20).validate({});
  await expect(asked).rejects.toMatchObject({ code: 'PLUGIN_CALL_TIMEOUT' });
  expect(jvms.last.closed).toBe(1);
});

test('optional methods exist only where the class has them', async () => {
  const jvms = new FakeJvms();
  const bare = await load<SourceConnector>('source', jvms);
  expect([bare.alterOffsets, bare.exactlyOnceSupport, bare.canDefineTransactionBoundaries]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(bare.partitionOrder).toBe('insertion');
  const overrides = ['alterOffsets', 'exactlyOnceSupport', 'canDefineTransactionBoundaries'];
  const full = await load<SourceConnector>('source', jvms, { overrides });
  jvms.answer = (method) => (method === 'exactlyOnceSupport' ? 'SUPPORTED' : null);
  expect(await full.exactlyOnceSupport?.({ a: 'b' })).toBe('supported');
  expect(await full.canDefineTransactionBoundaries?.({ a: 'b' })).toBeNull();
  jvms.answer = () => true;
  const offsets = [[{ file: 'a' }, { position: 5n }] as const, [null, null] as const];
  expect(await full.alterOffsets?.({ a: 'b' }, offsets, 'alter')).toBe(true);
  expect(jvms.last.calls).toEqual([['alterOffsets', 'com.acme.Jdbc', { a: 'b' }, offsets]]);
  const sink = await load<SinkConnector>('sink', jvms, { overrides });
  expect(await sink.alterOffsets?.({}, [[{ topic: 't', partition: 1 }, 7]], 'alter')).toBe(true);
  expect(jvms.last.calls).toEqual([['alterOffsets', 'com.acme.Jdbc', {}, [['t', 1, 7]]]]);
});

test('tasks are of the class that the connector names; one that names none cannot have tasks', async () => {
  const jvms = new FakeJvms();
  expect((await load<SinkConnector>('sink', jvms)).createTask()).toEqual({ name: 'com.acme.JdbcTask' });
  const none = await load<SourceConnector>('source', jvms, { taskClass: null });
  expect(() => none.createTask()).toThrow('names no class for its tasks');
});

describe('an instance', () => {
  const seen: unknown[] = [];
  const context = {
    connector: 'c',
    requestTaskReconfiguration: () => seen.push('reconfigure'),
    raiseError: (error: unknown) => seen.push(error),
    offsets: { offsets: async (partitions: unknown[]) => partitions.map(() => ({ position: 1 })) },
  } as unknown as SourceConnectorContext;
  beforeEach(() => (seen.length = 0));

  test('starts in its own session, which stays for pause and resume, until it is released', async () => {
    const jvms = new FakeJvms();
    const { create } = await load<SourceConnector>('source', jvms);
    const before = jvms.sessions.length;
    const instance = create?.({ url: 'u' }, context);
    expect(jvms.sessions.length).toBe(before);
    jvms.answer = (method) => (method === 'taskConfigs' ? [{ a: '1', gone: null }, {}] : null);
    await instance?.start?.();
    await instance?.stop?.();
    await instance?.start?.();
    expect(await instance?.taskConfigs(2)).toEqual([{ a: '1' }, {}]);
    const { last } = jvms;
    expect(jvms.sessions.length).toBe(before + 1);
    expect(last.session).toEqual({ kind: 'connector', connector: 'c', class: 'com.acme.Jdbc', config: { url: 'u' } });
    expect(last.calls.map(([method]) => method)).toEqual(['start', 'stop', 'start', 'taskConfigs']);
    instance?.release?.();
    expect(last.closed).toBe(1);
    await last.ended;
    expect(seen).toEqual([]);
  });

  test('hears the connector: reconfiguration, errors, offsets', async () => {
    const jvms = new FakeJvms();
    const instance = (await load<SourceConnector>('source', jvms)).create?.({}, context);
    await instance?.start?.();
    const { handlers } = jvms.last;
    handlers.get('requestTaskReconfiguration')?.();
    handlers.get('raiseError')?.({ class: 'com.acme.Bad', message: 'gone', kind: 'connect', trace: '', cause: null });
    expect(await handlers.get('offsets')?.([{ file: 'a' }])).toEqual([{ position: 1 }]);
    expect(seen).toEqual(['reconfigure', expect.objectContaining({ message: 'gone', javaClass: 'com.acme.Bad' })]);
  });

  test('a JVM that ends raises why; a sink has no offsets', async () => {
    const jvms = new FakeJvms();
    const { offsets: _none, ...ofSink } = context;
    const instance = (await load<SinkConnector>('sink', jvms)).create?.({}, ofSink as ConnectorContext);
    await instance?.start?.();
    await expect(jvms.last.handlers.get('offsets')?.([{}])).rejects.toMatchObject({ code: 'JAVA_HOST_PROTOCOL' });
    jvms.last.end(new Error('out of memory'));
    await jvms.last.ended;
    expect(seen).toEqual([expect.objectContaining({ message: 'out of memory' })]);
  });

  test('released while its JVM starts: the session ends as soon as it is open', async () => {
    const jvms = new FakeJvms();
    const { create } = await load<SourceConnector>('source', jvms);
    let open: () => void = () => undefined;
    jvms.hold = new Promise((resolve) => (open = resolve));
    const instance = create?.({}, context);
    const starting = instance?.start?.();
    instance?.release?.();
    open();
    await starting;
    expect(jvms.last.closed).toBe(1);
  });

  test('a preview is refused before the connector starts', async () => {
    const jvms = new FakeJvms();
    const { create } = await load<SourceConnector>('source', jvms);
    const before = jvms.sessions.length;
    await expect(create?.({}, { ...context, preview: true }).start?.()).rejects.toMatchObject({ code: 'JAVA_PREVIEW' });
    expect(jvms.sessions.length).toBe(before);
  });

  test('task configs that are no list are refused', async () => {
    const jvms = new FakeJvms();
    const instance = (await load<SourceConnector>('source', jvms)).create?.({}, context);
    await instance?.start?.();
    await expect(instance?.taskConfigs(1)).rejects.toMatchObject({ code: 'JAVA_HOST_PROTOCOL' });
  });
});
