/**
 * The leader is killed during a request that a follower forwarded. A successful answer means that the change is done;
 * after an error the client may retry; either way the group ends in the requested state.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker, type Answer, type ConnectorStatus, type StartedWorker } from '../../dev/services/worker';
import { leaderOf } from '../helpers/leader';
import { uniqueName } from '../helpers/unique-name';
import { waitFor } from '../helpers/wait-for';

const group = uniqueName('leader-killed');
const settings = {
  'plugin.path': join(__dirname, '..', 'integration', 'cluster', 'fixtures', 'plugins'),
  'session.timeout.ms': '6000',
  'heartbeat.interval.ms': '1000',
  'scheduled.rebalance.max.delay.ms': '0',
};
const NAME = 'c';
let folder: string;
let workers: StartedWorker[] = [];
let version = 0;

async function started(): Promise<StartedWorker> {
  const worker = await startWorker({ group, settings });
  workers.push(worker);
  await worker.ready();
  return worker;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-leader-killed-'));
  await Promise.all([started(), started()]);
  await (workers[0] as StartedWorker).register({ name: NAME, config: config(version) });
  await (workers[0] as StartedWorker).running(NAME);
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  rmSync(folder, { recursive: true, force: true });
});

/** The fixture writes `secret` to the journal with each start of its task. */
function config(of: number): Record<string, string> {
  return {
    'connector.class': 'test.UnrulySourceConnector',
    journal: join(folder, 'journal'),
    secret: `v${of}`,
  };
}
const journal = (): string[] => readFileSync(join(folder, 'journal'), 'utf8').trimEnd().split('\n');
const runs = ({ connector, tasks }: ConnectorStatus): boolean =>
  connector.state === 'RUNNING' && tasks.length === 1 && tasks[0]?.state === 'RUNNING';

/** The follower's answer, and the remaining workers. */
async function killedMeanwhile(
  method: string,
  path: string,
  body: unknown,
  afterMs: number,
): Promise<{ answer: Answer; survivor: StartedWorker }> {
  const leader = await leaderOf(workers);
  const survivor = workers.find((worker) => worker !== leader) as StartedWorker;
  const asked = survivor.request(method, path, body);
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  await leader.crash();
  workers = [survivor];
  return { answer: await asked, survivor };
}

/** As a client does after an error: one retry, at a remaining worker. */
async function insisted(answer: Answer, again: () => Promise<Answer>, done: readonly number[]): Promise<void> {
  if (done.includes(answer.status)) return;
  expect([409, 500]).toContain(answer.status);
  expect(answer.json.message).toMatch(/IO Error trying to forward REST request|rebalance/);
  expect(done).toContain((await again()).status);
}

// How far the leader gets depends on the machine: each moment is inside some step on some machines.
describe.each([1, 12])('killed %d ms after the request was sent', (afterMs) => {
  beforeAll(async () => {
    if (workers.length < 2) await started();
    await (workers[0] as StartedWorker).statusWhen(NAME, runs);
  });

  test('connect-rest 161: PUT config: the new config is stored and runs, or the old one until the request is sent again', async () => {
    const wanted = config(++version);
    const path = `/connectors/${NAME}/config`;
    const { answer, survivor } = await killedMeanwhile('PUT', path, wanted, afterMs);
    const stored = async (): Promise<unknown> => (await survivor.request('GET', path)).json.secret;
    // The remaining workers may not have read the record yet.
    if (answer.status === 200) await waitFor('the new configuration', async () => (await stored()) === wanted.secret);
    else expect([`v${version - 1}`, wanted.secret]).toContain(await stored());
    await insisted(answer, async () => await survivor.request('PUT', path, wanted), [200]);
    await waitFor('the task of the new configuration', () => journal().at(-1) === wanted.secret);
    await survivor.statusWhen(NAME, runs);
  });

  test('connect-rest 161: restart with tasks: everything runs afterwards', async () => {
    await started();
    const before = journal().length;
    const path = `/connectors/${NAME}/restart?includeTasks=true`;
    const { answer, survivor } = await killedMeanwhile('POST', path, undefined, afterMs);
    await insisted(answer, async () => await survivor.request('POST', path), [202]);
    await waitFor('the restart', () => journal().length > before);
    await survivor.statusWhen(NAME, runs);
  });

  test('connect-rest 161: stop: stopped without tasks, and everything runs again after resume', async () => {
    await started();
    const path = `/connectors/${NAME}/stop`;
    const { answer, survivor } = await killedMeanwhile('PUT', path, undefined, afterMs);
    await insisted(answer, async () => await survivor.request('PUT', path), [204]);
    await survivor.statusWhen(NAME, ({ connector, tasks }) => connector.state === 'STOPPED' && tasks.length === 0);
    // Configurations and statuses are read from different topics.
    await waitFor('no task to be left', async () => {
      const { json } = await survivor.request('GET', `/connectors/${NAME}/tasks`);
      return (json as unknown[]).length === 0;
    });
    expect((await survivor.request('PUT', `/connectors/${NAME}/resume`)).status).toBe(202);
    await survivor.statusWhen(NAME, runs);
    expect(journal().at(-1)).toBe(`v${version}`);
  });
});
