import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SinkRecord, SinkTask, SinkTaskContext } from '@millrace/sdk';
import { fileStreamSink } from '../../../../connectors/file/src/sink/connector';

const log = () => undefined;
const context = {
  logger: { error: log, warn: log, info: log, debug: log, trace: log },
  workerSettings: {},
} as unknown as SinkTaskContext;
let folder: string;
let file: string;
let task: SinkTask;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-file-'));
  file = join(folder, 'out.txt');
  task = fileStreamSink.createTask();
});
afterEach(async () => {
  await task.stop();
  await rm(folder, { recursive: true, force: true });
});

const record = (value: unknown, offset = 0): SinkRecord => ({
  topic: 't',
  partition: 0,
  offset,
  originalTopic: 't',
  originalPartition: 0,
  originalOffset: offset,
  keySchema: null,
  key: null,
  valueSchema: null,
  value,
  timestamp: null,
  timestampType: 'CreateTime',
  headers: [],
});
const written = () => readFile(file, 'utf8');

test('connect-runtime 10.9: appends each value and a newline in UTF-8, null as "null"', async () => {
  await writeFile(file, 'before\n');
  await task.start({ file }, context);
  await task.put([record('one'), record('zwölf 😀'), record(null), record('')]);
  await task.put([]);
  expect(await written()).toBe('before\none\nzwölf 😀\nnull\n\n');
  await task.put([record(Buffer.from('raw'))]);
  expect(await written()).toBe('before\none\nzwölf 😀\nnull\n\nraw\n');
});

test('a batch is written when put resolves, and synced to disk when flush resolves', async () => {
  await task.start({ file, 'file.fsync': 'true' }, context);
  await task.put([record('a')]);
  expect(await written()).toBe('a\n');
  await task.flush?.([]);
  await task.flush?.([]);
  expect(await written()).toBe('a\n');
});

test('lines larger than the buffer, and more lines than it holds', async () => {
  await task.start({ file }, context);
  const huge = 'é'.repeat(300_000);
  const lines = ['first', huge, ...Array.from({ length: 5000 }, (_, i) => `${i} `.repeat(50)), huge, 'last'];
  await task.put(lines.map((line) => record(line)));
  expect((await written()).split('\n')).toEqual([...lines, '']);
});

test('analytics-sink 72: a partial last line is terminated before anything is appended', async () => {
  await writeFile(file, 'whole\nto');
  await task.start({ file }, context);
  await task.put([record('torn')]);
  expect(await written()).toBe('whole\nto\ntorn\n');
});

test.each<[string, () => string, string]>([
  [
    'a missing directory',
    () => join(folder, 'no', 'x'),
    'does not exist; create it, set "file.create.dirs" to true, or change "file".',
  ],
  ['a directory', () => folder, 'it is a directory.'],
])('analytics-sink 67: %s fails the start with one clear sentence', async (_, target, reason) => {
  await expect((async () => task.start({ file: target() }, context))()).rejects.toMatchObject({
    code: 'FILE_SINK_OPEN',
    message: expect.stringMatching(/^Cannot append to the file ".*": .*\.$/),
  });
  await expect((async () => task.start({ file: target() }, context))()).rejects.toThrow(reason);
});

test('analytics-sink 70: a full disk makes the worker retry the batch without limit', async () => {
  await symlink('/dev/full', file);
  await task.start({ file }, context);
  const full = {
    code: 'FILE_SINK_FULL',
    retriable: true,
    message: expect.stringMatching(/^Cannot write to .*out\.txt: the disk is full; retrying until there is space\.$/),
  };
  await expect(task.put([record('x')])).rejects.toMatchObject(full);
  await expect(task.put([record('x')])).rejects.toMatchObject(full);
});

test.each([
  ['EIO', 'write'],
  ['EROFS', 'write'],
])('%s fails put and every later call', async (code, syscall) => {
  await task.start({ file }, context);
  const inside = task as unknown as { target: { file: { handle: { write(): Promise<void> } } } };
  inside.target.file.handle.write = () =>
    Promise.reject(Object.assign(new Error(`${code}: i/o error`), { code, syscall }));
  const failure = { code: 'FILE_SINK_WRITE', retriable: false, message: expect.stringContaining(`${file}: ${code}`) };
  await expect(task.put([record('x')])).rejects.toMatchObject(failure);
  await expect(task.put([])).rejects.toMatchObject(failure);
  await expect(task.flush?.([])).rejects.toMatchObject(failure);
});

test.each(['EIO', 'ENOSPC'])('a flush that fails with %s fails the next put, so that the task fails', async (code) => {
  await task.start({ file, 'file.fsync': 'true' }, context);
  await task.put([record('x')]);
  const inside = task as unknown as { target: { file: { handle: { datasync(): Promise<void> } } } };
  const { handle } = inside.target.file;
  const error = Object.assign(new Error(`${code}: reported late`), { code, syscall: 'fdatasync' });
  handle.datasync = () => Promise.reject(error);
  await expect(task.flush?.([])).rejects.toThrow(`Cannot flush ${file}: ${code}`);
  await expect(task.put([record('y')])).rejects.toMatchObject({ code: 'FILE_SINK_WRITE', retriable: false });
});

test('analytics-sink 67: without a file, lines go to standard output', async () => {
  const lines: string[] = [];
  const write = jest.spyOn(process.stdout, 'write').mockImplementation(((chunk: Buffer, done: () => void) => {
    lines.push(chunk.toString());
    done();
    return true;
  }) as never);
  try {
    await task.start({}, context);
    await task.put([record('a'), record('b')]);
    await task.flush?.([]);
  } finally {
    write.mockRestore();
  }
  expect(lines).toEqual(['a\nb\n']);
});

test('connect-runtime 10.9: offsets may be altered', async () => {
  expect(await fileStreamSink.alterOffsets?.({}, [], 'alter')).toBe(true);
});
