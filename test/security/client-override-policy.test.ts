/**
 * A connector that names another Kafka cluster for its clients would make the worker send its own password there. The
 * worker's override policy holds for each client that it opens for a connector, whichever request asks for it.
 */
import { createServer, type Server } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { startWorker, type StartedWorker } from '../../dev/services/worker';
import { uniqueName } from '../helpers/unique-name';

const group = uniqueName('policy');
const NAME = 'sink';
let evil: Server;
let connections = 0;
let worker: StartedWorker;
let config: Record<string, string>;

const start = async (policy: string): Promise<StartedWorker> => {
  const started = await startWorker({
    group,
    settings: { 'connector.client.config.override.policy': policy, 'scheduled.rebalance.max.delay.ms': '0' },
  });
  await started.ready();
  return started;
};

beforeAll(async () => {
  evil = createServer((socket) => {
    connections++;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(evil, 'listening');
  config = {
    'connector.class': 'FileStreamSink',
    topics: uniqueName('t'),
    file: '/dev/null',
    'errors.deadletterqueue.topic.name': uniqueName('dlq'),
    'admin.override.bootstrap.servers': `127.0.0.1:${(evil.address() as AddressInfo).port}`,
  };
  worker = await start('All');
});
afterAll(async () => {
  await worker?.stop();
  evil?.close();
});

const REFUSED = "The 'None' policy does not allow 'bootstrap.servers' to be overridden in the connector configuration.";

test('no request makes a worker with the policy None open a client at a server that a connector names', async () => {
  // Stored while the policy allowed it.
  await worker.register({ name: NAME, config });
  await worker.statusWhen(NAME, ({ connector }) => connector.state === 'RUNNING');
  await worker.stop();
  connections = 0;

  worker = await start('None');
  const refused = await worker.request('POST', '/connectors', { name: 'other', config: { ...config, name: 'other' } });
  expect([refused.status, refused.json.message]).toEqual([400, expect.stringContaining(REFUSED)]);
  const { 'errors.deadletterqueue.topic.name': _, ...plain } = config;
  const unused = await worker.request('POST', '/connectors', { name: 'other', config: plain });
  expect([unused.status, unused.json.message]).toEqual([400, expect.stringContaining(REFUSED)]);

  const status = await worker.statusWhen(NAME, ({ tasks }) => tasks[0]?.state === 'FAILED');
  expect(status.tasks[0]?.trace).toContain(REFUSED);
  const offsets = await worker.request('GET', `/connectors/${NAME}/offsets`);
  expect([offsets.status, offsets.json.message]).toEqual([500, REFUSED]);
  const letters = await worker.request('GET', `/ui/api/connectors/${NAME}/dead-letters?limit=5`);
  expect([letters.status, letters.json.message]).toEqual([409, `CLIENT_OVERRIDE_REFUSED: ${REFUSED}`]);
  await worker.request('PUT', `/connectors/${NAME}/stop`);
  await worker.statusWhen(NAME, ({ connector, tasks }) => connector.state === 'STOPPED' && tasks.length === 0);
  const reset = await worker.request('DELETE', `/connectors/${NAME}/offsets`);
  expect([reset.status, reset.json.message]).toEqual([500, REFUSED]);
  expect(connections).toBe(0);
});
