/** The worker setting `file.root`: files outside of that directory are rejected. */
import { mkdir, mkdtemp, open, readFile, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConnectorConfig, SourceTask, SourceTaskContext } from '@millrace/sdk';
import { checkConfig, MemoryLogger, MemoryOffsets, runSourceTask, SinkTaskHarness } from '@millrace/sdk/testing';
import { isInRoot } from '../../../connectors/file/src/file-root';
import { fileStreamSink } from '../../../connectors/file/src/sink/connector';
import { fileStreamSource } from '../../../connectors/file/src/source/connector';

let folder: string;
let root: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-file-root-'));
  root = join(folder, 'root');
  await mkdir(join(root, 'sub'), { recursive: true });
  await mkdir(join(folder, 'root-sibling'));
  await mkdir(join(folder, 'etc'));
  await symlink('../etc', join(root, 'link-out'));
  await symlink('sub', join(root, 'link-in'));
  await symlink('../etc/created-by-a-link', join(root, 'to-nowhere'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const settings = (): Record<string, string> => ({ 'file.root': root });
/** Not `join`, which would remove `..`. */
const path = (relative: string): string => `${root}/${relative}`;

const OUTSIDE = [
  '../etc/x',
  'sub/../../etc/x',
  'link-out/x',
  // The operating system follows the link first: this is the sibling of `etc`, not `root/x`.
  'link-out/../x',
  'to-nowhere',
  'not-there/../../etc/x',
  '../root-sibling/x',
  '..',
];

test.each(OUTSIDE)('analytics-sink 73: %s is rejected by validation and by the task', async (relative) => {
  const config: ConnectorConfig = { topics: 't', topic: 't', file: path(relative) };
  const problem = {
    key: 'file',
    message: `The file "${path(relative)}" is outside of ${root}, the directory that the worker setting "file.root" allows.`,
  };
  const failure = { code: 'FILE_OUTSIDE_ROOT', message: problem.message };
  expect(await checkConfig(fileStreamSink, config, settings())).toEqual([problem]);
  expect(await checkConfig(fileStreamSource, config, settings())).toEqual([problem]);
  const options = { workerSettings: settings() };
  await expect(SinkTaskHarness.start(fileStreamSink, config, options)).rejects.toMatchObject(failure);
  await expect(runSourceTask(fileStreamSource, config, options)).rejects.toMatchObject(failure);
});

test.each(['x', 'sub/../x', 'link-in/x', 'link-in/../x', './x', 'sub//x'])(
  'analytics-sink 73: %s is allowed',
  async (relative) => {
    const config = { topics: 't', file: path(relative) };
    expect(await checkConfig(fileStreamSink, config, settings())).toEqual([]);
    const harness = await SinkTaskHarness.start(fileStreamSink, config, { workerSettings: settings() });
    await harness.put([{ value: 'line' }]);
    await harness.stop();
    expect(await readFile(path(relative), 'utf8')).toBe('line\n');
  },
);

test('analytics-sink 73: a template is checked with an example, and each file when it is opened', async () => {
  const out = { file: path('${topic}/../../etc/${topic}'), 'file.template': 'true', 'file.create.dirs': 'true' };
  expect(await checkConfig(fileStreamSink, { topics: 't', ...out }, settings())).toEqual([
    { key: 'file', message: expect.stringContaining('is outside of') },
  ]);
  await symlink('../etc', path('escaping'));
  const config = { topics: 'escaping', file: path('${topic}/x'), 'file.template': 'true', 'file.create.dirs': 'true' };
  expect(await checkConfig(fileStreamSink, config, settings())).toEqual([]);
  const harness = await SinkTaskHarness.start(fileStreamSink, config, { workerSettings: settings() });
  await expect(harness.put([{ value: 'x' }])).rejects.toMatchObject({ code: 'FILE_OUTSIDE_ROOT' });
  await harness.stop();
});

test('analytics-sink 73: a growing file is checked, too', async () => {
  await symlink('../etc/victim', path('x.part'));
  await writeFile(join(folder, 'etc', 'victim'), 'precious\n');
  const config = { topics: 't', file: path('x'), 'file.rotate.bytes': '10' };
  const started = SinkTaskHarness.start(fileStreamSink, config, { workerSettings: settings() });
  await expect(started).rejects.toMatchObject({ code: 'FILE_OUTSIDE_ROOT' });
});

describe('a link that changes while a task runs', () => {
  let secret: string;
  let task: SourceTask;
  let aborter: AbortController;
  beforeEach(async () => {
    secret = join(folder, 'etc', 'secret');
    await writeFile(secret, 'password=x\n');
    task = fileStreamSource.createTask();
    aborter = new AbortController();
    const [logger, offsets] = [new MemoryLogger(), new MemoryOffsets()];
    const context = { logger, offsets, signal: aborter.signal, workerSettings: settings() };
    await task.start({ file: path('in'), topic: 't' }, context as unknown as SourceTaskContext);
  });
  afterEach(async () => {
    aborter.abort();
    await task.stop();
  });
  const outside = { code: 'FILE_OUTSIDE_ROOT' };

  test('a source does not read a file that is outside when it appears', async () => {
    expect(await task.poll()).toBeNull();
    await symlink(secret, path('in'));
    await expect(task.poll()).rejects.toMatchObject(outside);
  });

  test('a source does not read a file that replaces its own', async () => {
    await writeFile(path('in'), 'line\n');
    expect(await task.poll()).toMatchObject([{ value: 'line' }]);
    await symlink(secret, path('in.new'));
    await rename(path('in.new'), path('in'));
    await expect(task.poll()).rejects.toMatchObject(outside);
  });

  test('a file that was opened while a link led outside is not accepted afterwards', async () => {
    await writeFile(path('in'), 'line\n');
    const [stolen, own] = await Promise.all([open(secret), open(path('in'))]);
    try {
      expect(await isInRoot(path('in'), stolen, root)).toBe(false);
      expect(await isInRoot(path('in'), own, root)).toBe(true);
      expect(await isInRoot(secret, stolen, null)).toBe(true);
      await unlink(path('in'));
      expect(await isInRoot(path('in'), own, root)).toBe(false);
      await expect(isInRoot(secret, stolen, root)).rejects.toMatchObject(outside);
    } finally {
      await Promise.all([stolen.close(), own.close()]);
    }
  });
});

test('analytics-sink 73: without the setting, or without a file, nothing is rejected; a missing root is an error', async () => {
  expect(await checkConfig(fileStreamSink, { topics: 't', file: path('../etc/x') })).toEqual([]);
  expect(await checkConfig(fileStreamSink, { topics: 't' }, settings())).toEqual([]);
  const gone = { 'file.root': join(folder, 'gone') };
  expect(await checkConfig(fileStreamSink, { topics: 't', file: path('x') }, gone)).toEqual([
    {
      key: 'file',
      message: expect.stringMatching(/^Cannot use the directory of the worker setting "file.root": ENOENT/),
    },
  ]);
});
