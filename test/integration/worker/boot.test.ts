/** What a user sees when a worker cannot start, or has not started yet. */
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../../dev/services/free-port';
import { ROOT } from '../../../dev/services/paths';
import { startWorker } from '../../../dev/services/worker';
import { Clients } from '../../helpers/kafka-clients';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

const started = async (settings: Record<string, string>, group = uniqueName('boot')) =>
  await startWorker({ group, settings });

test('a wrong setting: one sentence, exit code 1, no port opened', async () => {
  const worker = await started({ 'session.timeout.ms': 'soon' });
  expect(await worker.exited()).toBe(1);
  expect(worker.process.log()).toBe(
    'millrace: Worker setting "session.timeout.ms" is invalid: "soon": Not a number of type INT. (WORKER_CONFIG_INVALID)\n',
  );
  await worker.stop();
});

test('a port in use: one sentence that names it, exit code 1', async () => {
  const port = await freePort();
  const other = createServer().listen(port, '127.0.0.1');
  const worker = await started({ listeners: `http://127.0.0.1:${port}` });
  try {
    expect(await worker.exited()).toBe(1);
    expect(worker.process.log()).toContain(`cannot open http://127.0.0.1:${port}: listen EADDRINUSE`);
  } finally {
    await worker.stop();
    await new Promise((resolve) => other.close(resolve));
  }
});

test('connect-rest 163: while Kafka is unreachable, GET / answers and /health reports starting; a signal stops the worker', async () => {
  const worker = await started({ 'bootstrap.servers': `127.0.0.1:${await freePort()}` });
  await waitFor('GET / to answer', async () => (await worker.request('GET', '/').catch(() => null))?.status === 200);
  const health = await worker.request('GET', '/health');
  await waitFor('the log to say why', () =>
    /WARN .* Kafka has not answered yet \(127\.0\.0\.1:\d+\)/.test(worker.process.log()),
  );
  expect([health.status, health.json]).toEqual([503, { status: 'starting', message: expect.any(String) }]);
  expect(await worker.stop()).toBe(0);
});

test('Kafka does not answer: one sentence that names it, exit code 3, as of all commands', async () => {
  const port = await freePort();
  const worker = await started({ 'bootstrap.servers': `127.0.0.1:${port}` });
  try {
    expect(await worker.exited()).toBe(3);
    expect(worker.process.log()).toMatch(
      new RegExp(
        `^millrace: No Kafka broker can be reached \\(bootstrap\\.servers 127\\.0\\.0\\.1:${port}\\): .*$`,
        'm',
      ),
    );
  } finally {
    await worker.stop();
  }
});

test('wrong usage: exit code 2; SIGTERM: exit code 0', async () => {
  const wrong = await promisify(execFile)(process.execPath, [
    join(ROOT, 'dist', 'main.js'),
    'start',
    '--prot',
    '1',
  ]).catch((error: { code: number; stderr: string }) => error);
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("unknown option '--prot'") });
  const worker = await started({});
  await worker.ready();
  expect(await worker.stop()).toBe(0);
});

test('connect-runtime 1.2: a storage topic with retention is rejected with Java’s reason, exit code 1', async () => {
  const group = uniqueName('boot');
  const topic = `${group}-configs`;
  const clients = new Clients();
  await clients.topic(1, { 'cleanup.policy': 'delete' }, topic);
  const worker = await started({}, group);
  expect(await worker.exited()).toBe(1);
  for (const part of [topic, 'config.storage.topic', 'cleanup.policy=compact', 'delete']) {
    expect(worker.process.log()).toContain(part);
  }
  await worker.stop();
  await clients.close();
});
