/**
 * Requests between workers, sent without the group's key while the worker is not a member of its group: before it has
 * joined, and after Kafka has expelled it. An accepted request would take effect with the next membership.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBroker } from '../../dev/services/broker';
import type { RunningKafka } from '../../dev/services/kafka';
import { startWorker, type Answer, type StartedWorker } from '../../dev/services/worker';
import { uniqueName } from '../helpers/unique-name';
import { waitFor } from '../helpers/wait-for';

const NAME = 'c';
const UNSIGNED = { error_code: 400, message: 'Internal request missing required signature' };
let broker: RunningKafka;
let folder: string;
let group: string;
const workers: StartedWorker[] = [];

async function start(): Promise<StartedWorker> {
  const settings = { 'session.timeout.ms': '6000', 'heartbeat.interval.ms': '1000' };
  const worker = await startWorker({ bootstrapServers: broker.bootstrapServers, group, settings });
  workers.push(worker);
  return worker;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-internal-'));
  await writeFile(join(folder, 'mine.txt'), 'mine\n');
  await writeFile(join(folder, 'other.txt'), 'other\n');
  // A broker of its own: other tests must not freeze with it.
  broker = await startBroker();
  group = uniqueName('internal');
  const worker = await start();
  await worker.ready();
  await worker.register({ name: NAME, config: config('mine.txt') });
  await worker.running(NAME);
});
afterAll(async () => {
  if (broker?.pid !== undefined) process.kill(broker.pid, 'SIGCONT');
  await Promise.all(workers.map(async (worker) => await worker.stop()));
  await broker?.stop();
  await rm(folder, { recursive: true, force: true });
});

const config = (file: string): Record<string, string> => ({
  'connector.class': 'FileStreamSource',
  topic: `${group}-lines`,
  file: join(folder, file),
});

/** Requests another file from a worker; nothing needs to answer before the broker does. */
function submit(worker: StartedWorker): Promise<Answer> {
  const task = { ...config('other.txt'), 'task.class': 'org.apache.kafka.connect.file.FileStreamSourceTask' };
  return worker.request('POST', `/connectors/${NAME}/tasks`, [task]);
}

const freeze = (): boolean => process.kill(broker.pid as number, 'SIGSTOP');
const thaw = (): boolean => process.kill(broker.pid as number, 'SIGCONT');

async function expectRefused(worker: StartedWorker, answers: readonly Promise<Answer>[]): Promise<void> {
  thaw();
  for (const answer of await Promise.all(answers)) expect([answer.status, answer.json]).toEqual([400, UNSIGNED]);
  await worker.ready();
  await worker.running(NAME);
  const tasks = (await worker.request('GET', `/connectors/${NAME}/tasks`)).json as { config: { file: string } }[];
  expect(tasks.map((task) => task.config.file)).toEqual([join(folder, 'mine.txt')]);
}

test('a worker that Kafka has expelled accepts no unsigned task configs and no unsigned fencing', async () => {
  const [worker] = workers as [StartedWorker];
  freeze();
  await waitFor('the membership to be lost', () => worker.process.log().includes('lost its group membership'), {
    timeoutMs: 120_000,
  });
  const fence = worker.request('PUT', `/connectors/${NAME}/fence`);
  await expectRefused(worker, [submit(worker), fence]);
});

test('a worker that has not joined its group yet accepts none either', async () => {
  const [before] = workers as [StartedWorker];
  await before.stop();
  freeze();
  const worker = await start();
  await waitFor(
    'the port to be open',
    async () => (await worker.request('GET', '/').catch(() => null))?.status === 200,
  );
  await expectRefused(worker, [submit(worker), worker.request('PUT', `/connectors/${NAME}/fence`)]);
});
