/** A cluster that is not there, as a worker meets it: a node that has rebooted, a name that is not known yet, an outage that lasts. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { serveCluster, serveStorage } from '../../connectors/analytics/small-service';
import { Clients } from '../../helpers/kafka-clients';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

const clients = new Clients();
const ends: (() => Promise<void>)[] = [];
let worker: StartedWorker;
let tempdir: string;

beforeAll(async () => {
  tempdir = await mkdtemp(join(tmpdir(), 'millrace-away-'));
  worker = await startWorker({ group: uniqueName('away'), settings: { 'offset.flush.interval.ms': '100' } });
  await worker.ready();
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});
afterAll(async () => {
  await worker?.stop();
  await clients.close();
  await rm(tempdir, { recursive: true, force: true });
});

async function register(topic: string, url: string, more: Record<string, string> = {}): Promise<string> {
  const name = uniqueName('storms');
  const config = {
    'connector.class': 'AnalyticsSinkConnector',
    topics: topic,
    'analytics.url': url,
    'idp.auth.strategy': 'none',
    'analytics.tables.topics.mapping': `[{'topic':'${topic}','db':'d','table':'T'}]`,
    'flush.interval.ms': '100',
    'tempdir.path': tempdir,
    'key.converter': 'org.apache.kafka.connect.storage.StringConverter',
    'value.converter': 'org.apache.kafka.connect.storage.StringConverter',
    ...more,
  };
  await worker.register({ name, config });
  return name;
}

async function failedWith(name: string): Promise<string> {
  return await waitFor(`the task of ${name} to fail`, async () => {
    const [task] = (await worker.status(name)).tasks;
    return task?.state === 'FAILED' && task.trace;
  });
}

test('analytics-sink 40: a task that starts while the cluster cannot be reached says which key to check, and runs once the cluster is there', async () => {
  const topic = await clients.topic();
  await clients.send(topic, ['x,1']);
  const gone = await serveStorage();
  await gone.stop();
  const name = await register(topic, gone.url);
  const trace = await failedWith(name);
  expect(trace.split('\n')[0]).toContain(
    `${gone.url}/v1/rest/mgmt does not answer: connect ECONNREFUSED 127.0.0.1:${gone.port}. Check "analytics.ingestion.url"`,
  );
  expect(trace).toMatch(/Automatic restart \d+ of 20 is due at /);
  const storage = await serveStorage();
  const cluster = await serveCluster(() => storage.url, gone.port);
  ends.push(storage.stop, cluster.stop);
  await waitFor('the row', () => Promise.resolve(storage.messages.length === 1), { timeoutMs: 60_000 });
  await worker.running(name);
});

test('analytics-sink 40: a file that could not be delivered for longer than errors.retry.max.time.ms is delivered once the storage is back', async () => {
  const topic = await clients.topic();
  let storage = await serveStorage();
  const cluster = await serveCluster(() => storage.url);
  ends.push(cluster.stop, async () => await storage.stop());
  const name = await register(topic, cluster.url, { 'errors.retry.max.time.ms': '0' });
  await worker.running(name);
  await storage.stop();
  await clients.send(topic, ['x,1']);
  const trace = await failedWith(name);
  expect(trace).toMatch(/-0 offsets 0 to 0, after 1 attempt\(s\), could not be delivered to d\.T: /);
  expect(trace).toMatch(/Automatic restart \d+ of 20 is due at /);
  storage = await serveStorage();
  await waitFor('the row', () => Promise.resolve(storage.messages.length === 1), { timeoutMs: 60_000 });
  await worker.running(name);
});
