/** Commands say when a connector that is RUNNING does not work: its records are given up, its broker is stopped. */
import { join } from 'node:path';
import { startBroker } from '../../../dev/services/broker';
import type { RunningKafka } from '../../../dev/services/kafka';
import { startPostgres } from '../../../dev/services/postgres';
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { fileSinkConfig } from '../../helpers/file-sink-config';
import { Clients } from '../../helpers/kafka-clients';
import { TestDatabase } from '../../helpers/test-database';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';
import { millrace } from './connector-verbs';
import { codes, DoctorCommand, found, runInShell } from './doctor-command';

const group = uniqueName('health');
const settings = { 'session.timeout.ms': '6000', 'heartbeat.interval.ms': '1000' };
let broker: RunningKafka;
let worker: StartedWorker;
let clients: Clients;
let doctor: DoctorCommand;

beforeAll(async () => {
  // A broker of its own: it is stopped.
  broker = await startBroker();
  const { bootstrapServers } = broker;
  clients = new Clients({ 'bootstrap.servers': bootstrapServers });
  worker = await startWorker({ bootstrapServers, group, settings });
  await worker.ready();
  doctor = await DoctorCommand.create();
});

afterAll(async () => {
  await worker?.stop();
  await clients?.close();
  await broker?.stop();
  await doctor?.remove();
});

const run = (...args: string[]) => millrace(worker, ...args);

test('all records are dead letters: status, get, top, describe and doctor say so', async () => {
  const topic = await clients.topic(1);
  const config = fileSinkConfig(topic, join(worker.folder, 'lines.txt'), {
    'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
    'errors.tolerance': 'all',
    'errors.deadletterqueue.topic.name': uniqueName('letters'),
    'errors.deadletterqueue.topic.replication.factor': '1',
  });
  await worker.register({ name: 'poisoned', config });
  await worker.running('poisoned');
  const file = await doctor.settingsFile(group, { 'bootstrap.servers': broker.bootstrapServers });
  const env = { MILLRACE_URL: worker.url };
  expect((await run('status')).code).toBe(0);
  expect((await doctor.text(['--config', file], env)).stdout).toContain('Nothing is wrong.');

  const values = Array.from({ length: 200 }, (_, i) => `not json ${i}`);
  await clients.send(topic, values, 0);
  let shown = await run('status');
  await waitFor('the dead letters', async () => (shown = await run('status')).out.includes('given up 200 records'), {
    detail: () => shown.out,
  });
  expect(shown.code).toBe(5);
  expect(shown.out).toMatch(/\nDEGRADED poisoned, task 0 on \S+, since \S+Z\n {2}Task 0 has given up 200 records /);
  expect(shown.out).toMatch(/\npoisoned +sink +RUNNING +degraded +1\/1 +[\d.]+ /);
  expect((await run('get', 'connectors')).out).toMatch(/\npoisoned +sink +RUNNING +degraded /);
  expect((await run('top', '--once')).out).toMatch(
    /\npoisoned +sink +RUNNING +degraded +1\/1 +\S+ +0 .* 200 +[\d.]+\n/,
  );
  expect((await run('describe', 'connector', 'poisoned')).out).toMatch(
    /\nHealth: degraded\n[^]*HEALTH_FAILING_RECORDS/,
  );
  const answer = await doctor.run(['--config', file], env);
  expect([answer.code, codes(answer)]).toEqual([5, ['error HEALTH_FAILING_RECORDS']]);
  expect((await doctor.text(['--config', file], env)).stdout).not.toContain('Nothing is wrong.');
});

test('a record that fails its task: the commands of status run as they are printed', async () => {
  const topic = await clients.topic(1);
  const config = fileSinkConfig(topic, join(worker.folder, 'whole.txt'), {
    'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
    'errors.restart.max': '0',
    'errors.deadletterqueue.topic.replication.factor': '1',
  });
  await clients.send(topic, ['not json', '{"schema": null, "payload": 1}'], 0);
  await worker.register({ name: 'picky', config });
  await worker.statusWhen('picky', ({ tasks }) => tasks[0]?.state === 'FAILED');
  const { code, out } = await run('status', 'picky', '--url', worker.url);
  expect(code).toBe(5);
  expect(out.replace(/\s+/g, ' ')).toContain(`topic: ${topic}, partition: 0, offset: 0`);
  const statements = out
    .split('\n')
    .filter((line) => line.startsWith('    '))
    .map((line) => line.trim());
  expect(statements.map((line) => /millrace (\w+( \w+)?) /.exec(line)?.[1])).toEqual([
    'offsets import',
    'patch picky',
    'restart picky',
  ]);
  const file = await doctor.settingsFile(group, { 'bootstrap.servers': broker.bootstrapServers });
  const answer = await doctor.run(['--config', file, '--url', worker.url]);
  expect(found(answer, 'TASK_FAILED').statements).toEqual(statements);

  const program = join(__dirname, '..', '..', '..', 'dist', 'main.js');
  const [skip = ''] = statements.map((line) => line.replace('millrace ', `"${process.execPath}" "${program}" `));
  await runInShell({ severity: 'error', code: '', message: '', statements: [skip] });
  await worker.running('picky');
  await waitFor('health', async () => (await run('get', 'connectors', 'picky')).out.includes('running'));
});

