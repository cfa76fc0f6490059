/** Removal of stale folders, and the files of a partition on disk. */
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { RecordLog } from '../../../connectors/analytics/src/batcher/record-log';
import { RowBuffers } from '../../../connectors/analytics/src/batcher/row-buffers';
import { StagingFile } from '../../../connectors/analytics/src/batcher/staging-file';
import { createStagingFolder, removeStaleFolders } from '../../../connectors/analytics/src/batcher/staging-folder';
import { thisProcess, type StagingLock } from '../../../connectors/analytics/src/batcher/staging-lock';
import { findFormat, type Format } from '../../../connectors/analytics/src/mapping/formats';
import { sinkRecord } from './sink-record';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'millrace-staging-'));
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

/** A folder of a task, as another process leaves it. `silentFor`: since the task last marked it as used. */
async function foreign(name: string, lock: string | null, silentFor = 0): Promise<string> {
  await mkdir(join(root, name));
  if (lock !== null) await writeFile(join(root, name, 'lock'), lock);
  await writeFile(join(root, name, 'alive'), '.');
  const at = (Date.now() - silentFor) / 1000;
  await utimes(join(root, name, 'alive'), at, at);
  return name;
}

const HOUR = 3_600_000;

test('analytics-sink 50: folders of dead processes are removed, those of live ones are not', async () => {
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  const here = await thisProcess();
  const mine = await createStagingFolder(root, 'a/b', 3, () => undefined);
  const lock = (of: Partial<StagingLock>): string => JSON.stringify({ ...here, ...of });
  const dead = await foreign('analytics-sink-dead-0-x', lock({ pid }));
  const reused = await foreign('analytics-sink-reused-0-x', lock({ started: '1' }));
  const silent = [
    await foreign('analytics-sink-other-host-0-x', lock({ pid, host: 'other' }), 2 * HOUR),
    await foreign('analytics-sink-other-boot-0-x', lock({ pid, boot: 'other' }), 2 * HOUR),
  ];
  const live = [
    await foreign('analytics-sink-same-process-0-x', lock({})),
    await foreign('analytics-sink-same-process-1-x', lock({}), 2 * HOUR),
    // Each container may have a process of the same id, or none of that id.
    await foreign('analytics-sink-container-0-x', lock({ pid, pids: 'pid:[1]' })),
    await foreign('analytics-sink-container-1-x', lock({ pid, pids: 'pid:[1]' }), HOUR / 2),
    await foreign('analytics-sink-machine-0-x', lock({ pid, host: 'other', boot: 'other' })),
  ];
  const unknown = [
    await foreign('analytics-sink-no-lock-0-x', null, 2 * HOUR),
    await foreign('analytics-sink-earlier-version-0-x', `${pid} 1`, 2 * HOUR),
  ];
  const others = [
    await foreign('kusto-sink-connector-x', `${pid} 1`, 2 * HOUR),
    await foreign('.new-analytics-sink-x-0-y', null, 0),
  ];
  const found = await removeStaleFolders(root, mine);
  const paths = (names: readonly string[]): string[] => names.map((name) => join(root, name)).sort();
  // Only /proc shows whether a pid was reused.
  expect([...found.removed].sort()).toEqual(
    paths([dead, ...silent, ...(process.platform === 'linux' ? [reused] : [])]),
  );
  expect([...found.unknown].sort()).toEqual(paths(unknown));
  expect(await readdir(root)).toEqual(
    expect.arrayContaining([...live, ...unknown, ...others, expect.stringMatching(/^analytics-sink-a_b-3-/)]),
  );
  expect((await stat(mine.path)).mode & 0o777).toBe(0o700);
  await mine.remove();
});

test('analytics-sink 50: tasks that start at the same time do not remove the folders of each other', async () => {
  const folders = await Promise.all(
    Array.from({ length: 20 }, async (_, task) => {
      const folder = await createStagingFolder(root, 'c', task, () => undefined);
      return { folder, found: await removeStaleFolders(root, folder) };
    }),
  );
  for (const { found } of folders) expect(found).toEqual({ removed: [], unknown: [] });
  expect(await readdir(root)).toHaveLength(20);
  for (const { folder } of folders) await folder.remove();
});

