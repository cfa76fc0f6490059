/** A worker whose cluster is unreachable: a node that reboots, a name that is not resolved yet, a long outage. */
import { serveCluster, serveStorage } from '../../connectors/analytics/small-service';
import { waitFor } from '../../helpers/wait-for';
import { SinkWorker } from './sink-worker';

const sink = SinkWorker.forFile();

test('analytics-sink 40: a task that starts while the cluster is unreachable reports which key to check, and runs once the cluster is reachable', async () => {
  const topic = await sink.clients.topic();
  await sink.clients.send(topic, ['x,1']);
  const gone = await serveStorage();
  await gone.stop();
  const name = await sink.register(topic, gone.url);
  const trace = await sink.failed(name);
  expect(trace.split('\n')[0]).toContain(
    `${gone.url}/v1/rest/mgmt does not answer: connect ECONNREFUSED 127.0.0.1:${gone.port}. Check "analytics.ingestion.url"`,
  );
  expect(trace).toMatch(/Automatic restart \d+ of 20 is due at /);
  const storage = await serveStorage();
  const cluster = await serveCluster(() => storage.url, gone.port);
  sink.ends.push(storage.stop, cluster.stop);
  await waitFor('the row', () => Promise.resolve(storage.messages.length === 1), { timeoutMs: 60_000 });
  await sink.worker.running(name);
});

test('analytics-sink 40: a file that could not be delivered within errors.retry.max.time.ms is delivered once the storage is back', async () => {
  const topic = await sink.clients.topic();
  let storage = await serveStorage();
  const cluster = await serveCluster(() => storage.url);
  sink.ends.push(cluster.stop, async () => await storage.stop());
  const name = await sink.register(topic, cluster.url, { 'errors.retry.max.time.ms': '0' });
  await sink.worker.running(name);
  await storage.stop();
  await sink.clients.send(topic, ['x,1']);
  const trace = await sink.failed(name);
  expect(trace).toMatch(/-0 offsets 0 to 0, after 1 attempt\(s\), could not be delivered to d\.T: /);
  expect(trace).toMatch(/Automatic restart \d+ of 20 is due at /);
  storage = await serveStorage();
  await waitFor('the row', () => Promise.resolve(storage.messages.length === 1), { timeoutMs: 60_000 });
  await sink.worker.running(name);
});
