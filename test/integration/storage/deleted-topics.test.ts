/** Storage topics that are deleted while a worker runs: it says so, and creates again what it can write again. */
import { join } from 'node:path';
import { Kafka, logLevel, type Admin } from 'kafkajs';
import { startBroker } from '../../../dev/services/broker';
import { ROOT } from '../../../dev/services/paths';
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

const group = uniqueName('deleted');
const idle = { 'connector.class': 'dev.IdleSourceConnector', 'tasks.max': '1' };
let stopBroker: () => Promise<unknown> = () => Promise.resolve();
let worker: StartedWorker;
let admin: Admin;

beforeAll(async () => {
  const broker = await startBroker();
  stopBroker = broker.stop;
  admin = new Kafka({ brokers: [broker.bootstrapServers], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  const settings = { 'plugin.path': join(ROOT, 'dev', 'plugins') };
  worker = await startWorker({ bootstrapServers: broker.bootstrapServers, group, settings });
  await worker.ready();
  await worker.register({ name: 'c', config: idle });
  const lines = {
    'connector.class': 'FileStreamSource',
    file: join(worker.folder, 'none.txt'),
    topic: `${group}-lines`,
  };
  await worker.register({ name: 'lines', config: lines });
  await Promise.all([worker.running('c'), worker.running('lines')]);
});
afterAll(async () => {
  await admin?.disconnect();
  await worker?.stop();
  await stopBroker();
});

async function deleteTopic(topic: string): Promise<void> {
  await admin.deleteTopics({ topics: [topic] });
  await waitFor('its deletion', async () => !(await admin.listTopics()).includes(topic));
}

test.each(['offsets', 'status'])(
  'the %s topic is deleted: the worker creates it again, reports the loss, and a restarted source runs on',
  async (topic) => {
    await deleteTopic(`${group}-${topic}`);
    expect((await worker.request('POST', '/connectors/lines/restart?includeTasks=true')).status).toBe(202);
    await waitFor('the line of the log', () => worker.process.log().includes(`'${group}-${topic}' (`));
    expect(worker.process.log()).toMatch(/was deleted while the worker was running, and has been created again/);
    await worker.running('lines');
    expect(await admin.listTopics()).toContain(`${group}-${topic}`);
  },
);

test('the config topic is deleted: a change fails with the cause, health says it, and tasks run on', async () => {
  await deleteTopic(`${group}-configs`);
  const cause = `Storage topic '${group}-configs' (config.storage.topic) was deleted while the worker was running`;
  for (const [method, path, body] of [
    ['PUT', '/connectors/c/config', { ...idle, x: '1' }],
    ['PUT', '/connectors/d/config', idle],
    ['DELETE', '/connectors/c', undefined],
  ] as const) {
    const answer = await worker.request(method, path, body);
    expect([answer.status, answer.body]).toEqual([500, expect.stringContaining(cause)]);
  }
  expect(await worker.request('GET', '/health')).toMatchObject({ status: 500, body: expect.stringContaining(cause) });
  expect(await admin.listTopics()).not.toContain(`${group}-configs`);
  await worker.running('c');
  // Restored, here empty.
  await admin.createTopics({
    topics: [{ topic: `${group}-configs`, configEntries: [{ name: 'cleanup.policy', value: 'compact' }] }],
  });
  expect((await worker.request('PUT', '/connectors/d/config', idle)).status).toBe(201);
  await worker.running('d');
  expect((await worker.request('GET', '/health')).status).toBe(200);
});
