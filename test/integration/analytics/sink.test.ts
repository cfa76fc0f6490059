/** The sink task against the emulator: records become files, files become rows, offsets follow. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import avro from 'avsc';
import { schema, structSchema } from '@millrace/sdk';
import { waitFor } from '../../helpers/wait-for';
import { line, SinkSetup } from './sink-setup';

const setup = SinkSetup.forFile();
const ROW = structSchema([
  ['a', schema('STRING')],
  ['b', schema('INT32')],
]);

test('analytics-sink 20, 30, 38: text rows arrive; files are private and deleted afterwards', async () => {
  const { folder } = setup;
  const harness = await setup.start();
  await harness.put([{ value: 'x,1' }, { value: 'Žluťoučký 🐎 конь,2' }]);
  const [name = ''] = await readdir(folder);
  expect((await stat(join(folder, name))).mode & 0o777).toBe(0o700);
  const [file = ''] = (await readdir(join(folder, name))).filter((entry) => entry.startsWith('kafka_'));
  expect(file).toBe('kafka_t_0_0.csv.gz.part');
  expect((await stat(join(folder, name, file))).mode & 0o777).toBe(0o600);
  await harness.put([{ value: `${'y'.repeat(100)},3` }]);
  await setup.committed(harness, 3);
  expect(await setup.rows()).toEqual([
    ['x', 1],
    ['Žluťoučký 🐎 конь', 2],
    ['y'.repeat(100), 3],
  ]);
  expect(await readdir(join(folder, name))).toEqual(['alive', 'lock']);
  await setup.stop(harness);
  expect(await readdir(folder)).toEqual([]);
});

test('analytics-sink 32: 99 bytes wait, the hundredth ships the file', async () => {
  const harness = await setup.start();
  await harness.put([{ value: line('x', 99) }]);
  await harness.put([]);
  await harness.commit();
  expect(harness.committed()).toBeNull();
  await harness.put([{ value: '' }]);
  await setup.committed(harness, 2);
  await setup.emulator.ingestor.flush();
  expect(await setup.loaded()).toHaveLength(1);
});

test('analytics-sink 34: a file is closed when it reaches the size, and is named by its offsets', async () => {
  const harness = await setup.start({ 'flush.size.bytes': '1000', 'analytics.max.inflight.files': '100' });
  await harness.put(Array.from({ length: 1000 }, (_, i) => ({ value: line(String(i), 50) })));
  await setup.committed(harness, 1000);
  expect(await setup.rows()).toHaveLength(1000);
  expect(await setup.loaded()).toEqual(Array.from({ length: 50 }, () => 20));
});

test('analytics-sink 33: a single record is shipped when its interval expires, not before, and the task requests that time from the worker', async () => {
  const harness = await setup.start({ 'flush.interval.ms': '400' });
  const before = performance.now();
  await harness.put([{ value: 'x,1' }]);
  expect(harness.requestedTimeout).toBeLessThanOrEqual(400);
  await setup.committed(harness, 1);
  // Clocks with millisecond resolution may differ by one.
  expect(performance.now() - before).toBeGreaterThan(398);
  expect(await setup.rows()).toEqual([['x', 1]]);
});

test('analytics-sink 35: each partition has its own files', async () => {
  const assignment = [0, 1].map((partition) => ({ topic: 't', partition }));
  const harness = await setup.start({ 'flush.interval.ms': '100' }, {}, { assignment });
  await harness.put([0, 1, 0, 1].map((partition, b) => ({ value: `${partition},${b}`, partition })));
  await setup.committed(harness, 2, 0);
  await setup.committed(harness, 2, 1);
  expect(await setup.rows()).toHaveLength(4);
  expect(await setup.loaded()).toEqual([2, 2]);
});

test('analytics-sink 35: a record that a transformation reroutes belongs to the partition it was consumed from', async () => {
  const harness = await setup.start({ 'flush.interval.ms': '100' });
  const elsewhere = { topic: 'elsewhere', partition: 7, originalTopic: 't', originalPartition: 0 };
  await harness.put([
    { value: 'x,1', ...elsewhere },
    { value: 'y,2', ...elsewhere },
  ]);
  await setup.committed(harness, 2);
  expect(await setup.rows()).toEqual([
    ['x', 1],
    ['y', 2],
  ]);
});

test('analytics-sink 36: without records there are no files and no calls', async () => {
  const harness = await setup.start({ 'flush.interval.ms': '100' });
  const before = setup.emulator.requests.length;
  for (let i = 0; i < 5; i++) await harness.put([]);
  await harness.put([{ value: null }]);
  await setup.committed(harness, 1);
  expect(setup.emulator.requests.slice(before)).toEqual([]);
  expect(await readdir(join(setup.folder, (await readdir(setup.folder))[0] ?? ''))).toEqual(['alive', 'lock']);
});

test('analytics-sink 37: a partition with enough data in flight is paused, and resumed when there is room', async () => {
  setup.emulator.ingestor.isPaused = true;
  const harness = await setup.start({ 'analytics.ingest.confirm': 'ingested', 'analytics.max.inflight.files': '2' });
  await harness.put([{ value: line('x', 100) }]);
  expect(harness.pausedPartitions()).toEqual([]);
  await harness.put([{ value: line('y', 100) }]);
  expect(harness.pausedPartitions()).toEqual([{ topic: 't', partition: 0 }]);
  expect(harness.committed()).toBeNull();
  await setup.emulator.ingestor.flush();
  await setup.committed(harness, 2);
  // The last file may have been confirmed after the last put, which resumes partitions.
  await harness.put([]);
  expect(harness.pausedPartitions()).toEqual([]);
  expect(await setup.rows()).toHaveLength(2);
});

test('analytics-sink 28: each document of a message is a row, and blank messages do not hold up their partition', async () => {
  const harness = await setup.start(
    { 'analytics.ingest.confirm': 'ingested', 'flush.size.bytes': '100' },
    { format: 'json', mapping: 'J' },
  );
  await harness.put([{ value: '' }, { value: ' \n' }]);
  await setup.committed(harness, 2);
  const documents = `{"a":"x","b":1}{"a":"${'y'.repeat(100)}","b":2}`;
  await harness.put([{ value: documents }, { value: Buffer.from('\n') }]);
  await setup.committed(harness, 4);
  expect((await setup.rows()).map(([, b]) => b)).toEqual([1, 2]);
});

test('analytics-sink 27: tombstones are skipped, and the offset moves past them', async () => {
  const harness = await setup.start({ 'flush.interval.ms': '100' });
  await harness.put([{ value: 'x,1' }, { value: null }, { value: null }]);
  await setup.committed(harness, 3);
  expect(await setup.rows()).toEqual([['x', 1]]);
});

test('analytics-sink 21: a struct becomes a JSON row', async () => {
  const harness = await setup.start({ 'flush.interval.ms': '100' }, { format: 'json', mapping: 'J' });
  await harness.put(Array.from({ length: 5 }, (_, b) => ({ valueSchema: ROW, value: { a: 'a'.repeat(20), b } })));
  await setup.committed(harness, 5);
  expect(await setup.rows()).toEqual([0, 1, 2, 3, 4].map((b) => ['a'.repeat(20), b]));
});

test('analytics-sink 23: structs become Avro files, with a new file for another schema', async () => {
  const wider = structSchema([
    ['a', schema('STRING')],
    ['b', schema('INT32')],
    ['c', schema('STRING', { optional: true })],
  ]);
  const harness = await setup.start(
    { 'flush.interval.ms': '100', 'flush.size.bytes': '10000' },
    { format: 'avro', mapping: '' },
  );
  await harness.put([
    { valueSchema: ROW, value: { a: 'x', b: 1 } },
    // Converters may create a new schema object for each record.
    { valueSchema: { ...ROW }, value: { a: 'y', b: 2 } },
    { valueSchema: wider, value: { a: 'z', b: 3, c: null } },
  ]);
  await setup.committed(harness, 3);
  expect(await setup.rows()).toEqual([
    ['x', 1],
    ['y', 2],
    ['z', 3],
  ]);
  expect((await setup.loaded()).sort()).toEqual([1, 2]);
});

test('analytics-sink 24, 25: each message of a binary format is shipped at once, in its own file', async () => {
  const type = avro.Type.forSchema({
    type: 'record',
    name: 'r',
    fields: [
      { name: 'a', type: 'string' },
      { name: 'b', type: 'int' },
    ],
  });
  const container = async (b: number): Promise<Buffer> => {
    const encoder = new avro.streams.BlockEncoder(type);
    const chunks: Buffer[] = [];
    encoder.on('data', (chunk: Buffer) => chunks.push(chunk));
    encoder.end({ a: 'x', b });
    await waitFor('the end', () => encoder.readableEnded);
    return Buffer.concat(chunks);
  };
  const harness = await setup.start({ 'flush.size.bytes': '1000000' }, { format: 'apacheAvro', mapping: '' });
  await harness.put([{ value: await container(1) }, { value: await container(2) }]);
  await setup.committed(harness, 2);
  expect(await setup.rows()).toEqual([
    ['x', 1],
    ['x', 2],
  ]);
  expect(await setup.loaded()).toEqual([1, 1]);
});

test('analytics-sink 31: the origin of a row, in the row', async () => {
  await setup.command(
    `.create table ${setup.table} ingestion json mapping 'Where' '[{"column":"a","path":"$.kafkamd.topic"},{"column":"b","path":"$.kafkamd.offset"}]'`,
  );
  const harness = await setup.start(
    { 'flush.interval.ms': '100', 'analytics.metadata.columns': 'topic,offset' },
    { format: 'json', mapping: 'Where' },
  );
  await harness.put([{ value: '{"x":1}' }, { value: '{"x":2}' }]);
  await setup.committed(harness, 2);
  expect(await setup.rows()).toEqual([
    ['t', 0],
    ['t', 1],
  ]);
});
