/** Files that are completed and delivered while records are put: bounds, failures of the disk, and pauses. */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ROW_BUFFER_BYTES, RowBuffers } from '../../../connectors/analytics/src/batcher/row-buffers';
import { waitFor } from '../../helpers/wait-for';
import { serve, serveCluster, serveStorage } from './small-service';
import { SmallSink } from './small-sink';

const sink = SmallSink.forFile();
/** Fills a file. */
const ROW = { value: 'x'.repeat(100) };

test('the streams hold a bounded number of bytes: room waits for one of them, however it ends', async () => {
  const buffers = new RowBuffers(100);
  await buffers.room();
  buffers.hold(60);
  buffers.hold(60);
  expect(buffers.isFull).toBe(true);
  let has = false;
  const room = buffers.room().then(() => (has = true));
  buffers.release(10);
  await nextTurn();
  expect(has).toBe(false);
  buffers.release(20);
  await room;
  const buffer = buffers.take();
  expect(buffer).toHaveLength(ROW_BUFFER_BYTES);
  buffers.giveBack(buffer);
  expect(buffers.take()).toBe(buffer);
});

test('analytics-sink 54: a file that cannot be completed: those after it are not delivered, and all are read again', async () => {
  const storage = await serveStorage();
  sink.atEnd(storage.stop);
  const cluster = await serveCluster(() => storage.url);
  sink.atEnd(cluster.stop);
  const harness = await sink.start(cluster.url, { 'analytics.max.inflight.files': '50' });
  const [folder = ''] = (await readdir(sink.folder)).filter((name) => name.startsWith('analytics-sink-'));
  const inTheWay = join(sink.folder, folder, 'kafka_t_0_1-1.csv.gz');
  await mkdir(inTheWay);
  await writeFile(join(inTheWay, 'x'), '');
  await harness.put([ROW, ROW, ROW, ROW]);
  await waitFor('the partition to rewind', async () => {
    await harness.put([]);
    return harness.seeks.length > 0;
  });
  expect(harness.seeks).toEqual([{ topic: 't', partition: 0, offset: 1 }]);
  await sink.committed(harness, 1);
  expect(storage.blobs.map((path) => /kafka_t_.*/.exec(path)?.[0])).toEqual(['kafka_t_0_0-0.csv.gz']);
  expect(await readdir(join(sink.folder, folder))).not.toContainEqual(expect.stringMatching(/_[23]/));

  await rm(inTheWay, { recursive: true });
  await waitFor('the backoff to end', async () => {
    await harness.put([]);
    return harness.pausedPartitions().length === 0;
  });
  await harness.put([1, 2, 3].map((offset) => ({ ...ROW, offset, originalOffset: offset })));
  await sink.committed(harness, 4);
  expect(harness.seeks).toHaveLength(1);
  expect(storage.messages).toHaveLength(4);
});

test('analytics-sink 54: a disk that fails for good fails the task', async () => {
  const storage = await serveStorage();
  sink.atEnd(storage.stop);
  const cluster = await serveCluster(() => storage.url);
  sink.atEnd(cluster.stop);
  const harness = await sink.start(cluster.url, { 'errors.retry.max.time.ms': '100' });
  const [folder = ''] = (await readdir(sink.folder)).filter((name) => name.startsWith('analytics-sink-'));
  const inTheWay = join(sink.folder, folder, 'kafka_t_0_0-0.csv.gz');
  await mkdir(inTheWay);
  await writeFile(join(inTheWay, 'x'), '');
  const error = await waitFor('the task to fail', async () =>
    harness.pausedPartitions().length > 0
      ? await harness.put([]).then(
          () => null,
          (e: Error) => e,
        )
      : await harness.put([{ ...ROW, offset: 0, originalOffset: 0 }]).then(
          () => null,
          (e: Error) => e,
        ),
  );
  expect(error).toMatchObject({ code: 'ANALYTICS_DISK' });
  expect(storage.messages).toEqual([]);
  expect(harness.committed()).toBeNull();
});

test('analytics-sink 38: a paused partition resumes as soon as a delivery ends, without another put', async () => {
  let answer = (): void => undefined;
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const storage = await serve((request, response) => {
    request.resume().on('end', () => void answered.then(() => response.writeHead(201).end()));
  });
  sink.atEnd(storage.stop);
  const cluster = await serveCluster(() => storage.url);
  sink.atEnd(cluster.stop);
  const harness = await sink.start(cluster.url, { 'analytics.max.inflight.files': '2' });
  await harness.put([ROW, ROW]);
  expect(harness.pausedPartitions()).toHaveLength(1);
  answer();
  await waitFor('the partition to resume', () => harness.pausedPartitions().length === 0);
  await sink.committed(harness, 2);
});