test('analytics-sink 50: a removed staging folder is reported to its task', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  try {
    const gone = new Promise<void>((resolve) => {
      void createStagingFolder(root, 'c', 0, resolve).then(async ({ path }) => {
        await rm(path, { recursive: true });
        await jest.advanceTimersByTimeAsync(60_000);
      });
    });
    await gone;
  } finally {
    jest.useRealTimers();
  }
});

test('a folder that cannot be created is one error that names the key', async () => {
  await writeFile(join(root, 'file'), '');
  await expect(createStagingFolder(join(root, 'file', 'x'), 'c', 0, () => undefined)).rejects.toMatchObject({
    code: 'ANALYTICS_TEMPDIR',
    message: expect.stringContaining('"tempdir.path"') as string,
  });
});

const file = (format: string): StagingFile =>
  new StagingFile(
    {
      folder: root,
      topic: 't',
      topicId: null,
      partition: 1,
      firstOffset: 5,
      mapping: {
        topic: 't',
        database: 'd',
        table: 'T',
        format: findFormat(format) as Format,
        mapping: null,
        streaming: false,
      },
    },
    new RowBuffers(),
  );

test('analytics-sink 20, 38: text is compressed, private, and named by its offsets', async () => {
  const open = file('json');
  open.append(Buffer.from('{"a":1}\n'), 5);
  open.append(Buffer.from('{"a":2}\n'), 8);
  const sealed = await open.seal();
  expect(sealed).toMatchObject({ name: 'kafka_t_1_5-8.multijson.gz', records: 2, rawBytes: 16, isGzip: true });
  expect(gunzipSync(await readFile(sealed.path)).toString()).toBe('{"a":1}\n{"a":2}\n');
  expect((await stat(sealed.path)).mode & 0o777).toBe(0o600);
  expect(sealed.bytes).toBe((await stat(sealed.path)).size);
  await sealed.remove();
  expect(await readdir(root)).toEqual([]);
});

test('analytics-sink 24: binary files are unchanged', async () => {
  const open = file('parquet');
  const bytes = Buffer.from('PAR1 PAR1');
  open.append(bytes, 5);
  const sealed = await open.seal();
  expect(sealed.name).toBe('kafka_t_1_5-5.parquet');
  expect(await readFile(sealed.path)).toEqual(bytes);
});

test('analytics-sink 54: a discarded file leaves nothing, even while it is opened, and its name can be reused', async () => {
  for (let i = 0; i < 20; i++) await file('csv').discard();
  const open = file('csv');
  open.append(Buffer.from('x\n'), 5);
  open.flush();
  await open.discard();
  expect(await readdir(root)).toEqual([]);
});

test.each(['csv', 'parquet'])(
  'analytics-sink 52: a %s file of a revoked partition is discarded at any stage of writing',
  async (format) => {
    for (let turns = 0; turns < 60; turns++) {
      const open = file(format);
      open.append(Buffer.alloc(1_000_000, 'x'), 5);
      open.flush();
      for (let i = 0; i < turns; i++) await nextTurn();
      await open.discard();
      expect(await readdir(root)).toEqual([]);
    }
  },
);

test('analytics-sink 54: errors of the disk are thrown, also for a file that could not be opened', async () => {
  await mkdir(join(root, 'kafka_t_1_5.csv.gz.part'));
  const open = file('csv');
  open.append(Buffer.from('x\n'), 5);
  await expect(open.seal()).rejects.toThrow('EEXIST');
});

test('records are read back unchanged; a missing log is an error that does not end the process', async () => {
  const log = new RecordLog(join(root, 'log'));
  log.append(
    sinkRecord('text\n', {
      key: Buffer.from([0, 255]),
      timestamp: 9,
      headers: [{ key: 'h', schema: null, value: null }],
    }),
  );
  log.append(sinkRecord({ a: 1 }, { offset: 8 }));
  await log.drain();
  const read = [];
  for await (const record of log.read()) read.push(record);
  expect(read).toEqual([
    { offset: 7, timestamp: 9, key: Buffer.from([0, 255]), value: Buffer.from('text\n'), headers: [['h', null]] },
    { offset: 8, timestamp: null, key: null, value: Buffer.from('{"a":1}'), headers: [] },
  ]);
  await log.remove();
  await expect(log.read().next()).rejects.toThrow('ENOENT');
});
