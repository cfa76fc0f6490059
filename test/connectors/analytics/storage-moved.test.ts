/** Storage that is somewhere else than the service said last. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { analyticsSink } from '@millrace/connector-analytics';
import { SinkTaskHarness } from '@millrace/sdk/testing';
import { waitFor } from '../../helpers/wait-for';
import { serveCluster, serveStorage } from './small-service';

let folder: string;
const ends: (() => Promise<void>)[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-moved-'));
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  await rm(folder, { recursive: true, force: true });
});

async function start(url: string, overrides: Record<string, string> = {}): Promise<SinkTaskHarness> {
  const harness = await SinkTaskHarness.start(analyticsSink, {
    topics: 't',
    'analytics.url': url,
    'idp.auth.strategy': 'none',
    'analytics.tables.topics.mapping': `[{'topic':'t','db':'d','table':'T'}]`,
    'flush.size.bytes': '100',
    'tempdir.path': folder,
    'errors.retry.backoff.time.ms': '20',
    ...overrides,
  });
  ends.push(async () => await harness.stop());
  return harness;
}

const ROW = { value: 'x'.repeat(100) };

async function committed(harness: SinkTaskHarness, offset: number): Promise<void> {
  await waitFor(
    `offset ${offset} to be committed`,
    async () => {
      await harness.put([]);
      await harness.commit();
      return harness.committed() === offset;
    },
    { detail: () => harness.logger.lines.join('\n') },
  );
}

test('analytics-sink 40: storage that has moved is asked for anew when it cannot be connected to, and the rows go there', async () => {
  let storage = await serveStorage();
  const cluster = await serveCluster(() => storage.url);
  ends.push(cluster.stop);
  const harness = await start(cluster.url, { 'errors.retry.max.time.ms': '2000' });
  await storage.stop();
  storage = await serveStorage();
  ends.push(async () => await storage.stop());
  await harness.put([ROW]);
  await committed(harness, 1);
  expect(storage.messages).toHaveLength(1);
});

test('analytics-sink 40: a queue that has moved after the file was uploaded', async () => {
  const storage = await serveStorage();
  ends.push(storage.stop);
  const gone = await serveStorage();
  await gone.stop();
  let queue = gone.url;
  const cluster = await serveCluster(
    () => storage.url,
    0,
    () => queue,
  );
  ends.push(cluster.stop);
  const harness = await start(cluster.url, { 'errors.retry.max.time.ms': '0' });
  queue = storage.url;
  await harness.put([ROW]);
  await committed(harness, 1);
  expect(storage.messages).toHaveLength(1);
});

test('analytics-sink 40: storage that is only away is asked for once for each try, not more', async () => {
  const storage = await serveStorage();
  await storage.stop();
  const cluster = await serveCluster(() => storage.url);
  ends.push(cluster.stop);
  const harness = await start(cluster.url, { 'errors.retry.max.time.ms': '0' });
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
