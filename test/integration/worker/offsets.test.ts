/** Offsets over REST against a real Kafka: groups that are still in use, killed workers, the order of tombstones. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker, type Answer, type StartedWorker } from '../../../dev/services/worker';
import { Clients } from '../../helpers/kafka-clients';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

const clients = new Clients();
const group = uniqueName('offsets');
let folder: string;
let worker: StartedWorker;

async function start(): Promise<void> {
  worker = await startWorker({
    group,
    settings: { 'session.timeout.ms': '6000', 'heartbeat.interval.ms': '1000', 'offset.flush.interval.ms': '500' },
  });
  await worker.ready();
}
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-offsets-'));
  await start();
});
afterAll(async () => {
  await worker?.stop();
  await clients.close();
  await rm(folder, { recursive: true, force: true });
});

async function stopped(name: string, config: Record<string, string>): Promise<void> {
  const answer = await worker.request('POST', '/connectors', { name, config, initial_state: 'STOPPED' });
  expect([answer.status, answer.body]).toEqual([201, answer.body]);
  await worker.statusWhen(name, ({ connector }) => connector.state === 'STOPPED');
}
const offsets = async (name: string): Promise<unknown> =>
  (await worker.request('GET', `/connectors/${name}/offsets`)).json;

test('connect-runtime 63: the group of a sink that still has a member', async () => {
  const name = uniqueName('sink');
  const topic = await clients.topic(2);
  await stopped(name, { 'connector.class': 'FileStreamSink', topics: topic, file: join(folder, name) });
  const partition = { kafka_topic: topic, kafka_partition: 1 };
  const alter = (offset: unknown): Promise<Answer> =>
    worker.request('PATCH', `/connectors/${name}/offsets`, { offsets: [{ partition, offset }] });
  expect((await alter({ kafka_offset: 0 })).status).toBe(200);

  const zombie = await clients.group(`connect-${name}`);
  zombie.subscribe([topic], { onAssigned: () => undefined, onRevoked: () => undefined, onLost: () => undefined });
  await waitFor('a zombie', async () => {
    await zombie.poll(100);
    return zombie.assignment().length === 2;
  });
  const text = (verb: string): string =>
    `Failed to ${verb} consumer group offsets for connector ${name} either because its tasks haven't stopped completely yet or the connector was resumed before the request to ${verb} its offsets could be successfully completed. If the connector is in a stopped state, this operation can be safely retried. If it doesn't eventually succeed, the Connect cluster may need to be restarted to get rid of the zombie sink tasks.`;
  const answers = [
    await alter({ kafka_offset: 5 }),
    await alter(null),
    await worker.request('DELETE', `/connectors/${name}/offsets`),
  ];
  expect(answers.map(({ json }) => json)).toEqual(
    ['alter', 'alter', 'reset'].map((verb) => ({ error_code: 500, message: text(verb) })),
  );
  expect(await offsets(name)).toEqual({ offsets: [{ partition, offset: { kafka_offset: 0 } }] });

  await zombie.close();
  expect((await alter({ kafka_offset: 5 })).status).toBe(200);
  expect(await offsets(name)).toEqual({ offsets: [{ partition, offset: { kafka_offset: 5 } }] });
  for (let i = 0; i < 2; i++)
    expect((await worker.request('DELETE', `/connectors/${name}/offsets`)).json).toEqual({
      message: 'The offsets for this connector have been reset successfully',
    });
  expect((await clients.admin.listGroups()).map(({ groupId }) => groupId)).not.toContain(`connect-${name}`);
});

test('the group is that of consumer.override.group.id, and a group that does not exist has no offsets to reset', async () => {
  const name = uniqueName('sink');
  const topic = await clients.topic(1);
  const own = uniqueName('group');
  await stopped(name, { 'connector.class': 'FileStreamSink', topics: topic, 'consumer.override.group.id': own });
  const partition = { kafka_topic: topic, kafka_partition: 0 };
  const alter = (offset: unknown): Promise<Answer> =>
    worker.request('PATCH', `/connectors/${name}/offsets`, { offsets: [{ partition, offset }] });
  expect((await alter(null)).status).toBe(200);
  expect((await alter({ kafka_offset: 3 })).status).toBe(200);
  expect(await clients.admin.listGroupOffsets(own)).toEqual([{ topic, partition: 0, offset: 3 }]);
  expect(await offsets(name)).toEqual({ offsets: [{ partition, offset: { kafka_offset: 3 } }] });
});

test('connect-runtime 79: an offsets topic of its own, beside the worker’s', async () => {
  const name = uniqueName('source');
  const [topic, own] = [await clients.topic(1), uniqueName('own-offsets')];
  const file = join(folder, `${name}.in`);
  await writeFile(file, 'one\ntwo\n');
  const config = { 'connector.class': 'FileStreamSource', topic, file, 'offsets.storage.topic': own };
  await worker.register({ name, config });
  await worker.running(name);
  await clients.end(topic, 2);
  const listed = { offsets: [{ partition: { filename: file }, offset: { position: 8 } }] };
  await waitFor('its offsets', async () => JSON.stringify(await offsets(name)) === JSON.stringify(listed));
  expect((await worker.request('PUT', `/connectors/${name}/stop`)).status).toBe(204);
  const [described] = await clients.admin.describeTopics([own]);
  expect([described?.partitions.length, (await clients.admin.topicConfig(own))['cleanup.policy']]).toEqual([
    25,
    'compact',
  ]);

  // Without the setting it resumes with the copy.
  const patched = await worker.request('PATCH', `/connectors/${name}/config`, { 'offsets.storage.topic': null });
  expect(patched.status).toBe(200);
  await waitFor('the same offsets', async () => JSON.stringify(await offsets(name)) === JSON.stringify(listed));
  const back = await worker.request('PATCH', `/connectors/${name}/config`, { 'offsets.storage.topic': own });
  expect(back.status).toBe(200);
  expect((await worker.request('DELETE', `/connectors/${name}/offsets`)).status).toBe(200);
  expect(await offsets(name)).toEqual({ offsets: [] });
  await worker.request('PATCH', `/connectors/${name}/config`, { 'offsets.storage.topic': null });
  expect(await offsets(name)).toEqual({ offsets: [] });
  await clients.admin.deleteTopics([own]);
});

test('a worker that is killed during a change: the same request completes it, and no task has run in between', async () => {
  const name = uniqueName('source');
  const file = join(folder, `${name}.in`);
  await writeFile(file, 'one\n');
  await stopped(name, { 'connector.class': 'FileStreamSource', topic: await clients.topic(1), file });
  const entries = Array.from({ length: 500 }, (_, i) => ({
    partition: { filename: `/${i}` },
    offset: { position: i + 1 },
  }));
  const alter = (): Promise<Answer> => worker.request('PATCH', `/connectors/${name}/offsets`, { offsets: entries });
  const cut = alter().then(
    ({ status }) => status,
    () => 'no answer',
  );
  await waitFor('the change to begin', async () => {
    const listed = (await offsets(name)) as { offsets: unknown[] };
    return listed.offsets.length > 0;
  });
  await worker.crash();
  expect([200, 'no answer']).toContain(await cut);
  await start();
  await worker.statusWhen(name, ({ connector, tasks }) => connector.state === 'STOPPED' && tasks.length === 0);
  await waitFor('the change to be made', async () => (await alter()).status === 200);
  const { offsets: listed } = (await offsets(name)) as { offsets: typeof entries };
  expect(listed.sort((a, b) => a.offset.position - b.offset.position)).toEqual(entries);
});
