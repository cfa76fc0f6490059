/**
 * How the sink queues files and detects whether they were loaded: by the service's REST API, its status table, or
 * neither.
 */
import type { SinkTaskHarness } from '@millrace/sdk/testing';
import { line, SinkSetup } from './sink-setup';

const setup = SinkSetup.forFile();
const ONE = { value: line('x', 100) };
const INGESTED = { 'analytics.ingest.confirm': 'ingested' };
const POSTED = /^POST \/v1\/rest\/ingestion\/queued\//;

afterEach(() => {
  setup.emulator.resources.hasStatusTable = true;
});

/** The response of a cluster without the preview. */
function withoutRest(): void {
  setup.emulator.faults.add({ target: 'ingestion', status: 404, body: '{}' });
}
const startWithTable = async (more: Record<string, string> = {}, entry = {}): Promise<SinkTaskHarness> => {
  withoutRest();
  return await setup.start({ ...INGESTED, ...more }, entry);
};
/** Requests since then that queue a file by REST. */
async function handedOverByRest(work: () => Promise<void>): Promise<number> {
  const before = setup.emulator.requests.length;
  await work();
  return setup.emulator.requests.slice(before).filter((request) => POSTED.test(request)).length;
}

test('analytics-sink 41: without the REST interface, the status table confirms that rows are loaded', async () => {
  setup.emulator.ingestor.isPaused = true;
  const harness = await startWithTable();
  expect(harness.logger.lines).toContain('info The service reports the status of each file in its status table');
  const byRest = await handedOverByRest(async () => {
    await harness.put([ONE]);
    await setup.someQueued();
    await harness.commit();
    expect(harness.committed()).toBeNull();
    setup.emulator.ingestor.isPaused = false;
    await setup.committed(harness, 1);
  });
  expect(byRest).toBe(0);
  expect(await setup.loaded()).toEqual([1]);
});

test('analytics-sink 41: a failure reported by the status table fails the task with the service’s code', async () => {
  const harness = await startWithTable({}, { mapping: 'Missing' });
  await harness.put([ONE]);
  expect((await setup.failure(harness)).message).toMatch(/could not load .*BadRequest_MappingReferenceWasNotFound/);
  await harness.commit();
  expect(harness.committed()).toBeNull();
});

test('analytics-sink 47: an unreachable status table, and one whose access expires, are requested again', async () => {
  setup.emulator.resources.sasLifetimeMs = 1_000;
  try {
    const harness = await startWithTable();
    setup.emulator.ingestor.isPaused = true;
    setup.emulator.faults.add({ target: 'table', status: 503, times: 3 });
    await harness.put([ONE]);
    await setup.someQueued();
    // Longer than the lifetime of the SAS with which the file was queued.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    setup.emulator.resources.sasLifetimeMs = 3_600_000;
    setup.emulator.ingestor.isPaused = false;
    await harness.put([]);
    await expect(setup.failure(harness)).resolves.toMatchObject({
      message: expect.stringContaining('Download_Forbidden'),
    });
  } finally {
    setup.emulator.resources.sasLifetimeMs = 3_600_000;
  }
});

describe.each([
  ['the status table', startWithTable],
  ['REST', async (more: Record<string, string>) => await setup.start({ ...INGESTED, ...more })],
  ['nothing', async (more: Record<string, string>) => await setup.start(more)],
])('analytics-sink 49: with tags and confirmation by %s', (confirmation, start) => {
  /** Returns the log. */
  async function deliver(topicId: string | null): Promise<string[]> {
    const harness = await start({ 'analytics.dedupe.tags': 'true' });
    if (topicId !== null) harness.topicIds.set('t', topicId);
    await harness.put([ONE]);
    await setup.committed(harness, 1);
    await setup.stop(harness);
    await setup.emulator.ingestor.flush();
    return harness.logger.lines.filter((text) => text.startsWith('warn'));
  }

  test('a file that is sent again with the same offsets is loaded once and counts as loaded, with a warning', async () => {
    await deliver('kFZG0BQhSUmcWNb2LsSmHw');
    const warnings = await deliver('kFZG0BQhSUmcWNb2LsSmHw');
    expect(await setup.loaded()).toEqual([1]);
    // Only the status table tells a skipped file from one that was loaded.
    expect(warnings).toEqual(
      confirmation === 'the status table'
        ? [
            expect.stringMatching(
              /^warn The service skipped kafka_t_0_0-0\.csv\.gz for d\.T_\w+: .*ingest-by:t-0-0-0-kFZG/,
            ),
          ]
        : [],
    );
  });

  test('a topic that was deleted and created again: its records are loaded, although the offsets are the same', async () => {
    await deliver('kFZG0BQhSUmcWNb2LsSmHw');
    expect(await deliver('8rT3hJ5CSKqEo3Sg4cyBpw')).toEqual([]);
    expect(await setup.loaded()).toEqual([1, 1]);
  });

  test('brokers without topic ids: files have no tags, with a warning, because offsets alone do not identify records', async () => {
    for (let delivery = 0; delivery < 2; delivery++)
      expect(await deliver(null)).toEqual([
        'warn "analytics.dedupe.tags" has no effect on t: its brokers report no topic id, which tells its records from those of an earlier topic t',
      ]);
    expect(await setup.loaded()).toEqual([1, 1]);
  });
});

test('a cluster that supports neither is rejected at startup', async () => {
  setup.emulator.resources.hasStatusTable = false;
  await expect(startWithTable()).rejects.toMatchObject({
    code: 'ANALYTICS_OFFER',
    message:
      'The cluster does not offer the status of single files, by REST or in a status table; set "analytics.ingest.confirm" to queued.',
  });
});

test('a cluster that is busy when its capabilities are requested is requested again', async () => {
  setup.emulator.faults.add({ target: 'ingestion', status: 503, times: 1 });
  const harness = await setup.start(INGESTED);
  expect(harness.logger.lines).toContain('info The service reports the status of each file by its REST API');
});

test('analytics.ingest.protocol=rest queues files by REST and does not wait for their rows', async () => {
  setup.emulator.ingestor.isPaused = true;
  const harness = await setup.start({ 'analytics.ingest.protocol': 'rest' });
  const byRest = await handedOverByRest(async () => {
    await harness.put([ONE]);
    await setup.committed(harness, 1);
  });
  expect([byRest, await setup.queued()]).toEqual([1, 0]);
  setup.emulator.ingestor.isPaused = false;
  expect(await setup.rows()).toHaveLength(1);
});

test('analytics.ingest.protocol=rest on a cluster without it is rejected at startup', async () => {
  withoutRest();
  await expect(setup.start({ 'analytics.ingest.protocol': 'rest' })).rejects.toMatchObject({
    code: 'ANALYTICS_OFFER',
    message: 'The cluster does not offer queued ingestion by REST; set "analytics.ingest.protocol" to queue.',
  });
});
