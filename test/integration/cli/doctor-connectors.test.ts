/** `millrace doctor` and faults of connectors, plugins and the REST API of a real worker. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { jvmFlag, EXTENSION, writeLogins } from '../../helpers/basic-auth';
import { Clients } from '../../helpers/kafka-clients';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';
import { codes, DoctorCommand, found, runInShell } from './doctor-command';

/** Its connector has no task, cannot start, or cannot be diagnosed until the file `allowed` exists. */
const PLUGIN = `
const { existsSync } = require('node:fs');
const lacks = (config, fault) => config.fault === fault && !existsSync(config.allowed);
exports.source = {
  type: 'source',
  config: [],
  create: (config) => ({
    start() {
      if (lacks(config, 'start')) throw new Error('the shop is closed');
    },
    taskConfigs: () => (lacks(config, 'tasks') ? [] : [{}]),
  }),
  createTask: () => ({
    start() {},
    poll: async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      return null;
    },
    stop() {},
  }),
  diagnose(config) {
    if (lacks(config, 'diagnosis')) throw new Error('the diagnosis is closed');
    return [];
  },
};
`;

let command: DoctorCommand;
let folder: string;
let worker: StartedWorker;
const group = uniqueName('doctor');
let settings: string;
let plugins: Record<string, string>;
beforeAll(async () => {
  command = await DoctorCommand.create();
  folder = await mkdtemp(join(tmpdir(), 'millrace-doctor-plugin-'));
  const plugin = join(folder, 'plugins', 'faulty');
  await mkdir(plugin, { recursive: true });
  await writeFile(
    join(plugin, 'package.json'),
    JSON.stringify({
      name: 'faulty',
      version: '1.0.0',
      main: './index.js',
      millrace: { plugins: [{ type: 'source', class: 'test.FaultySource', export: 'source' }] },
    }),
  );
  await writeFile(join(plugin, 'index.js'), PLUGIN);
  plugins = { 'plugin.path': join(folder, 'plugins') };
  worker = await startWorker({ group, settings: plugins });
  await worker.ready();
  settings = await command.settingsFile(group, plugins);
});
const clients = new Clients();
afterAll(async () => {
  await clients.close();
  await worker?.stop();
  await command.remove();
  await rm(folder, { recursive: true, force: true });
});

/** A connector with a fault until `allow` is called. */
async function planted(fault: string): Promise<{ name: string; allow: () => Promise<void> }> {
  const name = uniqueName(fault);
  const allowed = join(folder, name);
  await worker.register({
    name,
    config: { 'connector.class': 'test.FaultySource', fault, allowed, 'errors.restart.max': '0' },
  });
  return { name, allow: () => writeFile(allowed, '') };
}

test('a connector without tasks; its statement creates them once there is something to do', async () => {
  const { name, allow } = await planted('tasks');
  await worker.statusWhen(name, ({ connector }) => connector.state === 'RUNNING');
  const answer = await command.run(['--config', settings]);
  expect(codes(answer)).toEqual(['warning CONNECTOR_WITHOUT_TASKS']);
  expect(answer.code).toBe(0);
  await allow();
  await runInShell(found(answer, 'CONNECTOR_WITHOUT_TASKS'));
  await worker.running(name);
  expect(codes(await command.run(['--config', settings]))).toEqual([]);
  await worker.request('DELETE', `/connectors/${name}`);
});

test('a FAILED connector; its statement restarts it', async () => {
  const { name, allow } = await planted('start');
  await worker.statusWhen(name, ({ connector }) => connector.state === 'FAILED');
  const answer = await command.run(['--config', settings]);
  expect(codes(answer)).toEqual(['error CONNECTOR_FAILED']);
  expect(found(answer, 'CONNECTOR_FAILED').message).toContain('the shop is closed');
  await allow();
  await runInShell(found(answer, 'CONNECTOR_FAILED'));
  await worker.statusWhen(name, ({ tasks: [task] }) => task?.state === 'RUNNING');
  expect(codes(await command.run(['--config', settings]))).toEqual([]);
  await worker.request('DELETE', `/connectors/${name}`);
});

test('a plugin whose diagnosis fails, and one that is not installed here', async () => {
  const { name } = await planted('diagnosis');
  await worker.running(name);
  const document = await command.documentFile({ 'connector.class': 'com.example.Absent' });
  const answer = await command.run(['--config', settings, document]);
  expect(codes(answer)).toEqual(['unchecked DOCTOR_PLUGIN', 'unchecked DOCTOR_PLUGIN']);
  const messages = answer.report.findings.map(({ message }) => message).join('\n');
  expect(messages).toContain('com.example.Absent is not installed on this machine');
  expect(messages).toContain('the diagnosis is closed');
  await worker.request('DELETE', `/connectors/${name}`);
});

test('worker settings without effect', async () => {
  const file = await command.settingsFile(group, { ...plugins, 'metric.reporters': 'com.example.Reporter' });
  const answer = await command.run(['--config', file, '--url', worker.url]);
  expect(codes(answer)).toEqual(['warning WORKER_SETTING']);
  expect(found(answer, 'WORKER_SETTING').message).toContain('metric.reporters');
});

