/**
 * `watchdog.task.action=restart`: a task whose call does not return is shown in /health and /metrics, ended with its
 * thread, and started again.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep } from '@millrace/sdk';
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { parsePrometheus } from '../../helpers/prometheus';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

const LIMIT_MS = 2_000;

let worker: StartedWorker;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-watchdog-'));
  worker = await startWorker({
    group: uniqueName('watchdog'),
    settings: {
      'plugin.path': join(__dirname, 'fixtures', 'plugins'),
      'watchdog.task.ms': String(LIMIT_MS),
      'watchdog.task.action': 'restart',
      'task.threads': '1',
    },
  });
  await worker.ready();
});
afterAll(async () => {
  await worker?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const register = (name: string, more: Record<string, string>): Promise<void> =>
  worker.register({
    name,
    config: { 'connector.class': 'test.UnrulySourceConnector', journal: join(folder, name), ...more },
  });
const starts = (name: string): number => {
  const journal = join(folder, name);
  return existsSync(journal) ? readFileSync(journal, 'utf8').split('\n').length - 1 : 0;
};
async function figure(name: string, connector: string): Promise<number | undefined> {
  const { body } = await worker.request('GET', '/metrics');
  const family = parsePrometheus(body).get(`millrace_task_${name}`);
  return family?.samples.find(({ labels }) => labels.connector === connector)?.value;
}

test('a poll that waits forever: the task is restarted in a thread of its own, its neighbor without a failure', async () => {
  await register('well', { 'watchdog.task.ms': '60000' });
  await worker.running('well');
  await register('stuck', { misbehave: 'wait', times: '1', 'errors.restart.backoff.ms': '2000' });
  const failed = await worker.statusWhen('stuck', ({ tasks }) => tasks[0]?.state === 'FAILED');
  expect(failed.tasks[0]?.trace).toMatch(
    /^org\.apache\.kafka\.connect\.errors\.ConnectException: poll\(\) of this task's plugin has not returned for \d+ s, since 20\S+Z: the task was ended \(watchdog\.task\.action=restart\)\. Its thread is terminated\. \[code: TASK_STUCK\]\n/,
  );
  expect(failed.tasks[0]?.trace).toMatch(/Automatic restart 1 of 20 is due at \S+\.\n$/);
  expect(Object.keys(failed.tasks[0] ?? {})).toEqual(['id', 'state', 'worker_id', 'version', 'trace']);
  await worker.statusWhen('stuck', ({ tasks }) => tasks[0]?.state === 'RUNNING');
  await waitFor('the second starts', () => starts('stuck') === 2 && starts('well') === 2);
  expect(await figure('watchdog_restarts_total', 'stuck')).toBe(1);
  expect(await figure('watchdog_restarts_total', 'well')).toBe(0);
  expect(worker.process.log()).toContain('Restarting task well-0 in another thread, not counted as a failure');
  await worker.running('well');
});

test('watchdog.task.action=log: the task stays RUNNING, and /health and /metrics name it', async () => {
  await register('shown', { misbehave: 'wait', times: '1', 'watchdog.task.action': 'log' });
  await worker.running('shown');
  await waitFor('the metric', async () => ((await figure('stuck_seconds', 'shown')) ?? 0) >= LIMIT_MS / 1000);
  const health = await worker.request('GET', '/health');
  expect([health.status, health.json.status]).toEqual([200, 'healthy']);
  expect(health.json.message).toMatch(
    /^Worker has completed startup and is ready to handle requests\. Task shown-0: poll\(\) of its plugin has not returned for \d+ s\.$/,
  );
  expect((await worker.status('shown')).tasks[0]?.state).toBe('RUNNING');
  expect((await worker.request('DELETE', '/connectors/shown')).status).toBe(204);
  await waitFor('the report to end', async () => !(await worker.request('GET', '/health')).body.includes('shown'));
});

test('a worker that was suspended restarts nothing', async () => {
  await register('slow', { misbehave: 'slow', times: '1' });
  await worker.running('slow');
  process.kill(worker.pid, 'SIGSTOP');
  await sleep(2 * LIMIT_MS);
  process.kill(worker.pid, 'SIGCONT');
  await waitFor('its poll to return', () => existsSync(join(folder, 'slow.returned')));
  expect(starts('slow')).toBe(1);
  expect(worker.process.log()).not.toContain('Task slow-0: poll() of its plugin has not returned');
});
