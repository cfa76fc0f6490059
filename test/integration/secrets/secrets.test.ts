/**
 * Passwords in every setting that accepts one, through a connector's whole lifecycle, on two workers that log
 * everything: none may appear in a log, an error, a trace or a dead letter, and values from providers nowhere at all.
 * Plain values are shown by REST where Java shows them: in the connector's own config and that of its tasks.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker, type Answer, type StartedWorker } from '../../../dev/services/worker';
import type { FetchedBatch } from '../../../packages/kafka-client/src/port';
import { closedPort, SmallRegistry } from '../../connectors/converters-schema-registry/small-registry';
import { Clients } from '../../helpers/kafka-clients';
import { onServer, TestDatabase } from '../../helpers/test-database';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';
import { Canaries } from './canaries';

/** Plain values: REST shows them where Java does. */
const given = new Canaries();
/** Only placeholders of these are in configs. */
const provided = new Canaries();
const clients = new Clients();
const group = uniqueName('secrets');
const STRINGS = {
  'key.converter': 'org.apache.kafka.connect.storage.StringConverter',
  'value.converter': 'org.apache.kafka.connect.storage.StringConverter',
};
const providers = {
  'config.providers': 'file,env',
  'config.providers.file.class': 'org.apache.kafka.common.config.provider.FileConfigProvider',
  'config.providers.env.class': 'org.apache.kafka.common.config.provider.EnvVarConfigProvider',
};
const PASSWORD_KEYS = ['ssl.keystore.password', 'ssl.key.password', 'ssl.keystore.key', 'ssl.truststore.password'];
let folder: string;
let database: TestDatabase;
let workers: StartedWorker[];
/** Logs of workers that have ended. */
const logs: string[] = [];

/** Every password setting of a client or listener, under a prefix. */
const passwords = (canaries: Canaries, prefix: string): Record<string, string> => ({
  ...Object.fromEntries(PASSWORD_KEYS.map((key) => [`${prefix}${key}`, canaries.plain(`${prefix}${key}`)])),
  [`${prefix}sasl.jaas.config`]: canaries.jaas(`${prefix}sasl.jaas.config`),
});

