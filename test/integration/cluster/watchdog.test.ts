/**
 * A task whose plugin never returns: the log names it, nothing else is affected, and deleting its connector ends it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

let worker: StartedWorker;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-watchdog-'));
  worker = await startWorker({
    group: uniqueName('watchdog'),
    settings: {
      'plugin.path': join(__dirname, 'fixtures', 'plugins'),
      'watchdog.task.ms': '1500',
      'task.shutdown.graceful.timeout.ms': '500',
    },
  });
  await worker.ready();
});
afterAll(async () => {
  await worker?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('an endless loop in poll() is detected although its thread does not respond; other tasks continue; it is not terminated', async () => {
  const config = (name: string, more: Record<string, string>): Record<string, string> => ({
    'connector.class': 'test.UnrulySourceConnector',
    'task.isolation': 'dedicated',
    journal: join(folder, name),
    ...more,
  });
  await worker.register({ name: 'hung', config: config('hung', { misbehave: 'hang', times: '1' }) });
  // On a busy machine an endless loop may delay others for longer than the worker's limit.
  await worker.register({ name: 'well', config: config('well', { 'watchdog.task.ms': '60000' }) });
  await worker.running('hung');
  await worker.running('well');
  const log = (): string => worker.process.log();
  await waitFor('the log to say so', () => log().includes('Task hung-0: poll() of its plugin has not returned for'));
  expect(log()).not.toContain('Task well-0: poll()');
  const status = await worker.status('hung');
  expect(status.tasks[0]?.state).toBe('RUNNING');
  expect((await worker.request('POST', '/connectors/hung/tasks/0/restart')).status).toBe(204);
  await waitFor('the end of it to be said', () =>
    log().includes('Task hung-0: poll() of its plugin is abandoned: the task was cancelled'),
  );
  await worker.running('hung');
});
