/** The console's overview of a real group: figures of every worker, roles, and a worker that is killed. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../../dev/services/paths';
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import type { ConnectorHistory, Overview, Session, WorkersHistory } from '@millrace/console';
import { basic, EXTENSION, writeLogins } from '../../helpers/basic-auth';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

const group = uniqueName('console');
const ALICE = basic('alice', 'pw');
const RITA = basic('rita', 'pw');
const NAMES = [`${group}-a`, `${group}-b`];
let folder: string;
let workers: StartedWorker[] = [];

const idOf = ({ url }: StartedWorker): string => new URL(url).host;

async function get(worker: StartedWorker, path: string, authorization: string | null = RITA): Promise<Response> {
  return await fetch(worker.url + path, { headers: authorization === null ? {} : { Authorization: authorization } });
}

async function overviewOf(worker: StartedWorker): Promise<Overview> {
  const answer = await get(worker, '/ui/api/overview?history=true');
  expect(answer.status).toBe(200);
  return (await answer.json()) as Overview;
}

async function overviewWhen(
  worker: StartedWorker,
  what: string,
  test: (overview: Overview) => boolean,
): Promise<Overview> {
  return await waitFor(what, async () => {
    const overview = await overviewOf(worker);
    return test(overview) && overview;
  });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-console-'));
  const settings = {
    ...EXTENSION,
    'java.security.auth.login.config': await writeLogins(folder, 'alice=pw\nrita=pw\nnone=pw\n'),
    'rest.auth.roles.admin': 'user:alice',
    'rest.auth.roles.reader': 'user:rita',
    'rest.auth.open.paths': '/health',
    'plugin.path': join(ROOT, 'examples', 'plugins'),
    'heartbeat.interval.ms': '300',
    'session.timeout.ms': '6000',
  };
  workers = [await startWorker({ group, settings }), await startWorker({ group, settings })];
  await Promise.all(workers.map((worker) => worker.ready()));
  const [worker] = workers as [StartedWorker];
  for (const name of NAMES) {
    const config = { 'connector.class': 'Ticker', topic: name, 'interval.ms': '20', 'tasks.max': '1' };
    await waitFor(`${name} to be created`, async () => {
      const created = await fetch(`${worker.url}/connectors/${name}/config`, {
        method: 'PUT',
        headers: { 'Content-Type': 'application/json', Authorization: ALICE },
        body: JSON.stringify(config),
      });
      if (created.status >= 400 && created.status !== 409) throw new Error(await created.text());
      return created.status < 400;
    });
  }
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  await rm(folder, { recursive: true, force: true });
});

test('every worker shows the figures of all workers', async () => {
  for (const worker of workers) {
    const { connectors, workers: rows } = await overviewWhen(
      worker,
      'the rates of all tasks',
      (overview) =>
        overview.workers.length === 2 &&
        overview.workers.every(({ state, tasks }) => state === 'answering' && tasks === 1) &&
        overview.connectors.every(({ summary, rate }) => summary === 'running' && rate !== null && rate > 0),
    );
    expect(rows.map(({ id }) => id).sort()).toEqual(workers.map(idOf).sort());
    expect(rows.filter(({ isThis }) => isThis).map(({ id }) => id)).toEqual([idOf(worker)]);
    expect(rows.filter(({ isLeader }) => isLeader)).toHaveLength(1);
    for (const row of rows) {
      expect(row).toMatchObject({ connectors: 1, tasks: 1, problem: null, health: null });
      expect([row.memoryBytes, row.rate, row.startedAt].every((value) => value !== null && value > 0)).toBe(true);
      expect(row.version).toMatch(/^\d+\.\d+\.\d+/);
    }
    expect(connectors.map(({ name, type }) => [name, type])).toEqual(NAMES.map((name) => [name, 'source']));
    const tasks = connectors.flatMap((connector) => connector.tasks);
    expect(new Set(tasks.map((task) => task.worker)).size).toBe(2);
    for (const task of tasks) {
      expect(task).toMatchObject({ state: 'RUNNING', isWorkerGone: false, errors: 0 });
      expect(task.since).toBeGreaterThan(Date.now() - 3_600_000);
    }
  }
});

test('the rates of the last minutes, also of connectors on the other worker, and of before the first question', async () => {
  const [worker] = workers as [StartedWorker];
  const { history, historyStepMs } = await waitFor('the first samples', async () => {
    const overview = await overviewOf(worker);
    const known = overview.history.filter(({ rates }) => rates.some((rate) => rate !== null && rate > 0));
    return known.length === NAMES.length && overview;
  });
  expect([history.map(({ connector }) => connector).sort(), historyStepMs]).toEqual([NAMES, 10_000]);
  for (const { rates } of history) expect(rates).toHaveLength(30);
  const processes = (await (await get(worker, '/ui/api/workers/history')).json()) as WorkersHistory;
  expect([processes.missing, processes.workers.map(({ id }) => id)]).toEqual([[], workers.map(idOf).sort()]);
  const connector = await get(worker, `/ui/api/connectors/${NAMES[0]}/history`);
  expect(((await connector.json()) as ConnectorHistory).missing).toEqual([]);
});

test('the page needs no credentials, everything that it shows does', async () => {
  const [worker] = workers as [StartedWorker];
  const page = await get(worker, '/ui', null);
  expect([page.status, page.url, page.headers.get('content-type')]).toEqual([
    200,
    `${worker.url}/ui/`,
    'text/html; charset=utf-8',
  ]);
  const [, script = ''] = /src="(console-[A-Z0-9]{8}\.js)"/.exec(await page.text()) ?? [];
  expect((await get(worker, `/ui/${script}`, null)).headers.get('cache-control')).toContain('immutable');
  const statuses = async (authorization: string | null): Promise<number[]> =>
    await Promise.all(
      ['session', 'overview', 'worker'].map(
        async (path) => (await get(worker, `/ui/api/${path}`, authorization)).status,
      ),
    );
  expect(await statuses(null)).toEqual([401, 401, 401]);
  expect(await statuses(basic('none', 'pw'))).toEqual([403, 403, 403]);
  expect(await statuses(RITA)).toEqual([200, 200, 200]);
  const session = (await (await get(worker, '/ui/api/session', ALICE)).json()) as Session;
  expect(session).toMatchObject({ user: 'alice', role: 'admin', groupId: group, worker: idOf(worker) });
});

test('a worker that is killed does not answer, then is gone: its work is not shown as running', async () => {
  const [killed, other] = workers as [StartedWorker, StartedWorker];
  const isGone = idOf(killed);
  workers = [other];
  const crashed = killed.crash();
  const stateOf = ({ workers: rows }: Overview): string | undefined => rows.find(({ id }) => id === isGone)?.state;
  const silent = await overviewWhen(
    other,
    'the killed worker to be silent',
    (overview) => stateOf(overview) === 'silent',
  );
  expect(silent.workers.find(({ id }) => id === isGone)).toMatchObject({ tasks: 1, memoryBytes: null, cpu: null });
  expect(silent.workers.find(({ id }) => id === isGone)?.problem).toMatch(/^It cannot be reached: /);
  await crashed;
  const gone = await overviewWhen(other, 'the killed worker to be gone', (overview) => stateOf(overview) === 'gone');
  const lost = gone.connectors.filter(({ tasks }) => tasks.some(({ isWorkerGone }) => isWorkerGone));
  expect(lost).toHaveLength(1);
  expect(lost[0]).toMatchObject({ summary: 'starting', rate: null, tasks: [{ state: 'RUNNING', worker: isGone }] });
  expect(gone.workers.filter(({ state }) => state === 'answering').map(({ id, isLeader }) => [id, isLeader])).toEqual([
    [idOf(other), true],
  ]);
});
