/** Commands that are no worker take no worker.properties of the current folder, which may be a checkout. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../../src/cli/cli';
import { findRunningBroker } from '../../src/embedded-broker/running-broker';
import { FakeIo } from './fake-io';

const NOTICE = /^worker\.properties of this folder is not used: name it with --config worker\.properties /;
const ENV = { MILLRACE_CONTEXTS: '/nowhere', MILLRACE_URL: 'http://127.0.0.1:1' };

let cwd: string;
let broker: Server;
let connections: number;
beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'millrace-checkout-'));
  connections = 0;
  broker = createServer((socket) => (connections++, socket.destroy()));
  await new Promise<void>((resolve) => broker.listen(0, '127.0.0.1', resolve));
  write(
    'worker.properties',
    `bootstrap.servers=127.0.0.1:${(broker.address() as AddressInfo).port}\nplugin.path=${join(cwd, 'plugins')}\n`,
  );
  write('a.json', JSON.stringify({ name: 'a', config: { 'connector.class': 'com.acme.Checkout' } }));
  const manifest = { plugins: [{ type: 'source', class: 'com.acme.Checkout', export: 'source' }] };
  mkdirSync(join(cwd, 'plugins', 'checkout'), { recursive: true });
  const described = { name: 'checkout', version: '1.0.0', main: './index.js', millrace: manifest };
  write('plugins/checkout/package.json', JSON.stringify(described));
  write('plugins/checkout/index.js', 'globalThis.ranOfCheckout = true;');
});
afterEach(() => {
  broker.close();
  rmSync(cwd, { recursive: true, force: true });
});
const write = (file: string, text: string): void => writeFileSync(join(cwd, file), text);

test.each([
  ['consume t', 3],
  ['produce a.json --topic t', 3],
  ['dlq show t', 3],
  ['dlq replay t --yes', 3],
  ['doctor --deadline 20 -o json', 3],
])('%s asks no broker of it', async (command, code) => {
  const io = new FakeIo(cwd, ENV);
  expect(await runCli(command.split(' '), io)).toBe(code);
  expect(connections).toBe(0);
  expect(io.err).toMatch(NOTICE);
});

test.each(['preview a.json', 'validate --offline a.json'])('%s loads no plugin of it', async (command) => {
  const io = new FakeIo(cwd, ENV);
  expect(await runCli(command.split(' '), io)).toBe(5);
  expect(globalThis).not.toHaveProperty('ranOfCheckout');
  expect(io.err + io.out).toContain('com.acme.Checkout is not installed here');
  expect(io.err).toMatch(NOTICE);
});

test('no file, no notice', async () => {
  rmSync(join(cwd, 'worker.properties'));
  const io = new FakeIo(cwd, ENV);
  await runCli(['consume', 't'], io);
  expect(io.err).toMatch(/^millrace: No embedded broker runs/);
});

test('a file in the data folder directs no command to another machine', async () => {
  const asked: string[] = [];
  const clusterIdAt = async (address: string): Promise<string> => (asked.push(address), 'c');
  for (const address of ['10.1.2.3:9092', '127.0.0.1:9092,10.1.2.3:9092', '127.0.0.1.example.com:9092']) {
    write('broker.json', JSON.stringify({ bootstrapServers: address, clusterId: 'c' }));
    await expect(findRunningBroker(cwd, clusterIdAt)).rejects.toMatchObject({ code: 'EMBEDDED_BROKER_ABSENT' });
  }
  write('broker.json', JSON.stringify({ bootstrapServers: '127.0.0.1:9092', clusterId: 'c' }));
  expect(await findRunningBroker(cwd, clusterIdAt)).toBe('127.0.0.1:9092');
  expect(asked).toEqual(['127.0.0.1:9092']);
});
