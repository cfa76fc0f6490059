/** A worker as users start it, with a plugin that fails: failed tasks restart without manual action. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { uniqueName } from '../../helpers/unique-name';

let worker: StartedWorker;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-restarts-'));
  worker = await startWorker({
    group: uniqueName('restarts'),
    settings: {
      'plugin.path': join(__dirname, 'fixtures', 'plugins'),
      'errors.restart.backoff.ms': '10',
      'task.threads': '1',
    },
  });
  await worker.ready();
});
afterAll(async () => {
  await worker?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const unruly = (name: string, more: Record<string, string>): { name: string; config: Record<string, string> } => ({
  name,
  config: {
    'connector.class': 'test.UnrulySourceConnector',
    journal: join(folder, name),
    ...more,
  },
});
const starts = (name: string): number => readFileSync(join(folder, name), 'utf8').split('\n').length - 1;
const isRunning = ({ tasks }: { tasks: readonly { state: string }[] }): boolean => tasks[0]?.state === 'RUNNING';

test.each(['throw', 'exit'])('a task whose plugin will %s three times runs the fourth time', async (misbehave) => {
  const name = `c-${misbehave}`;
  await worker.register(unruly(name, { misbehave, times: '3' }));
  await worker.statusWhen(name, (status) => isRunning(status) && starts(name) === 4);
});

test('after errors.restart.max the trace names the limit after the reason; a manual restart resets the count', async () => {
  await worker.register(unruly('limited', { misbehave: 'throw', times: '5', 'errors.restart.max': '2' }));
  const failed = await worker.statusWhen(
    'limited',
    ({ tasks }) => tasks[0]?.trace?.includes('after 2 restarts (errors.restart.max)') === true,
  );
  expect(failed.tasks[0]?.trace).toMatch(/^org\.apache\.kafka\.connect\.errors\.ConnectException: an accident\n/);
  expect([failed.tasks[0]?.state, starts('limited')]).toEqual(['FAILED', 3]);
  const answer = await worker.request('POST', '/connectors/limited/restart?includeTasks=true&onlyFailed=true');
  expect(answer.status).toBe(202);
  await worker.statusWhen('limited', (status) => isRunning(status) && starts('limited') === 6);
});

test('an invalid restart setting is rejected with its key', async () => {
  const { status, json } = await worker.request(
    'POST',
    '/connectors',
    unruly('wrong', { 'errors.restart.max': 'often' }),
  );
  expect(status).toBe(400);
  expect(json.message).toContain('Invalid value often for configuration errors.restart.max: Not a number of type INT');
});