test('a PostgreSQL server that is stopped: since when, why and the next try, until it is back', async () => {
  const server = await startPostgres();
  try {
    const database = await TestDatabase.create('CREATE TABLE t (id int PRIMARY KEY)', { server: server.url });
    await clients.topic(1, {}, `${database.name}.public.t`);
    const config = database.sourceConfig({
      'table.include.list': 'public.t',
      'snapshot.mode': 'no_data',
      'retriable.restart.connector.wait.ms': '200',
    });
    await worker.register({ name: 'todos', config });
    await worker.running('todos');
    await waitFor('the stream', async () => (await database.streams()) === 1);
    await server.end();
    let shown = await run('status', 'todos');
    const isKnown = async (): Promise<boolean> =>
      /ECONNREFUSED/.test((shown = await run('status', 'todos')).out) && shown.out.includes('next try');
    await waitFor('the reason', isKnown, { detail: () => shown.out });
    expect(shown.code).toBe(5);
    expect(shown.out.replace(/\s+/g, ' ')).toMatch(
      /DEGRADED todos, task 0 on \S+, since 20\S+Z, next try at 20\S+Z Task 0 is disconnected: .*\(HEALTH_DISCONNECTED\)/,
    );
    // No lag is measured.
    expect((await run('top', 'todos', '--once')).out).toMatch(
      /\ntodos +source +RUNNING +degraded +1\/1 +\S+ +- +- +0 +\S+\n/,
    );
    const file = await doctor.settingsFile(group, { 'bootstrap.servers': broker.bootstrapServers });
    const answer = await doctor.run(['--config', file], { MILLRACE_URL: worker.url });
    expect([answer.code, codes(answer)]).toEqual([5, expect.arrayContaining(['error HEALTH_DISCONNECTED'])]);
    await server.start();
    await waitFor('the connection', async () => (shown = await run('status', 'todos')).code === 0, {
      detail: () => shown.out,
    });
    expect(shown.out).toContain('health: 1 running\n');
  } finally {
    await worker.request('DELETE', '/connectors/todos');
    await server.stop();
  }
});

test('a broker that is stopped: status, top and doctor say that the worker left its group, until it is back', async () => {
  await broker.crash();
  let shown = await run('status');
  await waitFor('the worker to notice', async () => /^UNHEALTHY worker/.test((shown = await run('status')).out), {
    detail: () => shown.out,
  });
  expect(shown.code).toBe(5);
  expect(shown.out.replace(/\s+/g, ' ')).toMatch(
    /^UNHEALTHY worker http:\S+: This worker has not been in its group since 20\S+Z: .*health: \d unknown /,
  );
  expect(shown.out).not.toContain('HEALTH_NOT_IN_GROUP');
  expect((await run('top', '--once')).out).toMatch(/^UNHEALTHY worker [^]*\npicky +sink +RUNNING +unknown /);
  expect((await run('get', 'workers')).out).toMatch(/ +unhealthy\n\n\S+: This worker has not been in its group/);
  const file = await doctor.settingsFile(group, { 'bootstrap.servers': broker.bootstrapServers });
  const answer = await doctor.run(['--config', file], { MILLRACE_URL: worker.url });
  expect(answer.code).toBe(5);
  expect(codes(answer)).toEqual(expect.arrayContaining(['error KAFKA_UNREACHABLE', 'error HEALTH_NOT_IN_GROUP']));

  const exported = await run('offsets', 'export', 'picky');
  expect(exported).toMatchObject({ code: 3, out: '' });
  expect(exported.err).toMatch(/This worker has not been in its group since [^]*\(REST_WORKER_UNHEALTHY\)\n$/);
  const paused = await run('pause', 'picky');
  expect(paused).toMatchObject({ code: 3, out: '' });
  expect(paused.err).toMatch(/It may be carried out nevertheless[^]*\(REST_WORKER_UNHEALTHY\)\n$/);
  for (const args of [
    ['consume', 'any'],
    ['produce', file, '--topic', 'any'],
    ['dlq', 'show', 'any'],
    ['dlq', 'replay', 'any', '--dry-run'],
  ]) {
    const { code, err } = await run(...args, '--config', file);
    expect([args[0], code, err]).toEqual([args[0], 3, expect.stringMatching(/ \(CONNECTION_FAILED\)\n$/)]);
  }

  await broker.restart();
  await waitFor('the worker to be back', async () => /^\d connector/.test((shown = await run('status')).out), {
    timeoutMs: 120_000,
    detail: () => shown.out,
  });
  await waitFor('picky to run', async () => (await run('status', 'picky')).code === 0, { timeoutMs: 120_000 });
}, 240_000);
