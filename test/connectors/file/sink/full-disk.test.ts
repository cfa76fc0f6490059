/**
 * The file sink on a disk that is really full: no line is lost or broken, and no written line is repeated.
 */
import { appendFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRetriable } from '@millrace/sdk';
import { SinkTaskHarness, type PutRecord } from '@millrace/sdk/testing';
import { fileStreamSink } from '../../../../connectors/file/src/sink/connector';
import { canMountSmallDisk, startSmallDisk, type SmallDisk } from '../../../helpers/small-disk';

const onSmallDisk = canMountSmallDisk ? test : test.skip;
const KIB = 1024;
let disk: SmallDisk;
let file: string;
let ballast: string;
const harnesses: SinkTaskHarness[] = [];

beforeEach(async () => {
  if (!canMountSmallDisk) return;
  disk = await startSmallDisk(256);
  file = join(disk.folder, 'out.txt');
  ballast = join(disk.folder, 'ballast');
  await writeFile(ballast, Buffer.alloc(192 * KIB));
});
afterEach(async () => {
  for (const harness of harnesses.splice(0)) await harness.stop().catch(() => undefined);
  if (canMountSmallDisk) await disk.stop();
});

async function start(config: Record<string, string> = {}): Promise<SinkTaskHarness> {
  const assignment = ['a', 'b'].map((topic) => ({ topic, partition: 0 }));
  const harness = await SinkTaskHarness.start(fileStreamSink, { topics: 'a,b', file, ...config }, { assignment });
  harnesses.push(harness);
  return harness;
}
const thrown = async (work: Promise<void>): Promise<unknown> =>
  await work.then(
    () => null,
    (error: unknown) => error,
  );
const lines = (count: number, name = 'line'): string[] =>
  Array.from({ length: count }, (_, i) => `${name} ${i} žluť ${'x'.repeat((i * 7) % 190)}`);
const records = (values: readonly string[], topic = 'a'): PutRecord[] => values.map((value) => ({ topic, value }));

onSmallDisk('analytics-sink 70: a batch that does not fit is retried and is in the file once', async () => {
  const harness = await start();
  await harness.put(records(['before']));
  await harness.commit();
  const batch = [...lines(800), 'y'.repeat(20 * KIB), 'end'];
  const error = await thrown(harness.put(records(batch)));
  expect(error).toMatchObject({ code: 'FILE_SINK_FULL', message: expect.stringContaining('the disk is full') });
  expect(isRetriable(error)).toBe(true);
  expect(isRetriable(await thrown(harness.redeliver()))).toBe(true);
  await harness.commit();
  expect(harness.committed(0)).toBe(1);
  expect((await readFile(file)).length).toBeGreaterThan(32 * KIB);
  await rm(ballast);
  await harness.redeliver();
  await harness.put(records(['after']));
  await harness.commit();
  expect(harness.committed(0)).toBe(batch.length + 2);
  expect(await readFile(file, 'utf8')).toBe(['before', ...batch, 'after', ''].join('\n'));
});

onSmallDisk(
  'analytics-sink 70: several rotated files: together they contain the input, complete files have only whole lines',
  async () => {
    const template = join(disk.folder, '${topic}.txt');
    const harness = await start({ file: template, 'file.template': 'true', 'file.rotate.bytes': '10000' });
    const [a, b] = [lines(500, 'a'), lines(500, 'b')];
    const batch = a.flatMap((value, i) => [...records([value], 'a'), ...records([b[i] as string], 'b')]);
    expect(isRetriable(await thrown(harness.put(batch)))).toBe(true);
    expect(isRetriable(await thrown(harness.redeliver()))).toBe(true);
    await rm(ballast);
    await harness.redeliver();
    await harness.stop();
    const names = (await readdir(disk.folder)).sort();
    expect(names.filter((name) => name.endsWith('.part'))).toEqual([]);
    for (const [topic, expected] of Object.entries({ a, b })) {
      const own = names.filter((name) => name.startsWith(`${topic}.txt.`));
      const contents = await Promise.all(own.map((name) => readFile(join(disk.folder, name), 'utf8')));
      expect(contents.length).toBeGreaterThan(3);
      expect(contents.every((text) => text.endsWith('\n') && Buffer.byteLength(text) <= 10_000)).toBe(true);
      expect(contents.join('')).toBe(`${expected.join('\n')}\n`);
    }
  },
);

onSmallDisk('analytics-sink 70: what another task appends after a partial line is a line of its own', async () => {
  const [harness, other] = [await start(), await start()];
  const batch = lines(800);
  expect(isRetriable(await thrown(harness.put(records(batch))))).toBe(true);
  expect((await readFile(file, 'utf8')).endsWith('\n')).toBe(false);
  await rm(ballast);
  await other.put(records(['other 1', 'other 2'], 'b'));
  await harness.redeliver();
  const found = (await readFile(file, 'utf8')).split('\n');
  for (const line of [...batch, 'other 1', 'other 2']) expect(found).toContain(line);
  // The partial line with the text appended to it, and the end of the file.
  expect(found).toHaveLength(batch.length + 4);
});

onSmallDisk(
  'analytics-sink 70: partitions revoked during the wait leave no partial line in a complete file',
  async () => {
    const config = { file: join(disk.folder, '${topic}.txt'), 'file.template': 'true', 'file.rotate.bytes': '1000000' };
    const batch = lines(800);
    const harness = await start(config);
    expect(isRetriable(await thrown(harness.put(records(batch))))).toBe(true);
    await harness.task.close?.([{ topic: 'a', partition: 0 }]);
    expect(await readdir(disk.folder)).toContain('a.txt.part');
    await rm(ballast);
    const next = await start(config);
    await next.put(records(batch));
    await next.stop();
    const [name = ''] = (await readdir(disk.folder)).filter((entry) => entry.startsWith('a.txt.'));
    expect(name).not.toMatch(/part$/);
    const found = (await readFile(join(disk.folder, name), 'utf8')).split('\n');
    for (const line of batch) expect(found).toContain(line);
  },
);

onSmallDisk('analytics-sink 70: no space for the file itself', async () => {
  await appendFile(ballast, Buffer.alloc(64 * KIB));
  const template = join(disk.folder, 'deep', '${topic}.txt');
  const harness = await start({ file: template, 'file.template': 'true', 'file.create.dirs': 'true' });
  const error = await thrown(harness.put(records(['x'])));
  expect(isRetriable(error)).toBe(true);
  await rm(ballast);
  await harness.redeliver();
  expect(await readFile(join(disk.folder, 'deep', 'a.txt'), 'utf8')).toBe('x\n');
});
