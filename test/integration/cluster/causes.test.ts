/** Two workers with users: who or what caused a restart is seen on each of them, and after a restart of both. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import type { Change, Changes, LogLines } from '@millrace/console';
import { basic, EXTENSION, writeLogins } from '../../helpers/basic-auth';
import { fileSinkConfig } from '../../helpers/file-sink-config';
import { Clients } from '../../helpers/kafka-clients';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

const group = uniqueName('history');
const clients = new Clients();
let folder: string;
const workers: StartedWorker[] = [];
let settings: Record<string, string>;

async function start(): Promise<StartedWorker> {
  const worker = await startWorker({ group, settings });
  workers.push(worker);
  await waitFor(
    'the worker to be healthy',
    async () => (await worker.request('GET', '/health').catch(() => null))?.status === 200,
    {
      timeoutMs: 120_000,
      detail: () => worker.process.log().slice(-4_000),
    },
  );
  return worker;
}
async function send<T>(worker: StartedWorker, user: string, method: string, path: string, body?: unknown): Promise<T> {
  const found = await waitFor(
    `${method} ${path}`,
    async () => {
      const response = await fetch(worker.url + path, {
        method,
        headers: { 'Content-Type': 'application/json', Authorization: basic(user, 'pw') },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (response.status === 409) return null;
      expect([response.status < 300, text]).toEqual([true, text]);
      return { json: (text === '' ? null : JSON.parse(text)) as T };
    },
    { detail: () => worker.process.log().slice(-4_000) },
  );
  return found.json;
}
const states = async (worker: StartedWorker, name: string): Promise<string> => {
  type State = { state: string; worker_id: string };
  const status = await send<{ connector: State; tasks: State[] }>(
    worker,
    'jane',
    'GET',
    `/connectors/${name}/status`,
  ).catch(() => null);
  return status ? [status.connector, ...status.tasks].map(({ state }) => state).join(' ') : '';
};
const runs = async (worker: StartedWorker, name: string, expected = 'RUNNING RUNNING RUNNING'): Promise<void> => {
  let last = '';
  await waitFor(`${name} to be ${expected}`, async () => (last = await states(worker, name)) === expected, {
    timeoutMs: 120_000,
    detail: () => `${last}\n${worker.process.log().slice(-4_000)}`,
  });
};
const changes = async (worker: StartedWorker, name: string): Promise<readonly Change[]> =>
  (await send<Changes>(worker, 'jane', 'GET', `/ui/api/changes?connector=${name}`)).changes;
const text = ({ kind, task, cause: { by, user, detail } }: Change): string =>
  [kind, task, by, user, detail].filter((part) => part !== null).join(' ');
const shows = async (worker: StartedWorker, name: string, ...expected: string[]): Promise<void> => {
  let last: string[] = [];
  await waitFor(
    `the changes ${expected.join(', ')}`,
    async () => {
      last = (await changes(worker, name)).map(text);
      return expected.every((line) => last.includes(line));
    },
    { detail: () => last.join('\n') },
  );
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-history-'));
  settings = {
    ...EXTENSION,
    'java.security.auth.login.config': await writeLogins(folder, 'jane=pw\njoe=pw\n'),
    'plugin.path': join(__dirname, 'fixtures', 'plugins'),
    'errors.restart.backoff.ms': '10',
    'scheduled.rebalance.max.delay.ms': '1000',
    'rest.auth.open.paths': '/health',
  };
  await start();
  await start();
});
afterAll(async () => {
  await Promise.all(workers.map(async (worker) => await worker.stop()));
  await clients.close();
  await rm(folder, { recursive: true, force: true });
});

test('a user restarts a task by another worker than its own: all workers know who, for good', async () => {
  const [one, two] = workers as [StartedWorker, StartedWorker];
  const topic = await clients.topic(2);
  const config = fileSinkConfig(topic, join(folder, 'lines.txt'), { 'tasks.max': '2' });
  await send(one, 'jane', 'POST', '/connectors', { name: 'sink', config });
  await runs(two, 'sink');
  // One of them forwards one of these requests to the other, and does not own the other task.
  for (const task of [0, 1]) await send(one, 'joe', 'POST', `/connectors/sink/tasks/${task}/restart`);
  await send(two, 'jane', 'POST', '/connectors/sink/restart?includeTasks=false&onlyFailed=true');
  await send(two, 'jane', 'PATCH', '/connectors/sink/config', { 'consumer.override.max.poll.records': '7' });
  const expected = ['connector created user jane', 'restarted 0 user joe', 'restarted 1 user joe'];
  for (const worker of [one, two])
    await shows(
      worker,
      'sink',
      ...expected,
      'restart requested user jane connector, failed only',
      'config changed user jane',
      'restarted 0 automatic configuration changed',
      'restarted 1 automatic configuration changed',
    );
  const [changed] = (await changes(one, 'sink')).filter(({ kind }) => kind === 'config changed');
  expect(changed?.keys).toEqual([{ key: 'consumer.override.max.poll.records', before: null, after: '7' }]);
  await runs(one, 'sink');
  await send(one, 'joe', 'POST', '/connectors/sink/tasks/1/restart');
  const newest = async (worker: StartedWorker): Promise<Change | undefined> =>
    (await changes(worker, 'sink')).find(({ kind, task }) => kind === 'restarted' && task === 1);
  await waitFor('the newest restart', async () => (await newest(two))?.cause.user === 'joe');
  const before = await newest(two);

  await Promise.all(workers.splice(0).map(async (worker) => await worker.stop()));
  const again = await start();
  await start();
  await runs(again, 'sink');
  // Compaction has not run, but statuses of the new assignment repeat it, too.
  expect(await newest(again)).toEqual(before);
  const details = await send<{ lastRestart: Change | null }>(again, 'jane', 'GET', '/ui/api/connectors/sink');
  expect(details.lastRestart).toMatchObject({ kind: 'restarted', task: 1, at: before?.at, cause: { user: 'joe' } });
});

test('an automatic restart says its attempt, and the log lines of all workers are shown', async () => {
  const [one, two] = workers as [StartedWorker, StartedWorker];
  const journal = join(folder, 'unruly');
  await writeFile(journal, '');
  const config = { 'connector.class': 'test.UnrulySourceConnector', journal, misbehave: 'throw', times: '2' };
  await send(one, 'jane', 'POST', '/connectors', { name: 'unruly', config: { ...config, 'errors.restart.max': '5' } });
  await runs(two, 'unruly', 'RUNNING RUNNING');
  for (const worker of [one, two]) {
    await shows(
      worker,
      'unruly',
      'restarted 0 automatic attempt 1 of 5',
      'restarted 0 automatic attempt 2 of 5',
      'failed 0 automatic an accident',
    );
    const { lines, missing } = await send<LogLines>(worker, 'jane', 'GET', '/ui/api/connectors/unruly/logs');
    expect(missing).toEqual([]);
    expect(lines.map((line) => line.text)).toContainEqual(
      expect.stringMatching(/^Task unruly-0 is restarted automatically \(attempt 2\)/),
    );
    expect(lines.some((line) => line.level === 'ERROR' && line.text.includes('an accident'))).toBe(true);
    expect(lines.map(({ at }) => at)).toEqual(lines.map(({ at }) => at).sort((a, b) => a - b));
  }
});
