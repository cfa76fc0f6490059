/**
 * Worker settings that a plugin's manifest requests, and `file.root`, the file connectors' own, in a worker as a user
 * starts it.
 */
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { fileSinkConfig } from '../../helpers/file-sink-config';
import { Clients } from '../../helpers/kafka-clients';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

const PLUGIN = `
const { writeFileSync } = require('node:fs');
exports.teller = {
  type: 'source',
  config: [{ name: 'file', type: 'STRING', importance: 'HIGH', documentation: 'Gets what was seen.' }],
  validate: ({ file }, settings) => (file === 'tell' ? [{ key: 'file', message: JSON.stringify(settings) }] : []),
  create: (config, { workerSettings }) => ({
    taskConfigs: () => [{ ...config, connector: JSON.stringify(workerSettings) }],
  }),
  createTask: () => ({
    start: ({ file, connector }, { workerSettings }) => writeFileSync(file, connector + JSON.stringify(workerSettings)),
    poll: () => new Promise((resolve) => setTimeout(resolve, 50, null)),
    stop: () => undefined,
  }),
};`;
const MANIFEST = {
  name: 'teller',
  version: '1.0.0',
  main: 'index.js',
  millrace: {
    plugins: [
      { type: 'source', class: 'com.example.Teller', export: 'teller', workerSettings: ['teller.limit', 'absent'] },
    ],
  },
};

const clients = new Clients();
let folder: string;
let root: string;
let worker: StartedWorker;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-worker-settings-'));
  root = join(folder, 'root');
  await mkdir(root);
  await mkdir(join(folder, 'plugins', 'teller'), { recursive: true });
  await writeFile(join(folder, 'plugins', 'teller', 'package.json'), JSON.stringify(MANIFEST));
  await writeFile(join(folder, 'plugins', 'teller', 'index.js'), PLUGIN);
  worker = await startWorker({
    group: uniqueName('settings'),
    settings: {
      'plugin.path': join(folder, 'plugins'),
      'file.root': root,
      'teller.limit': '7',
      'teller.limti': '8',
      'ssl.key.password': 'secret',
    },
  });
  await worker.ready();
});
afterAll(async () => {
  await worker?.stop();
  await clients.close();
  await rm(folder, { recursive: true, force: true });
});

test('a third-party plugin gets the settings named in its manifest: in validate, in the connector and in its tasks', async () => {
  const seen = '{"teller.limit":"7"}';
  const config = { 'connector.class': 'com.example.Teller', file: 'tell' };
  const answer = await worker.request('POST', '/connectors', { name: 'teller', config });
  expect([answer.status, answer.json.message]).toEqual([400, expect.stringContaining(seen)]);
  const file = join(folder, 'seen');
  await worker.register({ name: 'teller', config: { ...config, file } });
  await worker.running('teller');
  expect(await readFile(file, 'utf8')).toBe(seen + seen);
});

test('a misspelled name of such a setting is reported', () => {
  expect(worker.process.log()).toContain(
    'Worker setting "teller.limti" is not known and is ignored; did you mean "teller.limit"?',
  );
});

test('analytics-sink 73: file.root rejects a file outside of it, by REST and in the task', async () => {
  const topic = await clients.topic();
  const outside = await worker.request('POST', '/connectors', {
    name: topic,
    config: fileSinkConfig(topic, `${root}/../etc/x`),
  });
  expect([outside.status, outside.json.message]).toEqual([400, expect.stringContaining(`is outside of ${root}`)]);
  // Validation knows only an example of a template.
  await symlink(folder, join(root, topic));
  const config = { ...fileSinkConfig(topic, `${root}/\${topic}/x`), 'file.template': 'true' };
  await worker.register({ name: topic, config });
  await clients.send(topic, ['line']);
  const { tasks } = await worker.statusWhen(topic, (status) => status.tasks[0]?.state === 'FAILED');
  expect(tasks[0]?.trace).toContain(`The file "${root}/${topic}/x" is outside of ${root}`);
});

test('analytics-sink 73: a file inside of file.root', async () => {
  const topic = await clients.topic();
  await worker.register({ name: topic, config: fileSinkConfig(topic, join(root, 'inside')) });
  await clients.send(topic, ['line']);
  await waitFor('the line', async () => (await readFile(join(root, 'inside'), 'utf8').catch(() => '')) === 'line\n');
});
