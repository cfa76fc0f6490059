/** `millrace doctor` as a user runs it, on a real broker, worker and PostgreSQL with planted faults. */
import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmbedded } from '../../../dev/services/embedded';
import { ROOT } from '../../../dev/services/paths';
import { startPostgres, type RunningPostgres } from '../../../dev/services/postgres';
import { startWorker, type RunningWorker } from '../../../dev/services/worker';
import { runCli } from '../../../src/cli/cli';
import { FakeIo } from '../../cli/fake-io';
import { fileSinkConfig } from '../../helpers/file-sink-config';
import { Clients } from '../../helpers/kafka-clients';
import { TestDatabase } from '../../helpers/test-database';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';
import { codes, DoctorCommand, found, runInShell } from './doctor-command';

const PASSWORD = 'post-secret-1';
const hasPsql = spawnSync('psql', ['--version']).status === 0;
let command: DoctorCommand;
const clients = new Clients();
beforeAll(async () => {
  command = await DoctorCommand.create();
});
afterAll(async () => {
  await clients.close();
  await command.remove();
});

describe('with a worker and a PostgreSQL server', () => {
  const group = uniqueName('doctor');
  let server: RunningPostgres;
  let database: TestDatabase;
  let worker: RunningWorker;
  let settings: string;
  beforeAll(async () => {
    server = await startPostgres();
    database = await TestDatabase.create('CREATE TABLE todos (id int PRIMARY KEY)', { server: server.url });
    await database.query(`CREATE ROLE doctor SUPERUSER LOGIN PASSWORD '${PASSWORD}'`);
    const started = await startWorker({ group, env: { PG_SECRET: PASSWORD }, settings: PROVIDER });
    await started.ready();
    worker = started;
    settings = await command.settingsFile(group, PROVIDER);
  });
  afterAll(async () => {
    await worker.stop();
    await database.drop();
    await server.stop();
  });
  const PROVIDER = {
    'config.providers': 'env',
    'config.providers.env.class': 'org.apache.kafka.common.config.provider.EnvVarConfigProvider',
  };
  const source = (overrides: Record<string, string> = {}): Record<string, string> =>
    database.sourceConfig({
      'table.include.list': 'public.todos',
      'database.user': 'doctor',
      'database.password': '${env:PG_SECRET}',
      ...overrides,
    });

  test('a healthy cluster has no finding; the text says so', async () => {
    await worker.register({ name: 'shop', config: source() });
    await worker.running('shop');
    await waitFor('the stream', async () => (await database.streams()) === 1);
    const env = { PG_SECRET: PASSWORD };
    const answer = await command.run(['--config', settings, '--resolve-locally'], env);
    expect(answer.report.findings).toEqual([]);
    expect(answer.code).toBe(0);
    expect(answer.report.checked.map(({ subject }) => subject)).toEqual([
      'Kafka',
      `group ${group}`,
      `REST API ${worker.url}`,
      'connector shop',
    ]);
    const { stdout } = await command.text(['--config', settings, '--resolve-locally'], env);
    expect(stdout).toContain('Nothing is wrong.');
  });

  test('a secret that is not known here, or not meant for the hosts of a config, is not checked, and said', async () => {
    for (const [code, ...args] of [
      ['unchecked DOCTOR_CONFIG', '--resolve-locally'],
      ['unchecked DOCTOR_PLACEHOLDERS'],
    ]) {
      const answer = await command.run(['--config', settings, ...args]);
      expect(codes(answer)).toEqual([code]);
      expect(answer.report.findings[0]?.message).toContain('database.password');
      expect(answer.code).toBe(0);
    }
  });

  test('faults of a document that is not created yet; its password is not shown', async () => {
    await database.query('CREATE TABLE keyless (id int)');
    const overrides = {
      'table.include.list': 'public.keyless',
      'publication.autocreate.mode': 'disabled',
      'publication.name': 'absent',
      'slot.name': 'absent',
    };
    // Under a name that no connector has, so that there are no stored offsets.
    const file = await command.documentFile(source(overrides), 'next');
    const args = ['--url', worker.url, '--config', settings, '--resolve-locally', file];
    const env = { PG_SECRET: PASSWORD };
    const answer = await command.run(args, env);
    expect(codes(answer)).toEqual(['error PG_REPLICA_IDENTITY', 'error PG_PUBLICATION_MISSING']);
    expect(answer.code).toBe(5);
    expect(answer.stdout).not.toContain(PASSWORD);
    if (hasPsql) {
      const statements = answer.report.findings.flatMap((finding) => finding.statements ?? []);
      const psql = [database.url, '--set=ON_ERROR_STOP=1', '--quiet'];
      expect(spawnSync('psql', psql, { input: statements.join('\n'), encoding: 'utf8' }).stderr).toBe('');
      expect(codes(await command.run(args, env))).toEqual([]);
    }
    const wrong = { 'database.password': 'wrong-secret-1' };
    const refused = await command.run(['--url', worker.url, await command.documentFile(source(wrong))], {
      BOOTSTRAP_SERVERS: process.env.BOOTSTRAP_SERVERS ?? '',
      GROUP_ID: group,
    });
    expect(codes(refused)).toContain('error PG_AUTHENTICATION');
    expect(refused.stdout).not.toContain('wrong-secret-1');
  });

  test('a FAILED task, with the first line of its trace and the request that restarts it', async () => {
    const topic = await clients.topic();
    const config = fileSinkConfig(topic, join(command.folder, 'no-such-folder', 'out.txt'));
    await worker.register({ name: 'to file', config: { ...config, 'errors.restart.max': '0' } });
    await worker.statusWhen('to file', ({ tasks }) => tasks.some(({ state }) => state === 'FAILED'));
    const args = ['--config', settings, '--resolve-locally'];
    const answer = await command.run(args, { PG_SECRET: PASSWORD });
    expect(codes(answer)).toEqual(['error TASK_FAILED']);
    expect(found(answer, 'TASK_FAILED').message).toContain('no-such-folder');
    expect(answer.code).toBe(5);
    await mkdir(join(command.folder, 'no-such-folder'));
    await runInShell(found(answer, 'TASK_FAILED'));
    await worker.statusWhen('to file', ({ tasks: [task] }) => task?.state === 'RUNNING');
    expect(codes(await command.run(args, { PG_SECRET: PASSWORD }))).toEqual([]);
    await worker.request('DELETE', '/connectors/to%20file');
  });

  test('a lost position: no restart, but the reset of the offsets as it runs; and the slot that a connector left', async () => {
    const name = 'moved';
    const slot = `${database.slot}_moved`;
    const settingsOf = { 'slot.name': slot, 'publication.name': slot, 'topic.prefix': slot, 'errors.restart.max': '0' };
    await worker.register({ name, config: source(settingsOf) });
    await database.query('INSERT INTO todos VALUES (100)');
    await worker.running(name);
    await waitFor('an offset', async () => {
      const { json } = await worker.request('GET', `/connectors/${name}/offsets`);
      return (json as { offsets: unknown[] }).offsets.length > 0;
    });
    await worker.request('PUT', `/connectors/${name}/stop`);
    await worker.statusWhen(name, ({ connector, tasks }) => connector.state === 'STOPPED' && tasks.length === 0);
    await database.query('SELECT pg_drop_replication_slot($1)', [slot]);
    await worker.request('PUT', `/connectors/${name}/resume`);
    await worker.statusWhen(name, ({ tasks }) => tasks.some(({ state }) => state === 'FAILED'));
    const env = { PG_SECRET: PASSWORD };
    const args = ['--config', settings, '--resolve-locally'];
    const answer = await command.run(args, env);
    expect(codes(answer)).toEqual(['error TASK_FAILED', 'error PG_POSITION_LOST']);
    expect(found(answer, 'PG_POSITION_LOST').statements).toEqual(found(answer, 'TASK_FAILED').statements);
    const failed = found(answer, 'TASK_FAILED');
    expect(failed.message).toContain('PG_POSITION_LOST');
    expect(failed.cure).toMatch(/^A restart does not help/);
    expect(failed.statements).toEqual([`millrace offsets reset ${name} --resume --url ${worker.url}`]);
    const [statement = ''] = failed.statements ?? [];
    const program = `${process.execPath} ${join(ROOT, 'dist', 'main.js')}`;
    await runInShell({ ...failed, statements: [`${statement.replace('millrace', program)} --yes`] });
    await worker.running(name);
    expect(codes(await command.run(args, env))).toEqual([]);

    await worker.request('DELETE', `/connectors/${name}`);
    await waitFor('the slot to be left', async () => (await database.query(LEFT, [slot])).length === 1);
    const left = await command.run([...args, await command.documentFile(source())], env);
    expect(codes(left)).toEqual(['warning PG_SLOT_INACTIVE']);
    expect(found(left, 'PG_SLOT_INACTIVE').message).toContain(`"${slot}"`);
    await database.query('SELECT pg_drop_replication_slot($1)', [slot]);
  });
  const LEFT = 'SELECT FROM pg_replication_slots WHERE slot_name = $1 AND NOT active';
});

