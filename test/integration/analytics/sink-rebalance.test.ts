/** Assignment and revocation of partitions, and a full disk. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { isRetriable } from '@millrace/sdk';
import { isWorthRestarting } from '../../../src/tasks/trace';
import { waitFor } from '../../helpers/wait-for';
import { line, SinkSetup } from './sink-setup';

const setup = SinkSetup.forFile();
const partition = (number: number): { topic: string; partition: number } => ({ topic: 't', partition: number });

test('analytics-sink 51: an additional partition does not affect the open files of the others', async () => {
  // The file is complete by size after the partition is assigned.
  const harness = await setup.start();
  await harness.put([{ value: 'x,1' }]);
  await harness.assign([partition(1)]);
  await harness.put([{ value: line('y', 100) }, { value: line('z', 100), partition: 1 }]);
  await setup.committed(harness, 2, 0);
  await setup.committed(harness, 1, 1);
  expect((await setup.rows()).map(([a]) => a).sort()).toEqual(['x', 'y', 'z']);
  expect((await setup.loaded()).sort()).toEqual([1, 2]);
});

test('analytics-sink 52: a revoked partition: nothing more of it is posted, its open file is deleted, the other partition continues', async () => {
  // Long enough to be still in flight when the partition is revoked.
  setup.emulator.faults.add({ target: 'blob', delayMs: 30_000, match: 'kafka_t_0_' });
  const harness = await setup.start({ 'flush.interval.ms': '500' }, {}, { assignment: [partition(0), partition(1)] });
  await harness.put([{ value: line('gone', 100) }, { value: 'open,1' }, { value: 'kept,2', partition: 1 }]);
  await harness.revoke([partition(0)]);
  const [folder = ''] = await readdir(setup.folder);
  expect((await readdir(join(setup.folder, folder))).filter((name) => name.includes('_t_0_'))).toEqual([]);
  await setup.committed(harness, 1, 1);
  expect(harness.committed(0)).toBeNull();
  expect(await setup.rows()).toEqual([['kept', 2]]);
});

test('a topic that is deleted and created again while its last files are under way: no record is lost, and no offset of the old topic is committed', async () => {
  setup.emulator.faults.add({ target: 'blob', delayMs: 2_000, times: 1, match: 'kafka_t_0_100-100' });
  const harness = await setup.start();
  harness.topicIds.set('t', 'old');
  await harness.put([{ value: line('shipped', 100), offset: 100 }]);
  await harness.put([{ value: 'open,2', offset: 101 }]);
  harness.topicIds.set('t', 'new');
  await harness.put([
    { value: line('first', 100), offset: 0 },
    { value: 'second,4', offset: 300 },
  ]);
  await setup.committed(harness, 1);
  await harness.stop();
  expect(harness.committed()).toBe(1);
  expect((await setup.rows()).map(([a]) => String(a).slice(0, 5)).sort()).toEqual(['first', 'open', 'shipp']);
});

test('analytics-sink 50: a staged file that something else removes: the task fails instead of dropping its records, also with behavior.on.error=log', async () => {
  setup.emulator.faults.add({ target: 'blob', status: 503 });
  const harness = await setup.start({ 'behavior.on.error': 'log' });
  await harness.put([{ value: line('x', 100) }]);
  const [folder = ''] = await readdir(setup.folder);
  const path = join(setup.folder, folder);
  await waitFor('the file to be complete', async () => (await readdir(path)).includes('kafka_t_0_0-0.csv.gz'));
  await rm(path, { recursive: true });
  const failure = await setup.failure(harness);
  expect(failure).toMatchObject({
    code: 'ANALYTICS_DISK',
    message: expect.stringContaining('kafka_t_0_0-0.csv.gz was removed before its records were delivered') as string,
  });
  expect([isRetriable(failure), isWorthRestarting(failure)]).toEqual([false, true]);
  expect(harness.committed()).toBeNull();
});

interface HeldUp {
  /** Resolves when a request has arrived. */
  arrived(): Promise<unknown>;
  /** Lets it continue, and those after it. */
  release(): void;
  /** Resolves when the first of them has its response, or was aborted. */
  over(): Promise<unknown>;
}

/** Holds back requests for the storage service. */
function heldUp(target: 'blob' | 'queue'): HeldUp {
  const { faults } = setup.emulator;
  const apply = faults.apply.bind(faults);
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const held: ServerResponse[] = [];
  const hook = jest.spyOn(faults, 'apply').mockImplementation(async (name, text, response) => {
    if (name === target) {
      held.push(response);
      await released;
    }
    return await apply(name, text, response);
  });
  return {
    arrived: async () => await waitFor(`a request for ${target}`, () => held.length > 0),
    release: () => {
      hook.mockRestore();
      release();
    },
    over: async () => await waitFor('its end', () => held[0]?.closed),
  };
}

