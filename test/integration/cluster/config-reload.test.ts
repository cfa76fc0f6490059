/**
 * Secrets that change under a running connector: with a time to live its tasks get the new ones; neither the old nor
 * the new ones are ever shown.
 */
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

let folder: string;
let worker: StartedWorker;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-reload-'));
  rotate('canary-1');
  worker = await startWorker({
    group: uniqueName('reload'),
    settings: {
      'plugin.path': join(__dirname, 'fixtures', 'plugins'),
      'config.providers': 'file',
      'config.providers.file.class': 'org.apache.kafka.common.config.provider.FileConfigProvider',
      'config.providers.file.param.allowed.paths': folder,
      'config.providers.file.param.ttl.ms': '300',
    },
  });
  await worker.ready();
});
afterAll(async () => {
  await worker?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Atomically: the worker reads the file all the time, and must not read a partial one. */
function rotate(secret: string): void {
  const file = join(folder, 'secrets.properties');
  writeFileSync(`${file}.new`, `token=${secret}\n`);
  renameSync(`${file}.new`, file);
}
const config = (name: string, more: Record<string, string> = {}): Record<string, string> => ({
  'connector.class': 'test.UnrulySourceConnector',
  journal: join(folder, name),
  secret: `\${file:${folder}/secrets.properties:token}`,
  ...more,
});
const secrets = (name: string): string[] => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n');

test('connect-runtime 108: a task restarts when its secret has changed, and only then', async () => {
  await worker.register({ name: 'reloading', config: config('reloading') });
  await worker.register({ name: 'steady', config: config('steady', { 'config.action.reload': 'none' }) });
  for (const name of ['reloading', 'steady']) await worker.running(name);
  const reloads = (): number => worker.process.log().split('Restarting connector reloading: values').length - 1;
  await waitFor('two reloads without a change', () => reloads() >= 2);
  expect(secrets('reloading')).toEqual(['canary-1']);
  rotate('canary-2');
  await waitFor('the new secret', () => secrets('reloading').at(-1) === 'canary-2');
  await worker.running('reloading');
  expect(secrets('reloading')).toEqual(['canary-1', 'canary-2']);
  expect(secrets('steady')).toEqual(['canary-1']);
  expect(worker.process.log()).not.toContain('Restarting connector steady');
});

test('connect-runtime 61, 107: placeholders are stored and shown as written; no secret is in an answer or the log', async () => {
  const answers = await Promise.all(
    ['', '/config', '/tasks', '/status'].map((path) => worker.request('GET', `/connectors/reloading${path}`)),
  );
  const placeholder = config('reloading').secret;
  expect(answers[1]?.json.secret).toBe(placeholder);
  expect(answers[2]?.json[0].config.secret).toBe(placeholder);
  const all = [...answers.map(({ body }) => body), worker.process.log()].join('\n');
  expect(all).not.toContain('canary');
});
