/** Lags as a scrape of another thread reads them, while a consumer and its owner move. */
import {
  MAX_PARTITION_LAGS,
  PartitionLagReader,
  PartitionLags,
  type PartitionBehind,
  type PartitionLag,
} from '../../src/metrics/partition-lags';

const NOW = 1_000_000;
const at = { topic: 't', partition: 0 };

function setUp(tracked = true): { lags: PartitionLags; reader: PartitionLagReader } {
  const reader = new PartitionLagReader();
  const lags = new PartitionLags((partitions) => reader.add(structuredClone(partitions)));
  if (tracked) lags.trackProcessing();
  return { lags, reader };
}

/** A partition of a sink that was assigned at offset 10, and what a scrape `ms` after `NOW` reads. */
async function assigned(tracked = true): Promise<{ lag: PartitionLag; read(ms?: number): Partial<PartitionBehind> }> {
  const { lags, reader } = setUp(tracked);
  const lag = lags.of(at) as PartitionLag;
  lag.assign();
  lag.sought(10, NOW);
  await Promise.resolve();
  const read = (ms = 0): Partial<PartitionBehind> => {
    const { topic, partition, fetchLag, records, seconds } = reader.read(NOW + ms)[0] as PartitionBehind;
    expect({ topic, partition }).toEqual(at);
    return { fetchLag, records, seconds };
  };
  return { lag, read };
}

test('the lag is unknown before the first response, and 0 at the end', async () => {
  const { lag, read } = await assigned();
  expect(read()).toEqual({ fetchLag: null, records: null, seconds: null });
  lag.ended(10, NOW);
  expect(read(5000)).toEqual({ fetchLag: 0, records: 0, seconds: 0 });
});

test('records that were not fetched yet are as old as the response that shows them', async () => {
  const { lag, read } = await assigned();
  lag.ended(10, NOW);
  lag.ended(13, NOW + 1000);
  lag.ended(15, NOW + 2000);
  expect(read(3000)).toEqual({ fetchLag: 5, records: 5, seconds: 2 });
});

test('a put that does not return: the age of its first record grows, the consumer itself is not behind', async () => {
  const { lag, read } = await assigned();
  lag.ended(13, NOW);
  lag.took(13, 13, NOW - 7000, NOW - 6000, NOW);
  expect(read()).toEqual({ fetchLag: 0, records: 3, seconds: 7 });
  expect(read(60_000)).toEqual({ fetchLag: 0, records: 3, seconds: 67 });
});

test('while a batch is redelivered, later responses and batches do not make the lag younger', async () => {
  const { lag, read } = await assigned();
  lag.ended(13, NOW);
  lag.took(12, 12, NOW - 7000, NOW - 6000, NOW);
  lag.took(13, 13, NOW - 1000, NOW - 1000, NOW);
  lag.ended(20, NOW + 1000);
  lag.skipped(14, NOW + 1000);
  expect(read(1000)).toEqual({ fetchLag: 6, records: 10, seconds: 8 });
});

test('a processed batch leaves the records after it, which are not older than its last one', async () => {
  const { lag, read } = await assigned();
  lag.ended(20, NOW);
  lag.took(13, 13, NOW - 7000, NOW - 6000, NOW);
  lag.processedTo(13, NOW);
  expect(read()).toEqual({ fetchLag: 7, records: 7, seconds: 6 });
  lag.took(20, 20, NOW - 5000, NOW - 4000, NOW);
  expect(read()).toMatchObject({ records: 7, seconds: 5 });
  lag.processedTo(20, NOW);
  expect(read()).toEqual({ fetchLag: 0, records: 0, seconds: 0 });
});

test('the markers of transactions and compacted offsets after the last record count as processed with it', async () => {
  const { lag, read } = await assigned();
  lag.ended(15, NOW);
  lag.took(15, 13, NOW - 1000, NOW - 1000, NOW);
  lag.processedTo(13, NOW);
  expect(read()).toMatchObject({ records: 0, seconds: 0 });
  lag.ended(17, NOW);
  lag.skipped(17, NOW);
  expect(read(9000)).toEqual({ fetchLag: 0, records: 0, seconds: 0 });
});

test('the position is that of the consumer, before and after records are processed', async () => {
  const { lags, reader } = setUp();
  const lag = lags.of(at) as PartitionLag;
  lag.assign();
  await Promise.resolve();
  const position = (): number | null | undefined => reader.read(NOW)[0]?.position;
  expect(position()).toBeNull();
  lag.sought(10, NOW);
  expect(position()).toBe(10);
  lag.took(13, 13, NOW, NOW, NOW);
  expect(position()).toBe(13);
});

test('after a rewind the records are behind again', async () => {
  const { lag, read } = await assigned();
  lag.ended(13, NOW);
  lag.took(13, 13, NOW - 7000, NOW - 6000, NOW);
  lag.processedTo(13, NOW);
  lag.sought(10, NOW);
  expect(read(1000)).toEqual({ fetchLag: 3, records: 3, seconds: 1 });
});

test.each([
  ['in the future', NOW + 100_000],
  ['absent', -1],
  ['1970', 0],
])('a time of a record that is %s is not used', async (_case, recordedAt) => {
  const { lag, read } = await assigned();
  lag.ended(13, NOW);
  lag.took(13, 13, recordedAt, recordedAt, NOW);
  expect(read(2000)).toMatchObject({ records: 3, seconds: 2 });
});

test('a partition that is revoked has no lag; when it comes back, nothing of before is left', async () => {
  const { lags, reader } = setUp();
  const lag = lags.of(at) as PartitionLag;
  lag.assign();
  lag.sought(10, NOW);
  lag.ended(90, NOW);
  await Promise.resolve();
  lag.unassign();
  expect(reader.read(NOW)).toEqual([]);
  const again = lags.of(at) as PartitionLag;
  again.assign();
  again.sought(90, NOW);
  await Promise.resolve();
  expect(reader.read(NOW)).toEqual([{ ...at, position: 90, fetchLag: null, records: null, seconds: null }]);
});

test('a consumer whose owner does not report what it processed has a fetch lag only', async () => {
  const { lag, read } = await assigned(false);
  lag.ended(13, NOW);
  expect(lag.took(11, 11, NOW, NOW, NOW)).toBe(2);
  expect(read()).toEqual({ fetchLag: 2, records: null, seconds: null });
});

test('the number of partitions is bounded', async () => {
  const { lags, reader } = setUp();
  for (let partition = 0; partition < MAX_PARTITION_LAGS; partition++) lags.of({ topic: 't', partition })?.assign();
  expect(lags.of({ topic: 't', partition: MAX_PARTITION_LAGS })).toBeNull();
  await Promise.resolve();
  expect(reader.read(NOW)).toHaveLength(MAX_PARTITION_LAGS);
});
