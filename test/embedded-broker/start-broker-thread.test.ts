/** The worker's side of the broker's thread, with small programs instead of the broker. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBrokerThread, type BrokerThread } from '../../src/embedded-broker/start-broker-thread';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'millrace-broker-thread-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const SERVING = `port.postMessage({ type: 'serving', bootstrapServers: '127.0.0.1:1' });`;
const lines: string[] = [];

async function started(program: string) {
  const module = join(folder, 'thread.js');
  writeFileSync(module, `const { parentPort: port, workerData } = require('node:worker_threads');\n${program}`);
  const data = { host: '127.0.0.1', port: 1, dataDir: folder };
  return await startBrokerThread(data, (line) => lines.push(line), module);
}

test('it serves, forwards log lines, and stops on request', async () => {
  const broker = (await started(`
    port.postMessage({ type: 'log', line: 'data in ' + workerData.dataDir });
    ${SERVING}
    port.once('message', (message) => process.exit(message === 'stop' ? 0 : 1));
  `)) as BrokerThread;
  expect(broker.bootstrapServers).toBe('127.0.0.1:1');
  expect(lines).toEqual([`data in ${folder}`]);
  await broker.stop();
  await broker.stop();
});

test('a folder owned by another process: the error names it', async () => {
  const by = { pid: 1, bootstrapServers: 'a:1', clusterId: 'c' };
  expect(await started(`port.postMessage({ type: 'in use', by: ${JSON.stringify(by)} })`)).toEqual({ inUseBy: by });
});

test.each([
  ['PORT_UNAVAILABLE', 'Port 1 is taken. Choose another with --broker-port or embedded.port.'],
  ['DATA_FOLDER_UNUSABLE', 'Port 1 is taken. Choose another with --data-dir or embedded.data.dir.'],
  [null, 'Port 1 is taken.'],
])('a start that fails (%s) is one error with advice', async (code, message) => {
  const failure = JSON.stringify({ type: 'failed', code, message: 'Port 1 is taken.' });
  await expect(started(`port.postMessage(${failure})`)).rejects.toMatchObject({
    code: 'EMBEDDED_BROKER_START',
    message: `The embedded broker cannot start. ${message}`,
  });
});

test('a thread that dies: before it serves, the start fails; later the worker is notified', async () => {
  await expect(started(`throw new Error('no such thing')`)).rejects.toMatchObject({
    code: 'EMBEDDED_BROKER_START',
    message: expect.stringContaining('no such thing'),
  });
  const broker = (await started(`
    ${SERVING}
    port.once('message', () => { throw new Error('disk is full.'); });
  `)) as BrokerThread;
  const reason = { code: 'EMBEDDED_BROKER_ENDED', message: 'The embedded broker has stopped: disk is full.' };
  await expect(broker.stop()).rejects.toMatchObject(reason);
  expect(await broker.ended).toMatchObject(reason);
});
