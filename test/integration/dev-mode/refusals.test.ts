/** What `millrace dev` rejects: one sentence on stderr, exit code 1, and no damage. */
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '../../helpers/wait-for';
import { dev, millrace } from './dev-process';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'millrace-dev-mode-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The whole log of a worker that fails to start. */
async function refusal(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<string> {
  const worker = millrace(['dev', '--port', '0', '--broker-port', '0', '--data-dir', folder, ...args], env);
  try {
    expect(await worker.exited()).toBe(1);
    return worker.process.log();
  } finally {
    await worker.stop();
  }
}

test('the broker’s port is in use', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  expect(await refusal(['--broker-port', String(port)])).toBe(
    `millrace: The embedded broker cannot start. Port ${port} of 127.0.0.1 is already in use. Choose another with --broker-port or embedded.port. (EMBEDDED_BROKER_START)\n`,
  );
  other.close();
});

test('the schema registry’s port is in use; without the embedded broker there is none', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  expect(await refusal(['--registry', String(port)])).toContain(
    `millrace: The schema registry cannot start. Port ${port} of 127.0.0.1 is already in use. Choose another with --registry or embedded.registry.port. (SCHEMA_REGISTRY_START)\n`,
  );
  other.close();
  const worker = millrace(['dev', '--registry'], { CONNECT_BOOTSTRAP_SERVERS: 'k:9092' });
  expect(await worker.exited()).toBe(1);
  expect(worker.process.log()).toBe(
    'millrace: --registry can only be used with the embedded broker, but bootstrap.servers is k:9092. (WORKER_CONFIG_INVALID)\n',
  );
  await worker.stop();
});

test.each([
  ['of a newer format', 'topics.json', '{"version":2}', 'was written by another version of this broker'],
  ['that holds something else', 'logs/app.log', 'mine', 'contains files that no broker has written'],
])('a data folder %s', async (_, name, content, reason) => {
  mkdirSync(join(folder, name, '..'), { recursive: true });
  writeFileSync(join(folder, name), content);
  const log = await refusal([]);
  expect(log).toMatch(/^millrace: The embedded broker cannot start\. .*--data-dir.* \(EMBEDDED_BROKER_START\)\n$/);
  expect(log).toContain(reason);
  expect(readFileSync(join(folder, name), 'utf8')).toBe(content);
});

test('a data folder that cannot be created', async () => {
  writeFileSync(join(folder, 'file'), '');
  const log = await refusal(['--data-dir', join(folder, 'file', 'data')]);
  expect(log).toMatch(/^millrace: The embedded broker cannot start\. The data folder .* cannot be used: ENOTDIR.*\n$/);
});

test('a data folder that cannot be created for the database of --seed', async () => {
  writeFileSync(join(folder, 'file'), '');
  expect(await refusal(['--seed', '--data-dir', join(folder, 'file', 'data')])).toMatch(
    // Broker and database start side by side, and either may fail first.
    /^millrace: (The embedded broker cannot start\. )?The data folder .* cannot be used: .*ENOTDIR.*--data-dir.* \((DEV_POSTGRES|EMBEDDED_BROKER_START)\)\n$/m,
  );
});

test('settings that a single broker without TLS cannot honor', async () => {
  for (const [variable, key] of [
    ['CONNECT_SECURITY_PROTOCOL', 'security.protocol'],
    ['CONNECT_OFFSET_STORAGE_REPLICATION_FACTOR', 'offset.storage.replication.factor'],
  ] as const) {
    expect(await refusal([], { [variable]: '3' })).toMatch(
      new RegExp(`^millrace: Worker setting "${key}" is invalid: "3": .* \\(WORKER_CONFIG_INVALID\\)\n$`),
    );
  }
  expect(existsSync(join(folder, 'topics.json'))).toBe(false);
});

test('a data folder whose broker does not answer; a signal still stops the worker', async () => {
  const host = await dev(['--broker-port', '0', '--data-dir', folder]);
  try {
    await host.ready();
    process.kill(host.pid, 'SIGSTOP');
    const waiting = await dev(['--data-dir', folder]);
    await waitFor('it to wait', () => waiting.process.log().includes(`Another process owns the data folder ${folder}`));
    expect(await waiting.stop()).toBe(0);
    expect(await refusal([])).toMatch(
      new RegExp(
        `^millrace: The data folder ${folder} is in use by process ${host.pid}, whose broker does not respond on 127\\.0\\.0\\.1:\\d+\\. .* \\(EMBEDDED_BROKER_SILENT\\)$`,
        // Log lines go to another stream.
        'm',
      ),
    );
  } finally {
    process.kill(host.pid, 'SIGCONT');
    await host.stop();
  }
});
