/** Entries with `streaming`: directly to the engine, or through the queue when it cannot accept them. */
import { randomBytes } from 'node:crypto';
import { line, SinkSetup } from './sink-setup';

const setup = SinkSetup.forFile();
const STREAMED = { streaming: 'true' };
const posts = (): string[] => setup.emulator.requests.filter((request) => request.includes('/v1/rest/ingest/'));
const allow = async (): Promise<unknown> =>
  await setup.command(`.alter table ${setup.table} policy streamingingestion enable`);
beforeEach(() => {
  // Requests of earlier tests.
  (setup.emulator.requests as string[]).length = 0;
});

test('analytics-sink 55: a small file is streamed to the engine, and no blob is created', async () => {
  await allow();
  setup.emulator.faults.add({ target: 'blob', status: 500 });
  const harness = await setup.start({ 'errors.retry.max.time.ms': '0' }, STREAMED);
  await harness.put([{ value: line('x', 100) }]);
  await setup.committed(harness, 1);
  expect(await setup.rows()).toHaveLength(1);
  expect(posts()).toEqual([`POST /v1/rest/ingest/d/${setup.table}?streamFormat=Csv&mappingName=M`]);
});

test('analytics-sink 56: after three temporary rejections the file is queued', async () => {
  await allow();
  setup.emulator.faults.add({ target: 'streaming', status: 503, times: 3 });
  const harness = await setup.start({}, STREAMED);
  await harness.put([{ value: line('x', 100) }]);
  await setup.committed(harness, 1);
  expect(await setup.rows()).toHaveLength(1);
  expect(posts()).toHaveLength(3);
  // The next one is streamed again.
  await harness.put([{ value: line('y', 100) }]);
  await setup.committed(harness, 2);
  expect(posts()).toHaveLength(4);
});

test('analytics-sink 57: a file of more than 4 MiB is queued', async () => {
  await allow();
  const harness = await setup.start({ 'flush.size.bytes': '6000000' }, STREAMED);
  await harness.put(
    Array.from({ length: 10 }, (_, b) => ({ value: `${randomBytes(450_000).toString('base64')},${b}` })),
  );
  await setup.committed(harness, 10);
  expect(await setup.rows()).toHaveLength(10);
  expect(posts()).toEqual([]);
});

test('analytics-sink 56: without a streaming policy of the table, the file is queued, once', async () => {
  const harness = await setup.start({}, STREAMED);
  await harness.put([{ value: line('x', 100) }]);
  await setup.committed(harness, 1);
  expect(await setup.rows()).toHaveLength(1);
  expect(posts()).toHaveLength(1);
  expect(harness.metrics.value('millrace_analytics_streaming_fallbacks_total')).toBe(1);
  expect(harness.logger.lines.join('\n')).toContain('BadRequest_StreamingIngestionPolicyNotEnabled');
  // With the policy, the next one is streamed.
  await allow();
  await harness.put([{ value: line('y', 100) }]);
  await setup.committed(harness, 2);
  expect(await setup.rows()).toHaveLength(2);
  expect(posts()).toHaveLength(2);
  expect(harness.metrics.value('millrace_analytics_streaming_fallbacks_total')).toBe(1);
});

test('analytics-sink 57: a permanent rejection by the engine fails at once', async () => {
  await allow();
  const harness = await setup.start({}, { ...STREAMED, mapping: 'missing' });
  await harness.put([{ value: line('x', 100) }]);
  expect((await setup.failure(harness)).message).toMatch(
    /after 1 attempt\(s\), .*BadRequest_MappingReferenceWasNotFound/,
  );
  expect(posts()).toHaveLength(1);
  expect(harness.committed()).toBeNull();
});
