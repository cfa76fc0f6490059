import { DataError, type SourceOffset, type SourcePartition } from '@millrace/sdk';
import { DEFAULT_SAMPLE_WINDOWS, TaskMetrics } from '../../../src/metrics/task-metrics';
import { CallClock } from '../../../src/tasks/call-clock';
import { OffsetTracker } from '../../../src/tasks/source/offset-tracker';
import { OffsetCommitter } from '../../../src/tasks/source/offset-committer';
import { WorkLease } from '../../../src/tasks/session-lease';
import { eventually, MemoryOffsets, PARTITION, RecordingLogger, ScriptedSource } from '../fakes';

function setUp(intervalMs = 60_000): {
  committer: OffsetCommitter;
  storage: MemoryOffsets;
  logger: RecordingLogger;
  task: ScriptedSource;
  metrics: TaskMetrics;
  acked(offset: SourceOffset | null, partition?: SourcePartition | null): void;
} {
  const tracker = new OffsetTracker();
  const storage = new MemoryOffsets();
  const logger = new RecordingLogger();
  const task = new ScriptedSource([]);
  const metrics = TaskMetrics.in(TaskMetrics.allocate('source', DEFAULT_SAMPLE_WINDOWS));
  const lease = WorkLease.from(undefined);
  const options = {
    connector: 'c',
    tracker,
    storage,
    lease,
    task,
    calls: new CallClock(),
    metrics,
    logger,
    intervalMs,
    timeoutMs: 50,
  };
  const committer = new OffsetCommitter(options);
  const acked = (offset: SourceOffset | null, partition: SourcePartition | null = PARTITION): void => {
    tracker.acknowledge(tracker.add(partition, offset));
    tracker.endBatch();
  };
  return { committer, storage, logger, task, metrics, acked };
}

test('nothing to store: the task is notified all the same', async () => {
  const { committer, storage, task } = setUp();
  expect(await committer.commit()).toBe(true);
  expect(storage.writes).toEqual([]);
  expect(task.commits).toEqual([new Map()]);
});

test('connect-runtime 74: an offset that the store refuses fails the commit, not the task; the next good one is stored', async () => {
  const { committer, storage, task, logger, acked } = setUp();
  const refusal = new DataError('Offsets may only contain primitive types');
  storage.errors = [refusal, refusal];
  acked({ n: 1 });
  expect(await committer.commit()).toBe(false);
  expect(await committer.commit()).toBe(false);
  expect(logger.lines[0]).toContain('Offsets may only contain primitive types');
  acked({ n: 2 });
  expect(await committer.commit()).toBe(true);
  expect(storage.of(PARTITION)).toEqual({ n: 2 });
  expect(task.commits.length).toBe(1);
});

test('connect-runtime 75: after a timeout a newer offset wins, an older one of another partition is kept', async () => {
  const { committer, storage, logger, acked } = setUp();
  let release = (): void => undefined;
  storage.hold = new Promise((resolve) => (release = resolve));
  const other = { file: 'b' };
  acked({ n: 1 });
  acked({ n: 10 }, other);
  expect(await committer.commit()).toBe(false);
  expect(logger.lines[0]).toContain('Timed out after 50 ms (offset.flush.timeout.ms)');
  acked({ n: 2 });
  storage.hold = null;
  release();
  expect(await committer.commit()).toBe(true);
  expect(storage.writes.at(-1)).toEqual([
    [PARTITION, { n: 2 }],
    [other, { n: 10 }],
  ]);
});

test('connect-runtime 75: while Kafka stores nothing, one write waits for it, whatever the number of commits', async () => {
  const { committer, storage, acked } = setUp();
  let release = (): void => undefined;
  storage.hold = new Promise((resolve) => (release = resolve));
  for (let n = 1; n <= 4; n++) {
    acked({ n });
    expect(await committer.commit()).toBe(false);
  }
  release();
  expect(await committer.commit()).toBe(true);
  expect(storage.writes).toEqual([[[PARTITION, { n: 1 }]], [[PARTITION, { n: 4 }]]]);
});

test('a failed write is retried', async () => {
  const { committer, storage, acked } = setUp();
  storage.errors = [new Error('no leader')];
  acked({ n: 1 });
  expect(await committer.commit()).toBe(false);
  expect(await committer.commit()).toBe(true);
  expect(storage.of(PARTITION)).toEqual({ n: 1 });
});

test('connect-runtime 77: null offsets and null partitions are passed on', async () => {
  const { committer, storage, task, acked } = setUp();
  acked(null);
  acked({ n: 1 }, null);
  await committer.commit();
  expect(storage.writes[0]).toEqual([
    [PARTITION, null],
    [null, { n: 1 }],
  ]);
  expect([...(task.commits[0] ?? [])]).toEqual([[PARTITION, null]]);
});

test('commits are periodic, one after the other, until stopped', async () => {
  const { committer, storage, task, acked } = setUp(5);
  committer.start();
  acked({ n: 1 });
  await eventually(() => storage.of(PARTITION) !== undefined);
  acked({ n: 2 });
  await eventually(() => (storage.of(PARTITION) as { n: number }).n === 2);
  await committer.stop();
  const commits = task.commits.length;
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(task.commits.length).toBe(commits);
});
