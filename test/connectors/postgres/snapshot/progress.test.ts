import { SnapshotProgress, TableProgress } from '../../../../connectors/postgres/src/snapshot-progress';

test('the percentage of a table is by rows, or by chunks without an estimate, and 100 only at its end', () => {
  const table = new TableProgress('s.t', 200, 4);
  table.rowsScanned = 50;
  table.chunksCompleted = 3;
  expect(table.percentage).toBe(25);
  expect(table.describe()).toBe('s.t: 50 of about 200 row(s), chunk 3 of 4, 25 %');
  table.rowsScanned = 300;
  expect(table.percentage).toBe(99);
  table.completed = true;
  expect(table.percentage).toBe(100);
  const unknown = new TableProgress('s.u', 0, 4);
  unknown.chunksCompleted = 1;
  expect(unknown.describe()).toBe('s.u: 0 row(s), chunk 1 of 4, 25 %');
});

test('the state of a snapshot', () => {
  const progress = new SnapshotProgress();
  const state = (): boolean[] => [
    progress.snapshotRunning,
    progress.snapshotCompleted,
    progress.snapshotAborted,
    progress.snapshotSkipped,
  ];
  expect(state()).toEqual([false, false, false, false]);
  expect(progress.snapshotDurationInSeconds).toBe(0);
  const table = new TableProgress('s.t', 0, 1);
  progress.begin([table, new TableProgress('s.u', 0, 1)]);
  table.completed = true;
  expect([progress.totalTableCount, progress.remainingTableCount]).toEqual([2, 1]);
  expect(state()).toEqual([true, false, false, false]);
  progress.abort();
  expect(state()).toEqual([false, false, true, false]);
  progress.begin([]);
  progress.complete();
  expect(state()).toEqual([false, true, false, false]);
  expect(progress.snapshotDurationInSeconds).toBe(0);
  progress.skip();
  expect(state()).toEqual([false, false, false, true]);
});

test('the time of all pauses, also of one that is not over', () => {
  jest.useFakeTimers();
  const progress = new SnapshotProgress();
  const state = (): unknown[] => [progress.snapshotPaused, progress.snapshotPausedDurationInSeconds];
  progress.resume();
  expect(state()).toEqual([false, 0]);
  progress.pause();
  jest.advanceTimersByTime(2000);
  expect(state()).toEqual([true, 2]);
  progress.pause();
  progress.resume();
  jest.advanceTimersByTime(5000);
  expect(state()).toEqual([false, 2]);
  progress.pause();
  jest.advanceTimersByTime(1000);
  expect(state()).toEqual([true, 3]);
  jest.useRealTimers();
});
