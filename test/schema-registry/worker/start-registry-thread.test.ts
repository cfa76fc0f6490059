/** The worker's side of the registry's thread, with small programs instead of the registry. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../../../src/logging/logger';
import { anotherHost, startRegistryThread } from '../../../src/schema-registry/start-registry-thread';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'millrace-registry-thread-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const SERVING = `port.postMessage({ type: 'serving', url: 'http://127.0.0.1:1' });`;

async function started(program: string, lines: string[] = []) {
  const module = join(folder, 'thread.js');
  writeFileSync(module, `const { parentPort: port, workerData } = require('node:worker_threads');\n${program}`);
  const logger = { ...silentLogger, warn: (line: string) => void lines.push(line) };
  return await startRegistryThread({ port: 1, bootstrapServers: 'b:1' }, logger, module);
}

test('it serves, forwards log lines, and stops on request', async () => {
  const lines: string[] = [];
  const line = `{ type: 'log', level: 'warn', name: null, line: { message: 'at ' + workerData.bootstrapServers } }`;
  const registry = await started(
    `port.postMessage(${line});\n${SERVING}\nport.once('message', (message) => process.exit(message === 'stop' ? 0 : 1));`,
    lines,
  );
  expect(registry.url).toBe('http://127.0.0.1:1');
  expect(lines).toEqual(['at b:1']);
  await registry.stop();
  await registry.stop();
});

test.each([
  ['EADDRINUSE', 'Port 1 of 127.0.0.1 is already in use. Choose another with --registry or embedded.registry.port.'],
  [null, 'No topic.'],
])('a start that fails (%s) is one error with advice', async (code, message) => {
  const failure = JSON.stringify({ type: 'failed', code, message: 'No topic.' });
  await expect(started(`port.postMessage(${failure})`)).rejects.toMatchObject({
    code: 'SCHEMA_REGISTRY_START',
    message: `The schema registry cannot start. ${message}`,
  });
});

test('a thread that dies: before it serves, the start fails; later the worker is notified', async () => {
  await expect(started(`throw new Error('no such thing')`)).rejects.toMatchObject({
    code: 'SCHEMA_REGISTRY_START',
    message: expect.stringContaining('no such thing'),
  });
  const registry = await started(`${SERVING}\nport.once('message', () => { throw new Error('topic is gone.'); });`);
  await registry.stop();
  expect(await registry.ended).toMatchObject({
    code: 'SCHEMA_REGISTRY_ENDED',
    message: 'The schema registry has stopped: topic is gone.',
  });
});

test('a registry runs only where its broker does', () => {
  expect(anotherHost('/d')).toMatchObject({
    code: 'SCHEMA_REGISTRY_START',
    message: expect.stringContaining('/d'),
  });
});
