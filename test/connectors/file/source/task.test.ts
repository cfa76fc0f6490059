import { appendFile, mkdir, mkdtemp, open, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SourceRecord, SourceTask, SourceTaskContext } from '@millrace/sdk';
import { MemoryLogger, MemoryOffsets, runSourceTask } from '@millrace/sdk/testing';
import { fileStreamSource } from '../../../../connectors/file/src/source/connector';

let folder: string;
let file: string;
let task: SourceTask;
let aborter: AbortController;
let logger: MemoryLogger;
let offsets: MemoryOffsets;
const got: SourceRecord[] = [];
const values = (): unknown[] => got.map(({ value }) => value);
const position = (): unknown => got.at(-1)?.sourceOffset?.position;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-file-source-'));
  file = join(folder, 'in.txt');
  task = fileStreamSource.createTask();
  aborter = new AbortController();
  logger = new MemoryLogger();
  offsets = new MemoryOffsets();
  got.length = 0;
});
afterEach(async () => {
  aborter.abort();
  await task.stop();
  await rm(folder, { recursive: true, force: true });
});

async function start(config: Record<string, string> = {}): Promise<void> {
  const context = { logger, offsets, signal: aborter.signal, workerSettings: {} } as unknown as SourceTaskContext;
  await task.start({ file, topic: 't', ...config }, context);
}

/** Polls until there are `count` records in total. */
async function until(count: number): Promise<unknown[]> {
  while (got.length < count) got.push(...((await task.poll()) ?? []));
  return values();
}

test('connect-runtime 10.9: each line is a record: a string, no key, the time it was read, position in bytes', async () => {
  await writeFile(file, 'one\nzwölf\r\nthree\rhalf');
  const before = Date.now();
  const { records } = await runSourceTask(fileStreamSource, { file, topic: 't' }, { offsets });
  expect(records).toHaveLength(3);
  expect(records.map(({ value }) => value)).toEqual(['one', 'zwölf', 'three']);
  expect(records.map(({ sourceOffset }) => sourceOffset)).toEqual([4, 12, 18].map((bytes) => ({ position: bytes })));
  expect(records[0]).toMatchObject({
    topic: 't',
    sourcePartition: { filename: file },
    keySchema: null,
    key: null,
    valueSchema: { type: 'STRING', optional: false },
  });
  expect(records[0]?.timestamp).toBeGreaterThanOrEqual(before);
  expect(offsets.get({ filename: file })).toEqual({ position: 18 });
});

test('connect-runtime 10.9: resumes after the stored position', async () => {
  await writeFile(file, 'a\nb\nc\n');
  offsets.write({ filename: file }, { position: 2 });
  const { records } = await runSourceTask(fileStreamSource, { file, topic: 't' }, { offsets });
  expect(records.map(({ value }) => value)).toEqual(['b', 'c']);
  // A position stored by Java counts characters, so it may be inside a line.
  offsets.write({ filename: file }, { position: 3n });
  await start();
  expect(await until(2)).toEqual(['', 'c']);
});

test('connect-runtime 10.9: the task waits for a file that does not exist yet, and logs it once', async () => {
  await start();
  expect(await task.poll()).toBeNull();
  expect(await task.poll()).toBeNull();
  await writeFile(file, 'here\n');
  expect(await until(1)).toEqual(['here']);
  expect(logger.lines.filter((line) => line.startsWith('warn'))).toEqual([
    `warn The file "${file}" does not exist, waiting for it`,
  ]);
});

test('connect-runtime 10.9: a partial line waits for its end', async () => {
  await writeFile(file, 'whole\npar');
  await start();
  await until(1);
  expect(await task.poll()).toBeNull();
  await appendFile(file, 'tial\r');
  expect(await task.poll()).toBeNull();
  await appendFile(file, '\nnext\n');
  expect(await until(3)).toEqual(['whole', 'partial', 'next']);
  expect(position()).toBe(20);
});

test.each([
  ['2', [2, 2, 1]],
  ['0', [1, 1, 1, 1, 1]],
  ['-1', [1, 1, 1, 1, 1]],
])('connect-runtime 10.9: batch.size %s', async (size, batches) => {
  await writeFile(file, 'a\nb\nc\nd\ne\n');
  await start({ 'batch.size': size });
  const sizes: number[] = [];
  for (let batch = await task.poll(); batch; batch = await task.poll()) sizes.push(batch.length);
  expect(sizes).toEqual(batches);
});

test('a truncated file is read from its beginning, with a warning', async () => {
  await writeFile(file, 'one\ntwo\nthree\n');
  await start();
  await until(3);
  await truncate(file, 0);
  await appendFile(file, 'new\n');
  expect((await until(4)).slice(3)).toEqual(['new']);
  expect(position()).toBe(4);
  expect(logger.lines).toContain(`warn ${file} was truncated below byte 14, reading it from its beginning`);
});

test('a file that is shorter than the stored position is read from its beginning', async () => {
  await writeFile(file, 'new\n');
  offsets.write({ filename: file }, { position: 100 });
  await start();
  expect(await until(1)).toEqual(['new']);
});

test('a rotated file is read to its end first, its unfinished last line included', async () => {
  await writeFile(file, 'one\n');
  await start();
  await until(1);
  const writer = await open(file, 'a');
  await rename(file, join(folder, 'in.txt.1'));
  await writer.write('two\nlast');
  await writer.close();
  await until(2);
  await writeFile(file, 'three\n');
  expect(await until(4)).toEqual(['one', 'two', 'last', 'three']);
  // After a restart between the last two, the source resumes in the new file.
  expect(got.map(({ sourceOffset }) => sourceOffset?.position)).toEqual([4, 8, 0, 6]);
});

test('a file that was deleted and created again', async () => {
  await writeFile(file, 'one\n');
  await start();
  await until(1);
  await rm(file);
  expect(await task.poll()).toBeNull();
  await writeFile(file, 'a longer file\n');
  expect(await until(2)).toEqual(['one', 'a longer file']);
});

test('a named pipe', async () => {
  expect(spawnSync('mkfifo', [file]).status).toBe(0);
  await start();
  expect(await task.poll()).toBeNull();
  const writer = await open(file, 'w');
  await writer.write('through\na pi');
  expect(await until(1)).toEqual(['through']);
  expect(await task.poll()).toBeNull();
  await writer.write('pe\n');
  await writer.close();
  expect(await until(2)).toEqual(['through', 'a pipe']);
});

test('a directory, and a loop of links, fail the task with one sentence', async () => {
  await mkdir(file);
  await start();
  await expect(task.poll()).rejects.toMatchObject({
    code: 'FILE_SOURCE_OPEN',
    message: `Cannot read the file "${file}": it is a directory.`,
  });
  await task.stop();
  file = join(folder, 'loop');
  await symlink(file, file);
  await start();
  await expect(task.poll()).rejects.toMatchObject({
    code: 'FILE_SOURCE_OPEN',
    message: expect.stringMatching(/^Cannot open the file ".*loop": ELOOP/),
  });
});

test('an invalid stored offset fails the start', async () => {
  for (const wrong of ['12', -1, 1.5, null]) {
    offsets.write({ filename: file }, { position: wrong });
    await expect(start()).rejects.toMatchObject({ code: 'FILE_SOURCE_OFFSET' });
  }
});

test('poll returns at once when it is stopped while it waits', async () => {
  await writeFile(file, '');
  await start();
  const waiting = task.poll();
  aborter.abort();
  expect(await waiting).toBeNull();
  expect(await task.poll()).toBeNull();
});