test('analytics-sink 52: between the last preCommit of a partition and its close, nothing is posted', async () => {
  const harness = await setup.start();
  const upload = heldUp('blob');
  await harness.put([{ value: line('late', 100) }]);
  await upload.arrived();
  await harness.task.revoking?.([partition(0)]);
  expect(await harness.task.preCommit?.([])).toEqual([]);
  upload.release();
  await upload.over();
  // By the time another partition's file is delivered, this one would be, too.
  const other = await setup.start();
  await other.put([{ value: line('other', 100) }]);
  await setup.committed(other, 1);
  expect((await setup.rows()).map(([a]) => a)).toEqual(['other']);
  await harness.task.close?.([partition(0)]);
  expect((await setup.rows()).map(([a]) => a)).toEqual(['other']);
});

test('analytics-sink 52: a post in flight when its partition is revoked is awaited and committed: no row is duplicated', async () => {
  const harness = await setup.start();
  const post = heldUp('queue');
  await harness.put([{ value: line('posted', 100) }]);
  await post.arrived();
  const revoked = harness.revoke([partition(0)]);
  post.release();
  await revoked;
  expect(harness.committed()).toBe(1);
  expect((await setup.rows()).map(([a]) => a)).toEqual(['posted']);
});

test('analytics.rebalance.flush.timeout.ms: files of revoked partitions are finished and committed first', async () => {
  const harness = await setup.start(
    { 'analytics.rebalance.flush.timeout.ms': '20000' },
    {},
    { assignment: [partition(0), partition(1)] },
  );
  await harness.put([{ value: 'open,1' }, { value: 'kept,2', partition: 1 }]);
  await harness.revoke([partition(0)]);
  expect(harness.committed(0)).toBe(1);
  expect(harness.committed(1)).toBeNull();
  expect(await setup.rows()).toEqual([['open', 1]]);
  await setup.stop(harness);
  expect(harness.committed(1)).toBe(1);
  expect(await setup.rows()).toEqual([
    ['open', 1],
    ['kept', 2],
  ]);
});

test('analytics.rebalance.flush.timeout.ms: work beyond the limit is left to the next owner', async () => {
  setup.emulator.faults.add({ target: 'blob', delayMs: 20_000 });
  const harness = await setup.start({ 'analytics.rebalance.flush.timeout.ms': '200' });
  await harness.put([{ value: 'open,1' }]);
  await harness.revoke([partition(0)]);
  expect(harness.committed()).toBeNull();
  expect(await setup.rows()).toEqual([]);
});

test('analytics-sink 52: a partition that is assigned again resumes at its committed offset', async () => {
  const harness = await setup.start();
  await harness.put([{ value: line('x', 100) }]);
  await setup.committed(harness, 1);
  await harness.put([{ value: 'y,2' }]);
  await harness.revoke([partition(0)]);
  await harness.assign([partition(0)]);
  await harness.put([{ value: line('y', 100), offset: 1 }]);
  await setup.committed(harness, 2);
  expect((await setup.rows()).map(([a]) => a).sort()).toEqual(['x', 'y']);
});

function mounted(path: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', path], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

test('analytics-sink 54: a full disk: the partition rewinds to its last safe offset, and resumes when there is space', async () => {
  const disk = join(setup.folder, 'disk');
  await mkdir(disk);
  if (!mounted(disk)) {
    console.warn('Cannot mount a file system here: skipping the full disk.');
    return;
  }
  try {
    const harness = await setup.start({
      'tempdir.path': disk,
      'flush.size.bytes': '10000000',
      'flush.interval.ms': '3000',
    });
    const values = Array.from({ length: 10 }, (_, i) => `${randomBytes(75_000).toString('base64')},${i}`);
    let next = 0;
    let wentBack = false;
    while (harness.committed() !== values.length) {
      // Like the worker: rewinds to the offset that the task requested, and delivers nothing of paused partitions.
      const seek = harness.seeks.splice(0).at(-1);
      if (seek) {
        next = seek.offset;
        if (!wentBack) execFileSync('mount', ['-o', 'remount,size=16m', disk]);
        wentBack = true;
      }
      const isPaused = harness.pausedPartitions().length > 0;
      const batch = isPaused ? [] : values.slice(next, next + 2).map((value, i) => ({ value, offset: next + i }));
      next += batch.length;
      await harness.put(batch);
      await harness.commit();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(wentBack).toBe(true);
    expect((await setup.rows()).map(([, b]) => b)).toEqual(values.map((_, i) => i));
    expect(harness.logger.lines.join('\n')).toContain(
      'Cannot write records of t-0 to the staging folder, retrying in 50 ms',
    );
    await setup.stop(harness);
  } finally {
    execFileSync('umount', ['-l', disk]);
  }
});
