/**
 * Texts that are in records and requests and return in errors: they must be processed in linear time, fill neither log
 * nor status, and keep the worker neither from its group nor from its clients.
 */
import { cpuSeconds } from '../../bench/lib/usage';
import { startWorker, type StartedWorker } from '../../dev/services/worker';
import { fileSinkConfig } from '../helpers/file-sink-config';
import { Clients } from '../helpers/kafka-clients';
import { uniqueName } from '../helpers/unique-name';
import { waitFor } from '../helpers/wait-for';

/** Ends no expression early, and may start a URL with each letter. */
const HOSTILE = 'a.';
const clients = new Clients();
let worker: StartedWorker;

beforeAll(async () => {
  worker = await startWorker({
    group: uniqueName('hostile'),
    settings: { 'session.timeout.ms': '6000', 'heartbeat.interval.ms': '1000', 'errors.restart.backoff.ms': '100' },
  });
  await worker.ready();
});
afterAll(async () => {
  await worker?.stop();
  await clients.close();
});

const longestLine = (): number =>
  Math.max(
    ...worker.process
      .log()
      .split('\n')
      .map((line) => line.length),
  );

test('records of 80 KB that Cast cannot parse, read again after a restart: the worker answers and stays in its group', async () => {
  const topic = await clients.topic();
  await clients.send(topic, [HOSTILE.repeat(40_000)]);
  const name = uniqueName('cast');
  const began = cpuSeconds(worker.pid);
  await worker.register({
    name,
    config: {
      ...fileSinkConfig(topic, `${worker.folder}/out.txt`),
      transforms: 'number',
      'transforms.number.type': 'org.apache.kafka.connect.transforms.Cast$Value',
      'transforms.number.spec': 'int32',
      'errors.log.enable': 'true',
      'errors.log.include.messages': 'true',
    },
  });
  for (const failures of [1, 2]) {
    await waitFor(`failure ${failures}`, async () => {
      expect((await worker.request('GET', '/')).status).toBe(200);
      return worker.process.log().split('The task failed: ').length > failures;
    });
    if (failures === 1) await worker.request('POST', `/connectors/${name}/tasks/0/restart`);
  }
  const { tasks } = await worker.statusWhen(name, (status) => status.tasks[0]?.state === 'FAILED');
  expect(tasks[0]?.trace).toMatch(
    / failed: .*a\.a… \([\d,]+ more characters\)\. Correct the record .*\nCaused by: .*a… \([\d,]+ more characters\)/s,
  );
  expect(tasks[0]?.trace?.length).toBeLessThan(20_000);
  expect(worker.process.log()).not.toContain('lost its group membership');
  expect(longestLine()).toBeLessThan(20_000);
  // One scan of one such text cost 4 s, and a failure has five of them.
  expect(cpuSeconds(worker.pid) - began).toBeLessThan(15);
  await worker.request('DELETE', `/connectors/${name}`);
});

test.each([
  ['an override', 'consumer.override.fetch.min.bytes', HOSTILE.repeat(80_000), 500],
  ['a number', 'tasks.max', HOSTILE.repeat(80_000), 400],
  ['a class', 'connector.class', HOSTILE.repeat(80_000), 400],
  ['a list of blanks', 'transforms', `a${' '.repeat(160_000)}b`, 400],
  ['a URL that never begins', 'value.converter', 'a://'.repeat(40_000), 400],
  ['a fraction that never ends', 'consumer.override.sasl.login.refresh.window.factor', `${'9'.repeat(160_000)}x`, 500],
])(
  '%s of 160 KB by REST: rejected with a short text, and other requests are answered',
  async (_, key, value, status) => {
    const began = cpuSeconds(worker.pid);
    const config = { ...fileSinkConfig('t', `${worker.folder}/out.txt`), name: 'c', 'tasks.max': 'x', [key]: value };
    const [created, root] = await Promise.all([
      worker.request('POST', '/connectors', { name: 'c', config }),
      worker.request('GET', '/'),
    ]);
    expect([created.status, root.status]).toEqual([status, 200]);
    expect(created.body.length).toBeLessThan(40_000);
    await worker.request('PUT', `/connector-plugins/FileStreamSink/config/validate`, config);
    expect(longestLine()).toBeLessThan(20_000);
    expect(cpuSeconds(worker.pid) - began).toBeLessThan(10);
  },
);