test('a URL with a path at which no worker answers; the statement shows what does', async () => {
  const answer = await command.run(['--config', settings, '--url', `${worker.url}/absent`]);
  expect(codes(answer)).toEqual(['error REST_REPLY_INVALID']);
  expect(await runInShell(found(answer, 'REST_REPLY_INVALID'))).toContain('404');
});

test('a worker that requires credentials', async () => {
  const jaas = await writeLogins(folder, 'admin: secret-1\n');
  const secured = await startWorker({
    group: uniqueName('doctor'),
    settings: EXTENSION,
    env: { KAFKA_OPTS: jvmFlag(jaas) },
  });
  try {
    await waitFor('the worker to answer', async () => {
      return (await secured.request('GET', '/').catch(() => null))?.status === 401;
    });
    const answer = await command.run(['--url', secured.url]);
    expect(codes(answer)).toContain('unchecked REST_REFUSED');
    const credentials = join(folder, 'credentials');
    await writeFile(credentials, 'username=admin\npassword=secret-1\n');
    const admitted = await command.run(['--url', secured.url], { MILLRACE_CREDENTIALS: credentials });
    expect(codes(admitted)).not.toContain('unchecked REST_REFUSED');
    expect(admitted.stdout).not.toContain('secret-1');
  } finally {
    await secured.stop();
  }
});

/** The rebalance after a worker has left is over. */
async function oneMember(group: string): Promise<void> {
  await waitFor('a group of one worker', async () => {
    const { state, members } = await clients.admin.describeGroup(group);
    return state === 'Stable' && members.length === 1;
  });
}

test('work of a worker that has stopped, until another one gets it', async () => {
  const pair = uniqueName('doctor');
  const [staying, leaving] = [
    await startWorker({ group: pair, settings: plugins }),
    await startWorker({ group: pair, settings: plugins }),
  ] as const;
  try {
    await Promise.all([staying.ready(), leaving.ready()]);
    const names = ['a', 'b'];
    for (const name of names) await staying.register({ name, config: { 'connector.class': 'test.FaultySource' } });
    const gone = new URL(leaving.url).host;
    await waitFor('a connector and a task on each worker', async () => {
      const all = await Promise.all(names.map((name) => staying.running(name)));
      const tasks = all.flatMap((one) => one.tasks);
      return [all.map(({ connector }) => connector), tasks].every((parts) =>
        parts.some((one) => one.worker_id === gone),
      );
    });
    await leaving.stop();
    await waitFor('work without a worker', async () => {
      const all = await Promise.all(names.map((name) => staying.status(name)));
      return all.some(({ connector, tasks }) => [connector, ...tasks].some(({ state }) => state === 'UNASSIGNED'));
    });
    await oneMember(pair);
    const answer = await command.run(['--config', await command.settingsFile(pair, plugins)]);
    // As in Java, UNASSIGNED does not replace a task's RUNNING of the same generation, but that of an earlier one.
    const others = codes(answer).filter((code) => code !== 'error WORKER_LOST');
    expect(new Set(others)).toEqual(new Set(['warning CONNECTOR_UNASSIGNED']));
  } finally {
    await Promise.all([staying.stop(), leaving.stop()]);
  }
});

test('work of a worker that was killed, until it is back', async () => {
  const pair = uniqueName('doctor');
  const options = {
    group: pair,
    settings: { ...plugins, 'session.timeout.ms': '6000', 'heartbeat.interval.ms': '2000' },
  };
  const workers = [await startWorker(options), await startWorker(options)] as const;
  const [staying, killed] = workers;
  const running: StartedWorker[] = [...workers];
  try {
    await Promise.all(workers.map((one) => one.ready()));
    const names = ['a', 'b'];
    for (const name of names) await staying.register({ name, config: { 'connector.class': 'test.FaultySource' } });
    const gone = new URL(killed.url).host;
    await waitFor('a part of the work on each worker', async () => {
      const all = await Promise.all(names.map((name) => staying.running(name)));
      return all.some(({ connector, tasks }) => [connector, ...tasks].some(({ worker_id: id }) => id === gone));
    });
    await killed.crash();
    await oneMember(pair);
    const settings = await command.settingsFile(pair, plugins);
    const answer = await command.run(['--config', settings]);
    expect(codes(answer)).toEqual(['error WORKER_LOST']);
    expect(answer.report.findings[0]).toMatchObject({
      subject: `worker ${gone}`,
      message: expect.stringMatching(/\b[ab]\b/),
    });
    const back = await startWorker({ ...options, port: Number(new URL(killed.url).port) });
    running.push(back);
    await back.ready();
    for (const name of names) await staying.running(name);
    expect(codes(await command.run(['--config', settings]))).toEqual([]);
  } finally {
    await Promise.all(running.map((one) => one.stop()));
  }
});
