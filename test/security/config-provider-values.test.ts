/**
 * Values of config providers, unique for each key of a connector config: whatever happens, no answer, log line or trace
 * shows one, whole, in part or in another form.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker, type StartedWorker } from '../../dev/services/worker';
import { CLIENT_KEYS } from '../../src/config/client-keys';
import { fileSinkConfig } from '../helpers/file-sink-config';
import { Clients } from '../helpers/kafka-clients';
import { TestDatabase } from '../helpers/test-database';
import { uniqueName } from '../helpers/unique-name';
import { waitFor } from '../helpers/wait-for';

type Config = Record<string, string>;
/** Typical contents of keys: texts, lists, numbers, and characters that must be escaped. */
const SHAPES: readonly ((canary: string) => string)[] = [
  (canary) => canary,
  (canary) => ` ${canary.toUpperCase()}A , ${canary}B:${canary}C `,
  (canary) => `+0${canary.replace(/\D/g, '')}`,
  (canary) => `"${canary}"\\é\t(${canary}[`,
];
const clients = new Clients();
const MOST = 2000;
/** Of digits, so that they can be numbers. */
const canaries = new Set<string>();
const OWN_KEYS = [
  ...['errors.restart.max', 'errors.restart.backoff.ms', 'errors.restart.backoff.max.ms', 'watchdog.task.ms'],
  ...['task.isolation', 'task.memory.mb'],
];
let folder: string;
let secrets: string;
let database: TestDatabase;
let worker: StartedWorker;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-provided-'));
  secrets = join(folder, 'secrets.properties');
  database = await TestDatabase.create('CREATE TABLE todos (id int PRIMARY KEY, title text)');
  for (let i = 0; i < MOST; i++) canaries.add(String(730_100_000 + i * 7919));
  const lines = [...canaries].map((digits, at) => `${at}=${escaped(shapeOf(at)(`k${digits}`))}`);
  await writeFile(secrets, `${lines.join('\n')}\nshort=q7\n`);
  worker = await startWorker({
    group: uniqueName('provided'),
    settings: {
      'config.providers': 'file',
      'config.providers.file.class': 'FileConfigProvider',
      'errors.restart.max': '0',
      'offset.flush.interval.ms': '200',
    },
    env: { MILLRACE_LOG_LEVEL: 'trace' },
  });
  await worker.ready();
});
afterAll(async () => {
  await worker?.stop();
  await clients.close();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

const shapeOf = (at: number): ((canary: string) => string) => SHAPES[at % SHAPES.length] as (typeof SHAPES)[number];
/** In the syntax of properties files. */
const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replace(/^ /, '\\ ');

let used = 0;
/** The next one, of the next shape. */
function placeholder(): string {
  expect(used).toBeLessThan(MOST);
  return `\${file:${secrets}:${used++}}`;
}

/** The context of each that is shown. */
function leaksOf(text: string): string[] {
  // Placeholders name theirs.
  const shown = text.replaceAll(/\$\{file:[^}]*\}/g, '${…}');
  const suspects = [...shown.matchAll(/7[34]\d{7}/g)].filter(([digits]) => canaries.has(digits));
  return suspects.map(({ index }) => shown.slice(Math.max(0, index - 200), index + 200));
}

/** Of all answers since the last check. */
const leaks: string[] = [];

async function ask(method: string, path: string, body?: unknown): Promise<{ status: number; body: string }> {
  const answer = await worker.request(method, path, body);
  // A topic that exists has its name in Kafka, too.
  const text = path === '/metrics' ? answer.body.replaceAll(/\btopic="[^"]*"/g, '') : answer.body;
  for (const leak of leaksOf(text)) leaks.push(`${method} ${path}: ${leak}`);
  return answer;
}

function expectNone(): void {
  expect([...leaks.splice(0), ...leaksOf(worker.process.log())]).toEqual([]);
}

async function keysOf(plugin: string): Promise<string[]> {
  const { body } = await ask('GET', `/connector-plugins/${encodeURIComponent(plugin)}/config`);
  return (JSON.parse(body) as { name: string }[]).map(({ name }) => name);
}

async function pluginsOf(type: string): Promise<string[]> {
  const { body } = await ask('GET', '/connector-plugins?connectorsOnly=false');
  return (JSON.parse(body) as { class: string; type: string }[])
    .filter((plugin) => plugin.type === type)
    .map((plugin) => plugin.class);
}

const source = (): Config => ({ 'connector.class': 'FileStreamSource', topic: 't', file: join(folder, 'none') });
const sink = (): Config => fileSinkConfig('t', join(folder, 'out'));

/** By validation and by creation, which is rejected for another reason at the latest. */
async function tryOut(config: Config): Promise<void> {
  const plugin = config['connector.class']?.startsWith('$') ? 'FileStreamSink' : config['connector.class'];
  await ask('PUT', `/connector-plugins/${plugin}/config/validate`, { name: 'c', ...config });
  const refused = { ...config, ...(config['tasks.max']?.startsWith('$') ? {} : { 'tasks.max': 'x' }) };
  if (used % 2 === 0) await ask('POST', '/connectors', { name: 'c', config: refused });
  else await ask('PUT', '/connectors/c/config', refused);
}

test('no answer, log line or trace contains a value: keys of the runtime and of each connector', async () => {
  // Numeric host names may resolve to an address that does not answer.
  const quick = { 'connection.validation.timeout.ms': '1000' };
  const full = database.sourceConfig(quick);
  // The connector connects only with a host: its queries to the database contain these.
  const { 'database.hostname': _, ...unconnected } = full;
  const askedFor = /^(?:database|slot|publication|plugin|table|schema|snapshot)\./;
  const bases = [source(), sink(), full];
  const classes = [...(await pluginsOf('source')), ...(await pluginsOf('sink'))];
  for (const plugin of classes) {
    const base = bases.find((one) => one['connector.class']?.includes(plugin.split('.').at(-1) as string)) ?? {};
    for (const key of new Set([...(await keysOf(plugin)), ...OWN_KEYS])) {
      const rest = base === full && !askedFor.test(key) ? unconnected : base;
      await tryOut({ ...rest, 'connector.class': plugin, [key]: placeholder() });
    }
  }
  expectNone();
});

test('converters, transformations and predicates: their classes, aliases, and the keys of each', async () => {
  for (const [type, list] of [
    ['transformation', 'transforms'],
    ['predicate', 'predicates'],
  ] as const) {
    for (const plugin of await pluginsOf(type)) {
      const base = { ...sink(), [list]: 'a', [`${list}.a.type`]: plugin };
      const keys = [...(await keysOf(plugin)), 'type', 'plugin.version', 'predicate', 'negate'];
      for (const key of new Set(keys)) await tryOut({ ...base, [`${list}.a.${key}`]: placeholder() });
      await tryOut({ ...base, [list]: `a,${placeholder()}` });
    }
    for (const _ of SHAPES) await tryOut({ ...sink(), [list]: placeholder() });
  }
  for (const part of ['key', 'value', 'header']) {
    for (const plugin of await pluginsOf(part === 'header' ? 'header_converter' : 'converter')) {
      const base = { ...sink(), [`${part}.converter`]: plugin };
      for (const key of [...(await keysOf(plugin)), 'plugin.version'])
        await tryOut({ ...base, [`${part}.converter.${key}`]: placeholder() });
    }
  }
  expectNone();
});

test.each(['producer', 'consumer', 'admin'] as const)('overrides of the %s', async (client) => {
  const everything = { 'errors.deadletterqueue.topic.name': 'd', 'topic.creation.groups': 'g' };
  const base = client === 'producer' ? { ...source(), ...everything } : { ...sink(), ...everything };
  for (const key of [...CLIENT_KEYS[client].keys(), 'unknown.key'])
    await tryOut({ ...base, [`${client}.override.${key}`]: placeholder() });
  expectNone();
});

test('a value that is short, or a part of one, is hidden as a word', async () => {
  const short = `\${file:${secrets}:short}`;
  for (const key of ['connector.class', 'transforms', 'predicates', 'consumer.override.fetch.min.bytes', 'topics']) {
    const config = { ...sink(), name: 'c', 'errors.deadletterqueue.topic.name': short, [key]: short };
    const { body } = await ask('PUT', '/connector-plugins/FileStreamSink/config/validate', config);
    expect(body).not.toMatch(/\bq7\b/);
    expect((await ask('POST', '/connectors', { name: 'c', config: { ...config, 'tasks.max': 'x' } })).body).not.toMatch(
      /\bq7\b/,
    );
  }
});

const REPLACED = {
  transforms: 'a',
  'transforms.a.type': 'org.apache.kafka.connect.transforms.ReplaceField$Value',
};
const LETTERS = { 'errors.deadletterqueue.topic.replication.factor': '1', 'errors.tolerance': 'all' };
const overrides = (client: string, keys: readonly string[]): string[] => keys.map((key) => `${client}.override.${key}`);
/** Passes validation, and fails at startup. */
const AT_START: readonly (readonly [keys: readonly string[], config: () => Config])[] = [
  [['transforms.a.predicate', 'transforms.a.exclude'], () => ({ ...sink(), ...REPLACED })],
  [['errors.deadletterqueue.topic.name'], () => ({ ...sink(), ...LETTERS })],
  [['file', 'topics', 'topics.regex', 'name', 'tasks.max', 'header.converter'], sink],
  [
    overrides('consumer', [
      ...['auto.offset.reset', 'bootstrap.servers', 'group.id', 'client.id', 'isolation.level', 'group.instance.id'],
      ...['security.protocol', 'sasl.jaas.config', 'partition.assignment.strategy', 'fetch.max.bytes', 'client.rack'],
    ]),
    sink,
  ],
  [['file', 'topic', 'topic.creation.default.partitions', 'topic.creation.groups'], source],
  [overrides('producer', ['compression.type', 'acks', 'bootstrap.servers', 'client.id', 'max.request.size']), source],
];

test('failures at startup and at runtime: status, configs, tasks, metrics and the log', async () => {
  const topic = await clients.topic();
  await clients.send(topic, ['{"a":']);
  const lines = join(folder, 'lines');
  await writeFile(lines, 'line\n');
  const names: string[] = [];
  for (const [keys, config] of AT_START) {
    for (const key of keys) {
      const name = uniqueName('start');
      const base = config();
      const own = 'topics' in base ? (key === 'topics.regex' ? {} : { topics: topic }) : { topic, file: lines };
      if (key === 'topics.regex') delete base['topics'];
      const given = { ...base, ...own, [key]: placeholder() };
      const answer = await waitFor(`${key} to be accepted or refused`, async () => {
        const now = await ask('POST', '/connectors', { name, config: given });
        return now.status !== 409 && now;
      });
      if (answer.status === 201) names.push(name);
    }
  }
  expect(names.length).toBeGreaterThan(15);
  for (const name of names) {
    await worker.statusWhen(name, ({ connector, tasks }) =>
      [connector, ...tasks].some((one) => one.state === 'FAILED' || (one !== connector && one.state === 'RUNNING')),
    );
    for (const path of ['', '/config', '/status', '/tasks', '/tasks-config', '/tasks/0/status'])
      await ask('GET', `/connectors/${name}${path}`);
  }
  for (const path of ['/connectors?expand=status&expand=info', '/metrics', '/admin/loggers', '/', '/health'])
    await ask('GET', path);
  for (const name of names) await ask('POST', `/connectors/${name}/restart?includeTasks=true`);
  for (const name of names) await ask('PUT', `/connectors/${name}/stop`);
  for (const name of names)
    await waitFor(`${name} to go`, async () => (await ask('DELETE', `/connectors/${name}`)).status !== 409);
  expectNone();
});