async function start(): Promise<StartedWorker> {
  const worker = await startWorker({
    group,
    settings: {
      'offset.flush.interval.ms': '200',
      'heartbeat.interval.ms': '1000',
      'errors.restart.max': '0',
      ...providers,
      ...passwords(given, ''),
      ...passwords(given, 'producer.'),
      ...passwords(given, 'consumer.'),
      ...passwords(given, 'admin.'),
      // A key as text would need a real one, with its certificate.
      'listeners.https.ssl.keystore.password': given.plain('listeners.https.ssl.keystore.password'),
      'listeners.https.ssl.key.password': given.plain('listeners.https.ssl.key.password'),
      'some.plugin.password': given.plain('unknown worker key'),
    },
    env: {
      MILLRACE_LOG_LEVEL: 'trace',
      FROM_ENVIRONMENT: provided.plain('env provider'),
      CONNECT_KEY_CONVERTER_API_TOKEN: given.plain('environment'),
    },
  });
  await worker.ready();
  return worker;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-secrets-'));
  database = await TestDatabase.create('CREATE TABLE todos (id int PRIMARY KEY, title text)');
  workers = [await start()];
  workers.push(await start());
});
afterAll(async () => {
  for (const worker of workers ?? []) await worker.stop();
  await clients.close();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

/** @param shown whether Java's answer shows plain values */
async function ask(
  method: string,
  path: string,
  body?: unknown,
  { shown = false, worker = workers[0] as StartedWorker } = {},
): Promise<Answer> {
  const answer = await worker.request(method, path, body);
  expect([`${method} ${path}`, provided.foundIn(answer.body)]).toEqual([`${method} ${path}`, []]);
  if (!shown) expect([`${method} ${path}`, given.foundIn(answer.body)]).toEqual([`${method} ${path}`, []]);
  return answer;
}

/** All reads of a connector. */
async function look(name: string): Promise<void> {
  for (const worker of workers) {
    // The worker that did not create it may not have read it yet.
    await waitFor(`${name} to be known`, async () => {
      const { body } = await ask('GET', `/connectors/${name}`, undefined, { worker, shown: true });
      return given.foundIn(body).length > 0;
    });
    for (const path of ['status', 'tasks/0/status', 'offsets', 'topics'])
      await ask('GET', `/connectors/${name}/${path}`, undefined, { worker });
    for (const path of [`/connectors/${name}`, `/connectors/${name}/config`, '/connectors?expand=info']) {
      const { body } = await ask('GET', path, undefined, { worker, shown: true });
      // As in Java; it also proves that this test would detect a secret.
      expect(given.foundIn(body)).not.toEqual([]);
    }
    await ask('GET', `/connectors/${name}/tasks`, undefined, { worker, shown: true });
    for (const path of ['/connectors?expand=status', '/admin/loggers', '/', '/health'])
      await ask('GET', path, undefined, { worker });
  }
}

function expectNoneLogged(): void {
  for (const log of [...logs, ...workers.map((worker) => worker.process.log())]) {
    const leaks = log.split('\n').filter((line) => given.foundIn(line).length + provided.foundIn(line).length > 0);
    expect(leaks.map((line) => [...given.foundIn(line), ...provided.foundIn(line), line])).toEqual([]);
  }
}

async function remove(name: string): Promise<void> {
  await waitFor(`${name} to be deleted`, async () => (await ask('DELETE', `/connectors/${name}`)).status !== 409);
}

async function create(name: string, config: Record<string, string>): Promise<void> {
  const answer = await waitFor(`${name} to be accepted or refused`, async () => {
    const now = await ask('POST', '/connectors', { name, config }, { shown: true, worker: workers[1] });
    return now.status !== 409 && now;
  });
  expect([answer.status, answer.status === 201 ? '' : answer.body]).toEqual([201, '']);
}

/** Both know it: each restarts its own part, as far as it knows of it. */
const running = (name: string): Promise<unknown> => Promise.all(workers.map((worker) => worker.running(name)));
const failed = (name: string): Promise<unknown> =>
  Promise.all(
    workers.map((worker) =>
      worker.statusWhen(name, ({ connector, tasks }) => [connector, ...tasks].some(({ state }) => state === 'FAILED')),
    ),
  );

/** A secret in a properties file, and the placeholder that stands for it. */
async function fromFile(key: string, value: string): Promise<string> {
  const file = join(folder, `${uniqueName('secret')}.properties`);
  await writeFile(file, `${key}=${value.replaceAll('\\', '\\\\')}\n`);
  return `\${file:${file}:${key}}`;
}

test('secrets: both workers log at TRACE', async () => {
  // A request is logged after its answer is sent, which its client may have received already.
  for (const worker of workers)
    await waitFor(
      'a line of a request',
      () => / DEBUG \[millrace\.rest\] GET \/health 200 /.test(worker.process.log()),
      {
        detail: () => worker.process.log().slice(-3000),
      },
    );
  expectNoneLogged();
});

test('connect-rest 135: validation of every PASSWORD key of every connector', async () => {
  const plugins = (await ask('GET', '/connector-plugins')).json as { class: string }[];
  for (const { class: plugin } of plugins) {
    const keys = (await ask('GET', `/connector-plugins/${plugin}/config`)).json as { name: string; type: string }[];
    const secrets = keys.filter(({ type }) => type === 'PASSWORD').map(({ name }) => name);
    if (plugin.includes('Postgres')) expect(secrets).toContain('database.password');
    const config = {
      'connector.class': plugin,
      name: 'v',
      'errors.deadletterqueue.topic.name': 'd',
      'topic.creation.groups': 'g',
      ...Object.fromEntries(secrets.map((key) => [key, given.awkward(`${plugin} ${key}`)])),
      ...passwords(given, 'producer.override.'),
      ...passwords(given, 'consumer.override.'),
      ...passwords(given, 'admin.override.'),
    };
    const path = `/connector-plugins/${plugin}/config/validate`;
    const { status, json } = await ask('PUT', path, config);
    expect(status).toBe(200);
    const shown = (json as { configs: { value: { name: string; value: string | null } }[] }).configs;
    for (const key of secrets)
      expect([key, shown.find(({ value }) => value.name === key)?.value.value]).toEqual([key, '[hidden]']);
    // The same as placeholders; others as invalid texts.
    const placeholder = await fromFile('secret', provided.plain(`${plugin} by file`));
    const hidden = Object.fromEntries(
      [...secrets, 'tasks.max', 'errors.tolerance', 'topics.regex'].map((key) => [key, placeholder]),
    );
    await ask('PUT', path, { ...config, ...hidden, 'producer.override.linger.ms': placeholder });
    await ask('PUT', path, { ...config, ...hidden });
    await ask('POST', '/connectors', { name: 'v', config: { ...config, ...hidden } });
    await ask('POST', '/connectors', { name: 'v', config: { ...config, 'tasks.max': 'x' } });
    // No class: the whole config is in Java's error.
    await ask('POST', '/connectors', { name: 'v', config: { ...config, 'connector.class': null } });
    await ask('PUT', path, { ...hidden, ...Object.fromEntries(secrets.map((key) => [key, given.plain(key)])) });
  }
  expectNoneLogged();
});

test('a database that rejects the password: at creation, at the start of the task, and after restarts', async () => {
  const wrong = database.sourceConfig({ 'database.password': given.awkward('wrong database.password') });
  const refused = await ask('POST', '/connectors', { name: 'wrong', config: wrong });
  expect([refused.status, refused.body]).toEqual([400, expect.stringContaining('password authentication failed')]);

  const role = uniqueName('role');
  const secret = provided.awkward('database.password');
  await database.query(`CREATE ROLE ${role} LOGIN REPLICATION SUPERUSER PASSWORD '${secret.replaceAll("'", "''")}'`);
  const name = uniqueName('locked');
  const placeholder = await fromFile('password', secret);
  await create(name, {
    ...database.sourceConfig({ 'database.user': role, 'database.password': placeholder }),
    'database.sslpassword': given.plain('database.sslpassword'),
    ...passwords(given, 'producer.override.'),
    'errors.log.enable': 'true',
    'errors.log.include.messages': 'true',
  });
  await running(name);
  await look(name);
  await database.query(`ALTER ROLE ${role} PASSWORD 'another'`);
  expect((await ask('POST', `/connectors/${name}/restart?includeTasks=true`)).status).toBe(202);
  await failed(name);
  await look(name);
  await ask('POST', `/connectors/${name}/tasks/0/restart`);
  await ask('PUT', `/connectors/${name}/pause`);
  await ask('PUT', `/connectors/${name}/resume`, undefined, { worker: workers[1] });
  await ask('PATCH', `/connectors/${name}/config`, { 'database.password': given.plain('patched password') });
  await ask('PUT', `/connectors/${name}/stop`);
  await ask('PATCH', `/connectors/${name}/offsets`, { offsets: [{ partition: { server: 1 }, offset: { lsn: -1 } }] });
  await look(name);
  await remove(name);
  await database.dropSlots();
  await onServer(`DROP ROLE ${role}`).catch(() => undefined);
  expectNoneLogged();
});

test.each([
  ['producer.override.', 'FileStreamSource'],
  ['consumer.override.', 'FileStreamSink'],
])('a broker that rejects the login of a task: %s', async (prefix, plugin) => {
  const name = uniqueName('login');
  const file = join(folder, name);
  await writeFile(file, 'line\n');
  const topic = await clients.topic();
  const jaas = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password=';
  await create(name, {
    'connector.class': plugin,
    ...(plugin.endsWith('Sink') ? { topics: topic } : { topic }),
    file,
    ...STRINGS,
    ...passwords(given, prefix),
    // The broker's listener has no SASL at all.
    [`${prefix}security.protocol`]: 'SASL_PLAINTEXT',
    [`${prefix}sasl.mechanism`]: 'PLAIN',
    [`${prefix}sasl.jaas.config`]: `${jaas}"\${env:FROM_ENVIRONMENT}";`,
  });
  await waitFor('the refusal to be logged', () =>
    workers.some((worker) =>
      worker.process
        .log()
        .split('\n')
        .some((line) => line.includes(name) && /SASL|ILLEGAL_SASL/i.test(line)),
    ),
  );
  await look(name);
  await remove(name);
  // An invalid login module is a config error, which could quote it.
  const broken = uniqueName('login');
  await create(broken, {
    'connector.class': plugin,
    ...(plugin.endsWith('Sink') ? { topics: topic } : { topic }),
    file,
    ...STRINGS,
    [`${prefix}security.protocol`]: 'SASL_PLAINTEXT',
    [`${prefix}sasl.mechanism`]: 'PLAIN',
    [`${prefix}sasl.jaas.config`]: `not a jaas text ${given.plain('broken jaas')}`,
  });
  await failed(broken);
  await look(broken);
  await remove(broken);
  expectNoneLogged();
});

test('a schema registry that is away, and one that refuses the credentials', async () => {
  const registry = await SmallRegistry.start(() => ({
    status: 401,
    body: { error_code: 401, message: 'Unauthorized' },
  }));
  const file = join(folder, uniqueName('lines'));
  await writeFile(file, 'line\n');
  const avro = (settings: Record<string, string>) => ({
    'connector.class': 'FileStreamSource',
    file,
    'key.converter': 'org.apache.kafka.connect.storage.StringConverter',
    'value.converter': 'io.confluent.connect.avro.AvroConverter',
    ...Object.fromEntries(Object.entries(settings).map(([name, value]) => [`value.converter.${name}`, value])),
  });
  try {
    const away = uniqueName('away');
    const url = `http://user:${given.plain('registry URL')}@127.0.0.1:${await closedPort()}`;
    await create(away, { ...avro({ 'schema.registry.url': url }), topic: await clients.topic() });
    await waitFor('the task to wait for the registry', () =>
      workers.some(({ process }) => process.log().includes('The schema registry does not answer')),
    );
    await look(away);
    await remove(away);
    const refused = uniqueName('refused');
    const login = {
      'schema.registry.url': registry.url,
      'basic.auth.credentials.source': 'USER_INFO',
      'basic.auth.user.info': `user:${given.plain('basic.auth.user.info')}`,
    };
    await create(refused, { ...avro(login), topic: await clients.topic(), 'errors.tolerance': 'all' });
    await failed(refused);
    await look(refused);
    await remove(refused);
    expect(registry.asked[0]?.headers.authorization).toMatch(/^Basic /);
  } finally {
    await registry.stop();
  }
  expectNoneLogged();
});

test('dead letters, their headers, and lines about failed records', async () => {
  const name = uniqueName('dead');
  const [topic, letters] = [await clients.topic(), await clients.topic()];
  await clients.send(topic, ['not json']);
  await create(name, {
    'connector.class': 'FileStreamSink',
    topics: topic,
    file: join(folder, name),
    'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
    'value.converter.basic.auth.user.info': given.plain('converter credentials'),
    'errors.tolerance': 'all',
    'errors.log.enable': 'true',
    'errors.log.include.messages': 'true',
    'errors.deadletterqueue.topic.name': letters,
    'errors.deadletterqueue.topic.replication.factor': '1',
    'errors.deadletterqueue.context.headers.enable': 'true',
    ...passwords(given, 'consumer.override.'),
    ...passwords(given, 'producer.override.'),
    'admin.override.ssl.key.password': await fromFile('key', provided.plain('admin.override by file')),
  });
  const consumer = await clients.assigned({ 'group.id': uniqueName('reader') });
  await consumer.assign([{ topic: letters, partition: 0 }]);
  const batches: FetchedBatch[] = [];
  await waitFor('the dead letter', async () => {
    batches.push(...(await consumer.poll(500)));
    return batches.length > 0;
  });
  const text = batches
    .flatMap(({ records }) =>
      records.flatMap((record) => [
        String(record.value),
        ...(record.headers ?? []).map(({ key, value }) => `${key}: ${String(value)}`),
      ]),
    )
    .join('\n');
  expect(text).toContain('__connect.errors.exception.message');
  expect([...given.foundIn(text), ...provided.foundIn(text)]).toEqual([]);
  await look(name);
  await remove(name);
  expectNoneLogged();
});

test('connect-runtime 61: values from a provider are in no storage topic; plain values are only in the config topic', async () => {
  for (const suffix of ['configs', 'offsets', 'status']) {
    const topic = `${group}-${suffix}`;
    const [described] = await clients.admin.describeTopics([topic]);
    const partitions = described?.partitions.map(({ partition }) => ({ topic, partition })) ?? [];
    const ends = await clients.admin.listOffsets(partitions, 'latest');
    const consumer = await clients.assigned({ 'group.id': uniqueName('reader') });
    await consumer.assign(partitions);
    const texts: string[] = [];
    while (ends.some(({ topic: t, partition, offset }) => (consumer.position({ topic: t, partition }) ?? -1) < offset))
      for (const { records } of await consumer.poll(1000))
        texts.push(...records.map(({ key, value }) => `${String(key)}=${String(value)}`));
    const text = texts.join('\n');
    expect(provided.foundIn(text)).toEqual([]);
    expect(given.foundIn(text).length > 0).toBe(suffix === 'configs');
  }
});

test('a worker whose own login is rejected, and one with invalid settings', async () => {
  const secrets: Record<string, string>[] = [
    {
      'security.protocol': 'SASL_PLAINTEXT',
      'sasl.mechanism': 'PLAIN',
      'sasl.jaas.config': given.jaas('worker sasl.jaas.config'),
    },
    {
      'security.protocol': 'SASL_PLAINTEXT',
      'sasl.mechanism': 'PLAIN',
      'sasl.jaas.config': given.plain('broken worker jaas'),
    },
    {
      'security.protocol': 'SSL',
      'ssl.keystore.type': 'PKCS12',
      'ssl.keystore.location': join(folder, 'none.p12'),
      'ssl.keystore.password': given.plain('worker keystore'),
      'ssl.key.password': given.plain('worker key'),
    },
    { 'security.protocol': 'SSL', 'ssl.keystore.type': 'PEM', 'ssl.keystore.key': given.plain('worker pem') },
    { 'session.timeout.ms': '${env:FROM_ENVIRONMENT}', password: given.plain('unknown') },
  ];
  for (const settings of secrets) {
    const worker = await startWorker({
      group: uniqueName('refused'),
      settings: { ...providers, ...settings },
      env: { MILLRACE_LOG_LEVEL: 'trace', FROM_ENVIRONMENT: provided.plain('worker number') },
    });
    // Its last lines are checked, too.
    expect(await worker.exited()).toBe(1);
    logs.push(worker.process.log());
    await worker.stop();
  }
  expectNoneLogged();
});

test('orderly stop of both workers', async () => {
  for (const worker of workers) {
    process.kill(worker.pid, 'SIGTERM');
    await worker.exited();
  }
  expectNoneLogged();
});