test('a database that does not answer either: exit code 3', async () => {
  const document = await command.documentFile({
    'connector.class': 'io.debezium.connector.postgresql.PostgresConnector',
    ...{ 'database.hostname': '127.0.0.1', 'database.port': '1', 'database.user': 'u', 'database.password': 'p' },
    ...{ 'database.dbname': 'd', 'topic.prefix': 'p' },
  });
  const answer = await command.run([document, '--url', 'http://127.0.0.1:1']);
  expect(codes(answer)).toEqual(['error REST_UNREACHABLE', 'error PG_CONNECTION', 'unchecked KAFKA_NOT_CHECKED']);
  expect(answer.code).toBe(3);
});

test('nothing answers: exit code 3', async () => {
  const settings = await command.settingsFile('nothing', { 'bootstrap.servers': '127.0.0.1:1' });
  const answer = await command.run(['--config', settings, '--url', 'http://127.0.0.1:1']);
  expect(codes(answer)).toEqual(['error KAFKA_UNREACHABLE', 'error REST_UNREACHABLE']);
  expect(answer.code).toBe(3);
});

test('a wrong password is not an unreachable broker, and is not shown', async () => {
  const broker = await startEmbedded({ settings: { users: { alice: 'right-secret-1' } } });
  try {
    const jaas = (password: string): Record<string, string> => ({
      'bootstrap.servers': broker.bootstrapServers,
      'security.protocol': 'SASL_PLAINTEXT',
      'sasl.mechanism': 'PLAIN',
      'sasl.jaas.config': `org.apache.kafka.common.security.plain.PlainLoginModule required username="alice" password="${password}";`,
    });
    const answer = await command.run([
      '--config',
      await command.settingsFile('g', jaas('wrong-secret-1')),
      '--url',
      'http://127.0.0.1:1',
    ]);
    expect(codes(answer)).toEqual(['error KAFKA_AUTHENTICATION', 'error REST_UNREACHABLE']);
    expect(answer.stdout).not.toContain('wrong-secret-1');
    const admitted = await command.run([
      '--config',
      await command.settingsFile('g', jaas('right-secret-1')),
      '--url',
      'http://127.0.0.1:1',
    ]);
    expect(admitted.report.checked.map(({ subject }) => subject)).toEqual(['Kafka']);
  } finally {
    await broker.stop();
  }
});

test('invalid worker settings, and files that are no documents', async () => {
  const answer = await command.run([
    '--config',
    await command.settingsFile('g', { listeners: 'nonsense' }),
    '--url',
    'http://127.0.0.1:1',
  ]);
  expect(codes(answer)).toEqual([
    'error WORKER_CONFIG_INVALID',
    'error REST_UNREACHABLE',
    'unchecked KAFKA_NOT_CHECKED',
  ]);
  const invalid = join(command.folder, 'invalid.yaml');
  await writeFile(invalid, 'name: shop\nconfig: { connector.class: X, password: "${NOT_SET_HERE}" }\n');
  const io = new FakeIo(command.folder);
  expect(await runCli(['doctor', invalid], io)).toBe(2);
  expect(io.err).toMatch(
    /invalid\.yaml: "password": the environment variable NOT_SET_HERE is not set.*\(CLI_DOCUMENT_INVALID\)/,
  );
});
