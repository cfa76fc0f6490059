/** What a task reports in the worker's `GET /metrics`. */
import type { SinkTaskHarness } from '@millrace/sdk/testing';
import { waitFor } from '../../helpers/wait-for';
import { serve, serveCluster, serveStorage } from './small-service';
import { SmallSink } from './small-sink';

const sink = SmallSink.forFile();
const ROW = JSON.stringify({ a: 'x'.repeat(100) });
const JSON_TABLE = { 'analytics.tables.topics.mapping': `[{'topic':'*','db':'d','table':'T','format':'json'}]` };
const QUEUE = {
  'misc.deadletterqueue.bootstrap.servers': 'one:9093',
  'misc.deadletterqueue.topic.name': 'dead',
};

async function clusterOf(storage: { url: string; stop(): Promise<void> }): Promise<string> {
  const cluster = await serveCluster(() => storage.url);
  sink.atEnd(storage.stop);
  sink.atEnd(cluster.stop);
  return cluster.url;
}

function figures({ metrics }: SinkTaskHarness, ...names: string[]): (number | undefined)[] {
  return names.map((name) => metrics.value(`millrace_analytics_${name}`));
}
const RECORDS = ['records_written_total', 'records_failed_total', 'dlq_records_sent_total', 'records_dropped_total'];
const INGESTION = ['ingestion_attempts_total', 'ingestion_successes_total', 'ingestion_failures_total'];

test('the Java sink’s six counters start at 0, and count records and files', async () => {
  const config = { ...JSON_TABLE, ...QUEUE, 'behavior.on.error': 'log' };
  const harness = await sink.start(await clusterOf(await serveStorage()), config);
  expect(figures(harness, ...RECORDS, ...INGESTION)).toEqual([0, 0, 0, 0, 0, 0, 0]);
  await harness.put([{ value: '{"a":1}' }, { value: '{' }, { value: null }, { value: ROW }]);
  await sink.committed(harness, 4);
  expect(figures(harness, ...RECORDS)).toEqual([2, 1, 1, 0]);
  expect(figures(harness, ...INGESTION)).toEqual([1, 1, 0]);
  const [raw, sent] = figures(harness, 'bytes_uncompressed_total', 'bytes_uploaded_total');
  expect(raw).toBe('{"a":1}\n'.length + ROW.length + 1);
  expect(sent).toBeGreaterThan(0);
});

test('a record that is dropped without a dead letter queue is counted', async () => {
  const config = { ...JSON_TABLE, 'behavior.on.error': 'ignore' };
  const harness = await sink.start(await clusterOf(await serveStorage()), config);
  await harness.put([{ value: '{' }]);
  await sink.committed(harness, 1);
  expect(figures(harness, ...RECORDS)).toEqual([0, 1, 0, 1]);
});

test('a file that the storage rejects first counts as two attempts; the gauges show the files', async () => {
  let isDown = true;
  const storage = await serve((request, response) => {
    request.resume().on('end', () => response.writeHead(isDown ? 503 : 201).end());
  });
  const harness = await sink.start(await clusterOf(storage), JSON_TABLE);
  await harness.put([{ value: '{"a":1}' }]);
  expect(figures(harness, 'open_files', 'inflight_files')).toEqual([1, 0]);
  expect(figures(harness, 'oldest_undelivered_seconds')).toEqual([expect.any(Number)]);
  await harness.put([{ value: ROW }]);
  expect(figures(harness, 'open_files', 'inflight_files')).toEqual([0, 1]);
  expect(harness.connection.isUp).toBe(true);
  await waitFor('an attempt to fail', () => figures(harness, 'ingestion_failures_total')[0] !== 0);
  await waitFor('it to be reported', () => harness.connection.isUp === false);
  const [problem] = harness.connection.problems;
  expect(problem).toMatchObject({
    reason: expect.stringMatching(/^Files cannot be delivered to d\.T: .*503/),
    code: 'ANALYTICS_SERVICE',
    nextTryAt: expect.any(Number),
  });
  expect(problem?.reason).not.toContain('sig=');
  isDown = false;
  await sink.committed(harness, 2);
  expect(harness.connection.isUp).toBe(true);
  const [attempts = 0, successes, failures = 0] = figures(harness, ...INGESTION);
  expect([attempts, successes]).toEqual([failures + 1, 1]);
  // Removed from the disk after its offset can be committed.
  await waitFor('no file in flight', () => figures(harness, 'inflight_files')[0] === 0);
  expect(figures(harness, 'open_files', 'oldest_undelivered_seconds')).toEqual([0, 0]);
});
