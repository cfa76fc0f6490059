/** Storage that is not at the URLs that the service named last. */
import { waitFor } from '../../helpers/wait-for';
import { serveCluster, serveStorage } from './small-service';
import { SmallSink } from './small-sink';

const sink = SmallSink.forFile();
const ROW = { value: 'x'.repeat(100) };

test('analytics-sink 40: the URLs of storage that has moved are read again when it is unreachable, and the rows arrive there', async () => {
  let storage = await serveStorage();
  const cluster = await serveCluster(() => storage.url);
  sink.atEnd(cluster.stop);
  const harness = await sink.start(cluster.url, { 'errors.retry.max.time.ms': '2000' });
  await storage.stop();
  storage = await serveStorage();
  sink.atEnd(async () => await storage.stop());
  await harness.put([ROW]);
  await sink.committed(harness, 1);
  expect(storage.messages).toHaveLength(1);
});

test('analytics-sink 40: a queue that has moved after the file was uploaded', async () => {
  const storage = await serveStorage();
  sink.atEnd(storage.stop);
  const gone = await serveStorage();
  await gone.stop();
  let queue = gone.url;
  const cluster = await serveCluster(
    () => storage.url,
    0,
    () => queue,
  );
  sink.atEnd(cluster.stop);
  const harness = await sink.start(cluster.url, { 'errors.retry.max.time.ms': '0' });
  queue = storage.url;
  await harness.put([ROW]);
  await sink.committed(harness, 1);
  expect(storage.messages).toHaveLength(1);
});

test('analytics-sink 40: the URLs of unreachable storage are read once per attempt', async () => {
  const storage = await serveStorage();
  await storage.stop();
  const cluster = await serveCluster(() => storage.url);
  sink.atEnd(cluster.stop);
  const harness = await sink.start(cluster.url, { 'errors.retry.max.time.ms': '0' });
  await harness.put([ROW]);
  const error = await waitFor(
    'the task to fail',
    async () =>
      await harness.put([]).then(
        () => null,
        (e: Error) => e,
      ),
  );
  expect(error.message).toMatch(/after 1 attempt\(s\), .*account\/container\/\S+ does not answer: .*ECONNREFUSED/);
  expect(cluster.asked.resources).toBe(2);
});
